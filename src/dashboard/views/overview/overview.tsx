// The overview: first what needs attention, then what is under way.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { CallbackView, CompletionListed, Listed } from '../../../client/index.js';
import * as ask from '../../api/queries.js';
import { useClient } from '../../api/use-api.js';
import { Countdown, Empty, Failed, Panel, Status, Table, Unread } from '../../parts/basics.js';
import { Redeliver } from '../../parts/actions/callback-actions.js';
import { CompletionActions } from '../../parts/actions/completion-actions.js';
import { whyItWaits } from '../../parts/text/completion-words.js';
import { CompletionLink } from '../../parts/text/links.js';
import { RunnerTable } from '../../parts/runner-table.js';
import { Activity } from './activity.js';
import { Trees } from './trees.js';
import { WaitingRuns } from './waiting.js';
import { Heading } from '../../parts/heading.js';

export function OverviewView() {
  const counts = useQuery(ask.overview(useClient()));
  if (!counts.isSuccess) return <Unread read={counts} what="the overview" />;
  const { trees, workflow_states, completions, callbacks, runners } = counts.data;
  const failed = completions['failed'] ?? 0;
  const dead = callbacks['dead'] ?? 0;
  const pending = completions['pending'] ?? 0;
  const waiting = counts.data.runs['pending'] ?? 0;
  const faults = failed + dead;
  return (
    <>
      <Heading name="Overview" />
      <dl className="figures">
        <Figure name="Need attention" value={faults} tone={faults > 0 ? 'bad' : 'good'} />
        <Figure name="Trees in flight" value={trees.active} />
        <Figure name="Pending completions" value={pending} />
        <Figure name="States" value={workflow_states.all} />
        <Figure
          name="Runner load"
          value={`${String(runners.active_runs)} of ${String(runners.max_concurrent)}`}
        />
      </dl>
      {faults > 0 && <Attention failed={failed} dead={dead} />}
      <Pending count={pending} />
      {waiting > 0 && <WaitingRuns count={waiting} />}
      <Trees count={trees.active} />
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

/** How many there are of each. */
interface AttentionProps {
  readonly failed: number;
  readonly dead: number;
}

function Attention({ failed, dead }: AttentionProps) {
  const client = useClient();
  const completions = useQuery(ask.completions(client, 'failed'));
  const callbacks = useQuery(ask.deadCallbacks(client));
  if (completions.isError)
    return <Failed error={completions.error} retry={() => void completions.refetch()} />;
  if (callbacks.isError) return <Failed error={callbacks.error} retry={() => void callbacks.refetch()} />;
  return (
    <Panel title="Needs attention">
      <Table
        label="What failed"
        rows={[
          ...(completions.data?.items.map(failedCompletion) ?? []),
          ...(callbacks.data?.items.map(deadCallback) ?? []),
        ]}
        keyOf={({ id }) => id}
        columns={[
          ['What', ({ what }) => what],
          ['Session', ({ link }) => link],
          ['Why', ({ why }) => why, 'prose'],
          ['What to do', ({ actions }) => actions],
        ]}
      />
      <More of={completions.data} count={failed}>
        <Link to="/ui/completions" search={{ status: 'failed' }}>
          all failed completions
        </Link>
      </More>
      <More of={callbacks.data} count={dead}>
        <Link to="/ui/callbacks" search={{ status: 'dead' }}>
          all dead callbacks
        </Link>
      </More>
    </Panel>
  );
}

interface MoreProps {
  /** The page that is shown. */
  readonly of: Listed<unknown> | undefined;
  /** How many there are. */
  readonly count: number;
  /** The way to all of them. */
  readonly children: ReactNode;
}

/** Says how many are not shown; nothing where all are. */
function More({ of, count, children }: MoreProps) {
  if (of === undefined || of.next_cursor === null) return null;
  return (
    <p className="faint">
      {Math.max(1, count - of.items.length)} more: {children}
    </p>
  );
}

function failedCompletion(one: CompletionListed) {
  return {
    id: one.session_id,
    what: <Status value="failed" label="completion failed" />,
    link: <CompletionLink session={one.session_id} name={one.session_name} />,
    why: one.reason ?? 'No reason was recorded.',
    actions: <CompletionActions of={one} />,
  };
}

function deadCallback(one: CallbackView) {
  return {
    id: one.callback_id,
    what: <Status value="dead" label="callback dead" />,
    link: <CompletionLink session={one.child_session_id} name={one.child_session_id} />,
    why: one.reason ?? 'It could not be delivered.',
    actions: <Redeliver one={one} />,
  };
}

function Pending({ count }: { readonly count: number }) {
  const pending = useQuery(ask.completions(useClient(), 'pending'));
  return (
    <Panel title="Pending completions">
      {!pending.isSuccess && <Unread read={pending} what="completions" />}
      {pending.data?.items.length === 0 && <Empty>No child is recording its result at the moment.</Empty>}
      {pending.data !== undefined && pending.data.items.length > 0 && (
        <Table
          label="Pending completions"
          rows={pending.data.items}
          keyOf={(one) => one.session_id}
          columns={[
            ['Session', (one) => <CompletionLink session={one.session_id} name={one.session_name} />],
            ['Attempt', (one) => `${String(one.attempt)} of ${String(one.max_attempts)}`],
            ['Next step', (one) => <Countdown to={one.due_at} />],
            ['Why it waits', whyItWaits, 'prose'],
            ['What to do', (one) => <CompletionActions of={one} />],
          ]}
        />
      )}
      <More of={pending.data} count={count}>
        <Link to="/ui/completions" search={{ status: 'pending' }}>
          all pending completions
        </Link>
      </More>
    </Panel>
  );
}

function Runners() {
  const runners = useQuery(ask.runners(useClient()));
  const list = runners.data?.items;
  return (
    <Panel title="Runners">
      {!runners.isSuccess && <Unread read={runners} what="runners" />}
      {list?.length === 0 && (
        <Empty>
          No runner is registered, so no run starts. Start one with <code>countersign runner</code>.
        </Empty>
      )}
      {list !== undefined && list.length > 0 && <RunnerTable runners={list} />}
    </Panel>
  );
}
