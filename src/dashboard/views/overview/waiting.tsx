// The runs that no runner has taken, and why.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { RunView, RunnerView } from '../../../client/index.js';
import { PURPOSES, runs } from '../../api/list-queries.js';
import { runners } from '../../api/queries.js';
import { useClient } from '../../api/use-api.js';
import { Ago, Failed, Panel, Table, useNow } from '../../parts/basics.js';
import { RunLink, SessionLink } from '../../parts/text/links.js';
import { isSilent } from '../../parts/runner-table.js';

const SHOWN = 10;

/** @param props - `count` is how many runs wait. */
export function WaitingRuns({ count }: { readonly count: number }) {
  const client = useClient();
  const read = useQuery(runs(client, { status: 'pending', order: 'oldest' }));
  const known = useQuery(runners(client)).data?.items;
  const now = useNow();
  if (read.isError) return <Failed error={read.error} retry={() => void read.refetch()} />;
  const items = read.data?.items ?? [];
  if (items.length === 0 || known === undefined) return null;
  return (
    <Panel
      title="Runs that wait"
      aside={
        <Link to="/ui/runs" search={{ status: 'pending' }}>
          All {Math.max(count, items.length)} of them
        </Link>
      }
    >
      <Table
        label="Runs that wait"
        rows={items.slice(0, SHOWN)}
        keyOf={(one) => one.run_id}
        columns={[
          ['Session', (one) => <SessionLink session={one.session_id} name={one.session_name} />],
          ['For', (one) => PURPOSES[one.purpose]],
          ['Since', (one) => <Ago at={one.created_at} />],
          ['Why it waits', (one) => whyNotTaken(one, known, now), 'prose'],
          ['Run', (one) => <RunLink id={one.run_id} />],
        ]}
      />
    </Panel>
  );
}

function whyNotTaken(run: RunView, known: readonly RunnerView[], now: number): string {
  const earlier = run.error === null ? '' : ` Last time: ${run.error}`;
  const present = known.filter((one) => !isSilent(one, now));
  const why =
    known.length === 0
      ? 'No runner is registered: start one with countersign runner.'
      : present.length === 0
        ? 'Every runner is silent: see whether they are running.'
        : present.every((one) => one.active_runs >= one.max_concurrent)
          ? 'Every runner is busy.'
          : 'It begins at the next poll of a runner that fits it, or once the run before it in its session has ended.';
  return why + earlier;
}
