// What narrows a list: its statuses as links with their numbers, and a root session. Both are in the address.
import { Link, useNavigate } from '@tanstack/react-router';
import type { ListStatus, Order } from '../api/list-queries.js';

interface StatusTabsProps {
  readonly statuses: readonly ListStatus[];
  readonly selected: ListStatus | undefined;
  /** How many there are of each status; left out where a further filter makes them say something else. */
  readonly counts?: Readonly<Record<string, number>> | undefined;
}

export function StatusTabs({ statuses, selected, counts }: StatusTabsProps) {
  const all = counts && Object.values(counts).reduce((sum, count) => sum + count, 0);
  return (
    <nav className="tabs" aria-label="Status">
      <Tab name="all" status={undefined} selected={selected} count={all} />
      {statuses.map((status) => (
        <Tab
          key={status}
          name={status.replaceAll('_', ' ')}
          status={status}
          selected={selected}
          count={counts && (counts[status] ?? 0)}
        />
      ))}
    </nav>
  );
}

interface TabProps {
  readonly name: string;
  readonly status: ListStatus | undefined;
  readonly selected: ListStatus | undefined;
  readonly count: number | undefined;
}

function Tab({ name, status, selected, count }: TabProps) {
  return (
    <Link
      to="."
      search={(before) => ({ ...before, status, cursor: undefined })}
      aria-current={status === selected ? 'true' : undefined}
      activeProps={{}}
      // Else a link without a filter counts as active under each filter.
      activeOptions={{ exact: true }}
    >
      {name}
      {count !== undefined && <span className="faint"> {count}</span>}
    </Link>
  );
}

/** Turns a list around. */
function OrderSwitch({ order }: { readonly order: Order | undefined }) {
  return (
    <Link
      to="."
      className="order"
      search={(before) => ({
        ...before,
        order: order === 'oldest' ? undefined : 'oldest',
        cursor: undefined,
      })}
      activeProps={{}}
      activeOptions={{ exact: true }}
    >
      {order === 'oldest' ? 'Oldest first: show newest first' : 'Newest first: show oldest first'}
    </Link>
  );
}

interface RootFilterProps {
  readonly root: string | undefined;
  readonly order: Order | undefined;
}

export function RootFilter({ root, order }: RootFilterProps) {
  const navigate = useNavigate();
  const narrow = (given: string | undefined) =>
    void navigate({ to: '.', search: (before) => ({ ...before, root: given, cursor: undefined }) });
  return (
    <form
      className="filters"
      key={root}
      onSubmit={(event) => {
        event.preventDefault();
        const given = new FormData(event.currentTarget).get('root');
        narrow(typeof given === 'string' && given.trim() !== '' ? given.trim() : undefined);
      }}
    >
      <label>
        Root session
        <input name="root" defaultValue={root} placeholder="id or name" />
      </label>
      <button type="submit" className="strong">
        Filter
      </button>
      {root !== undefined && (
        <button type="button" className="quiet" onClick={() => narrow(undefined)}>
          Clear
        </button>
      )}
      <OrderSwitch order={order} />
    </form>
  );
}
