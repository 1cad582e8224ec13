// The list of states with its filters. Filters and the page are in the address.
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { StateOrder } from '../api/list-queries.js';
import { AGES, ageOf, states, type StateFilter } from '../api/queries.js';
import { useApi, useClient } from '../api/use-api.js';
import { Ago } from '../parts/basics.js';
import { Listing } from '../parts/listing.js';
import { StateLink } from '../parts/text/links.js';
import { Heading } from '../parts/heading.js';

const ORDERS: Readonly<Record<StateOrder, string>> = {
  newest: 'the newest',
  changed: 'the last changed',
  oldest: 'the oldest',
};

/** @returns `undefined` for the order that needs not be in the address. */
function orderOf(value: unknown): StateOrder | undefined {
  return value === 'changed' || value === 'oldest' ? value : undefined;
}

const NO_FILTER = { search: undefined, schema: undefined, root: undefined, since: undefined };

function isNarrowed({ search, schema, root, since }: StateFilter): boolean {
  return [search, schema, root, since].some((one) => one !== undefined);
}

/** What the form of the filters says. */
function filterOf(given: FormData): Partial<StateFilter> {
  const text = (name: string) => {
    const value = given.get(name);
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
  };
  return {
    search: text('search'),
    schema: text('schema'),
    root: text('root'),
    since: ageOf(text('since')),
    order: orderOf(text('order')),
  };
}

interface StatesProps {
  readonly filter: StateFilter;
}

export function StatesView({ filter }: StatesProps) {
  const list = useQuery(states(useClient(), filter));
  const { changes } = useApi();
  return (
    <>
      <Heading name="States" />
      <Filters filter={filter} />
      <Listing
        what="states"
        read={list}
        cursor={filter.cursor}
        empty={
          isNarrowed(filter) ? (
            'No state fits these filters.'
          ) : (
            <>
              There is no state yet. Make one with <code>countersign state create</code>.
            </>
          )
        }
        keyOf={(one) => `${one.state_id} ${String(one.version)}`}
        isLit={(one) => changes.has(one.state_id)}
        columns={[
          [
            'Root session',
            (one) => (
              <StateLink id={one.state_id}>
                <bdi>{one.root_session_name}</bdi>
              </StateLink>
            ),
          ],
          [
            'Schema',
            (one) => (
              <>
                {one.schema_name} <span className="faint">v{one.schema_version}</span>
              </>
            ),
          ],
          ['Version', (one) => one.version],
          ['Last change', (one) => <Ago at={one.updated_at} />],
          ['Created', (one) => <Ago at={one.created_at} />],
          ['State', (one) => <code className="id">{one.state_id}</code>],
        ]}
      />
    </>
  );
}

function Filters({ filter }: StatesProps) {
  const navigate = useNavigate();
  const narrow = (change: Partial<StateFilter>) =>
    void navigate({ to: '/ui/states', search: { ...filter, cursor: undefined, ...change } });
  return (
    <form
      className="filters"
      // The fields follow the address. The order does by itself, and keeps the focus.
      key={JSON.stringify({ ...filter, order: undefined, cursor: undefined })}
      onSubmit={(event) => {
        event.preventDefault();
        narrow(filterOf(new FormData(event.currentTarget)));
      }}
    >
      <label>
        Search
        <input
          type="search"
          name="search"
          defaultValue={filter.search}
          placeholder="start of a root's name, or an id"
        />
      </label>
      <label>
        Schema
        <input name="schema" defaultValue={filter.schema} placeholder="name" />
      </label>
      <label>
        Root session
        <input name="root" defaultValue={filter.root} placeholder="id or name" />
      </label>
      <label>
        Changed in the
        <select name="since" defaultValue={filter.since ?? ''}>
          <option value="">whole time</option>
          {Object.entries(AGES).map(([age, { words }]) => (
            <option key={age} value={age}>
              {words}
            </option>
          ))}
        </select>
      </label>
      <label>
        First come
        <select
          name="order"
          value={filter.order ?? 'newest'}
          onChange={({ target }) => target.form?.requestSubmit()}
        >
          {Object.entries(ORDERS).map(([order, words]) => (
            <option key={order} value={order}>
              {words}
            </option>
          ))}
        </select>
      </label>
      <button type="submit" className="strong">
        Filter
      </button>
      {isNarrowed(filter) && (
        <button type="button" className="quiet" onClick={() => narrow(NO_FILTER)}>
          Clear
        </button>
      )}
    </form>
  );
}
