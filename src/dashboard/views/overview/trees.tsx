// The trees in flight: which sessions of each are pending or running, and why it waits.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { SessionView } from '../../../client/index.js';
import { sessions } from '../../api/queries.js';
import { useClient } from '../../api/use-api.js';
import { Ago, Empty, Failed, Faint, Loading, Panel, Table } from '../../parts/basics.js';
import { SessionLink, StateLink } from '../../parts/text/links.js';
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
        <Table
          label="Trees in flight"
          rows={roots}
          keyOf={({ root }) => root}
          columns={[
            [
              'Tree',
              ({ root, list }) => <SessionLink root={root} session={root} name={nameOf(root, list)} />,
            ],
            ['Sessions', ({ list }) => <SessionNames of={list} />, 'prose'],
            ['Why it waits', ({ list }) => <WhyItWaits list={list} isWhole={isWhole} />, 'prose'],
            [
              'State',
              ({ newest: { workflow_state_id: id } }) =>
                id === null ? <Faint>none</Faint> : <StateLink id={id}>state</StateLink>,
            ],
            ['Last change', ({ newest }) => <Ago at={newest.updated_at} />],
          ]}
        />
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

function SessionNames({ of }: { readonly of: readonly SessionView[] }) {
  return (
    <>
      <Names of={of.slice(0, NAMES_MAX).map((one) => one.session_name)} />
      {of.length > NAMES_MAX && <span className="faint"> and {of.length - NAMES_MAX} more</span>}
    </>
  );
}

function nameOf(root: string, list: readonly SessionView[]): string {
  const itself = list.find((one) => one.session_id === root);
  const child = list.find((one) => one.parent_session_id === root);
  return itself?.session_name ?? child?.parent_session_name ?? root;
}

/**
 * What blocks the sessions that neither run nor have ended.
 *
 * @param props - `isWhole` where the sessions of no tree are cut off.
 */
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
