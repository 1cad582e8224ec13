// The runners: how busy each is, and when it last asked for work.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { overview, runners } from '../api/queries.js';
import { useClient } from '../api/use-api.js';
import { Empty, Unread } from '../parts/basics.js';
import { RunnerTable } from '../parts/runner-table.js';
import { Heading } from '../parts/heading.js';

export default function RunnersView() {
  const client = useClient();
  const read = useQuery(runners(client));
  const waiting = useQuery(overview(client)).data?.runs['pending'] ?? 0;
  return (
    <>
      <Heading name="Runners" />
      {!read.isSuccess && <Unread read={read} what="runners" />}
      {waiting > 0 && (
        <p className="notice">
          {waiting === 1 ? 'A run waits for a runner.' : `${String(waiting)} runs wait for a runner.`}
          <Link to="/ui/runs" search={{ status: 'pending' }}>
            See which
          </Link>
        </p>
      )}
      {read.data?.items.length === 0 && (
        <Empty>
          No runner is registered, so no run starts. Start one with <code>countersign runner</code>.
        </Empty>
      )}
      {read.data !== undefined && read.data.items.length > 0 && <RunnerTable runners={read.data.items} />}
    </>
  );
}
