// The trees in flight: which sessions of each are pending or running, and why it waits.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { SessionView } from '../../../client/index.js';
import { sessions } from '../../api/queries.js';
import { useClient } from '../../api/use-api.js';
import { Ago, Empty, Failed, Loading, Panel, Table } from '../../parts/basics.js';
import { SessionLink } from '../../parts/text/links.js';
import { Names } from '../../parts/text/texts.js';

/** So many sessions of a tree are named. */
const NAMES_MAX = 10;

/** @param props - `count` is how many trees are in flight. */
export function Trees({ count }: { readonly count: number }) {
  const client = useClient();
  const running = useQuery(sessions(client, 'running'));
  const pending = useQuery(sessions(client, 'pending'));
  const error = running.error ?? pending.error;
  const isLoading = running.isPending || pending.isPending;
  const isWhole = running.data?.next_cursor === null && pending.data?.next_cursor === null;
  const roots = byRoot([...(running.data?.items ?? []), ...(pending.data?.items ?? [])]);
  const more = isWhole || isLoading ? 0 : Math.max(0, count - roots.length);
  return (
    <Panel title="Trees in flight">
      {error !== null && <Failed error={error} />}
      {isLoading && <Loading what="sessions" />}
      {isWhole && roots.length === 0 && (
        <Empty>
          No session is at work. Start one with <code>countersign session start</code>, or see the whole story
          with <code>countersign demo</code>.
        </Empty>
      )}
      {roots.length > 0 && (
        <Table label="Trees in flight" head={['Tree', 'Sessions', 'Why it waits', 'State', 'Last change']}>
          {roots.map((one) => (
            <TreeRow key={one.root} {...one} isWhole={isWhole} />
          ))}
        </Table>
      )}
      {more > 0 && (
        <p className="faint">
          {more} more: see{' '}
          <Link to="/ui/states" search={{ order: 'changed' }}>
            the states that changed last
          </Link>
          , or <code>countersign session list --status running</code>.
        </p>
      )}
    </Panel>
  );
}

interface Tree {
  readonly root: string;
  /** Its sessions that are pending or running. */
  readonly list: readonly SessionView[];
  readonly newest: SessionView;
}

/** @param props - `isWhole` where the sessions of no tree are cut off. */
function TreeRow({ root, list, newest, isWhole }: Tree & { readonly isWhole: boolean }) {
  return (
    <tr>
      <td>
        <SessionLink root={root} session={root} name={nameOf(root, list)} />
      </td>
      <td className="prose">
        <Names of={list.slice(0, NAMES_MAX).map((one) => one.session_name)} />
        {list.length > NAMES_MAX && <span className="faint"> and {list.length - NAMES_MAX} more</span>}
      </td>
      <td className="prose">
        <WhyItWaits list={list} isWhole={isWhole} />
      </td>
      <td>
        {newest.workflow_state_id === null ? (
          <span className="faint">none</span>
        ) : (
          <Link to="/ui/states/$id" params={{ id: newest.workflow_state_id }} search={{}}>
            state
          </Link>
        )}
      </td>
      <td>
        <Ago at={newest.updated_at} />
      </td>
    </tr>
  );
}

function nameOf(root: string, list: readonly SessionView[]): string {
  const itself = list.find((one) => one.session_id === root);
  const child = list.find((one) => one.parent_session_id === root);
  return itself?.session_name ?? child?.parent_session_name ?? root;
}

/** What blocks the sessions that neither run nor have ended. */
function WhyItWaits({ list, isWhole }: Pick<Tree, 'list'> & { readonly isWhole: boolean }) {
  const pending = list.filter(({ status }) => status === 'pending');
  const reasons = [
    { of: pending.filter(({ external }) => !external), why: 'no runner has taken its run yet' },
    { of: pending.filter(({ external }) => external), why: 'it has not reported its start yet' },
    {
      of: list.filter(({ state_update_status: update }) => update === 'pending'),
      why: 'recording a result',
    },
  ].filter(({ of }) => of.length > 0);
  if (reasons.length > 0)
    return reasons.map(({ of, why }) => (
      <div key={why}>
        <bdi>{inAll(of)}</bdi>: {why}
      </div>
    ));
  return isWhole
    ? 'It does not wait: its sessions are at work.'
    : 'Those of its sessions that are listed here are at work.';
}

function inAll(all: readonly SessionView[]): string {
  const [first] = all;
  return first === undefined || all.length > 1 ? `${String(all.length)} sessions` : first.session_name;
}

function byRoot(all: readonly SessionView[]): readonly Tree[] {
  return [...new Set(all.map((one) => one.root_session_id))].flatMap((root) => {
    const list = all.filter((one) => one.root_session_id === root);
    const [newest] = list.toSorted((a, b) => b.updated_at.localeCompare(a.updated_at));
    return newest === undefined ? [] : [{ root, list, newest }];
  });
}
