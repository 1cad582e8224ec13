// The overview: first what needs attention, then what is under way.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { CallbackView, CompletionListed, SessionView } from '../../../client/index.js';
import * as ask from '../../api/queries.js';
import { useClient } from '../../api/use-api.js';
import { Ago, Countdown, Empty, Failed, Loading, Panel, Status, Table } from '../../parts/basics.js';
import { Redeliver } from '../../parts/actions/callback-actions.js';
import { CompletionActions } from '../../parts/actions/completion-actions.js';
import { whyItWaits } from '../../parts/text/completion-words.js';
import { CompletionLink, SessionLink } from '../../parts/text/links.js';
import { RunnerTable } from '../../parts/runner-table.js';
import { Activity } from './activity.js';
import { WaitingRuns } from './waiting.js';

export function OverviewView() {
  const counts = useQuery(ask.overview(useClient()));
  if (counts.isPending) return <Loading what="the overview" />;
  if (counts.isError) return <Failed error={counts.error} retry={() => void counts.refetch()} />;
  const { trees, workflow_states, completions, callbacks, runners } = counts.data;
  const failed = (completions['failed'] ?? 0) + (callbacks['dead'] ?? 0);
  return (
    <>
      <h1>Overview</h1>
      <dl className="figures">
        <Figure name="Need attention" value={failed} tone={failed > 0 ? 'bad' : 'good'} />
        <Figure name="Trees in flight" value={trees.active} />
        <Figure name="Pending completions" value={completions['pending'] ?? 0} />
        <Figure name="States" value={workflow_states.all} />
        <Figure
          name="Runner load"
          value={`${String(runners.active_runs)} of ${String(runners.max_concurrent)}`}
        />
      </dl>
      {failed > 0 && <Attention />}
      <Pending />
      {(counts.data.runs['pending'] ?? 0) > 0 && <WaitingRuns />}
      <Trees />
      <Activity />
      <Runners />
    </>
  );
}

function Figure({
  name,
  value,
  tone = '',
}: {
  readonly name: string;
  readonly value: number | string;
  readonly tone?: string;
}) {
  return (
    <div className={tone}>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function Attention() {
  const client = useClient();
  const failed = useQuery(ask.completions(client, 'failed'));
  const dead = useQuery(ask.deadCallbacks(client));
  if (failed.isError) return <Failed error={failed.error} retry={() => void failed.refetch()} />;
  if (dead.isError) return <Failed error={dead.error} retry={() => void dead.refetch()} />;
  return (
    <Panel title="Needs attention">
      <Table label="What failed" head={['What', 'Session', 'Why', 'What to do']}>
        {failed.data?.items.map((one) => (
          <FailedRow key={one.session_id} one={one} />
        ))}
        {dead.data?.items.map((one) => (
          <DeadRow key={one.callback_id} one={one} />
        ))}
      </Table>
    </Panel>
  );
}

function FailedRow({ one }: { readonly one: CompletionListed }) {
  return (
    <tr>
      <td>
        <Status value="failed" label="completion failed" />
      </td>
      <td>
        <CompletionLink session={one.session_id} name={one.session_name} />
      </td>
      <td className="prose">{one.reason ?? 'No reason was recorded.'}</td>
      <td>
        <CompletionActions of={one} />
      </td>
    </tr>
  );
}

function DeadRow({ one }: { readonly one: CallbackView }) {
  return (
    <tr>
      <td>
        <Status value="dead" label="callback dead" />
      </td>
      <td>
        <CompletionLink session={one.child_session_id} name={one.child_session_id} />
      </td>
      <td className="prose">{one.reason ?? 'It could not be delivered.'}</td>
      <td>
        <Redeliver one={one} />
      </td>
    </tr>
  );
}

function Pending() {
  const pending = useQuery(ask.completions(useClient(), 'pending'));
  return (
    <Panel title="Pending completions">
      {pending.isPending && <Loading what="completions" />}
      {pending.isError && <Failed error={pending.error} retry={() => void pending.refetch()} />}
      {pending.data?.items.length === 0 && <Empty>No child is recording its result at the moment.</Empty>}
      {pending.data !== undefined && pending.data.items.length > 0 && (
        <Table
          label="Pending completions"
          head={['Session', 'Attempt', 'Next step', 'Why it waits', 'What to do']}
        >
          {pending.data.items.map((one) => (
            <tr key={one.session_id}>
              <td>
                <CompletionLink session={one.session_id} name={one.session_name} />
              </td>
              <td>
                {one.attempt} of {one.max_attempts}
              </td>
              <td>
                <Countdown to={one.due_at} />
              </td>
              <td className="prose">{whyItWaits(one)}</td>
              <td>
                <CompletionActions of={one} />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Panel>
  );
}

function Trees() {
  const client = useClient();
  const running = useQuery(ask.sessions(client, 'running'));
  const pending = useQuery(ask.sessions(client, 'pending'));
  const error = running.error ?? pending.error;
  const roots = byRoot([...(running.data?.items ?? []), ...(pending.data?.items ?? [])]);
  return (
    <Panel title="Trees in flight">
      {error !== null && <Failed error={error} />}
      {running.isPending && <Loading what="sessions" />}
      {running.isSuccess && roots.length === 0 && (
        <Empty>
          No session is at work. Start one with <code>countersign run start</code>, or see the whole story
          with <code>countersign demo</code>.
        </Empty>
      )}
      {roots.length > 0 && (
        <Table label="Trees in flight" head={['Tree', 'At work', 'Why it waits', 'State', 'Last change']}>
          {roots.map(({ root, list, newest }) => (
            <tr key={root}>
              <td>
                <SessionLink root={root} session={root} name={nameOf(root, list)} />
              </td>
              <td className="prose">
                <bdi>{list.map((one) => one.session_name).join(', ')}</bdi>
              </td>
              <td className="prose">{whyTreeWaits(list)}</td>
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
          ))}
        </Table>
      )}
    </Panel>
  );
}

function nameOf(root: string, list: readonly SessionView[]): string {
  const itself = list.find((one) => one.session_id === root);
  const child = list.find((one) => one.parent_session_id === root);
  return itself?.session_name ?? child?.parent_session_name ?? root;
}

/** What blocks the sessions that neither run nor have ended. */
function whyTreeWaits(list: readonly SessionView[]): string {
  const pending = list.filter(({ status }) => status === 'pending');
  const recording = list.filter(({ state_update_status: update }) => update === 'pending');
  const words = [
    ...(pending.length === 0 ? [] : [`${inAll(pending)}: no runner has taken its run yet`]),
    ...(recording.length === 0 ? [] : [`${inAll(recording)}: recording a result`]),
  ];
  return words.length === 0 ? 'It does not wait: its sessions are at work.' : words.join('; ');
}

function inAll(sessions: readonly SessionView[]): string {
  const [first] = sessions;
  return first === undefined || sessions.length > 1
    ? `${String(sessions.length)} sessions`
    : first.session_name;
}

function byRoot(sessions: readonly SessionView[]) {
  return [...new Set(sessions.map((one) => one.root_session_id))].flatMap((root) => {
    const list = sessions.filter((one) => one.root_session_id === root);
    const [newest] = list.toSorted((a, b) => b.updated_at.localeCompare(a.updated_at));
    return newest === undefined ? [] : [{ root, list, newest }];
  });
}

function Runners() {
  const runners = useQuery(ask.runners(useClient()));
  if (runners.isError) return <Failed error={runners.error} retry={() => void runners.refetch()} />;
  const list = runners.data?.items ?? [];
  return (
    <Panel title="Runners">
      {list.length === 0 ? (
        <Empty>
          No runner is registered, so no run starts. Start one with <code>countersign runner</code>.
        </Empty>
      ) : (
        <RunnerTable runners={list} />
      )}
    </Panel>
  );
}
