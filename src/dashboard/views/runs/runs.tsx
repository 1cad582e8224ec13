// The list of runs. The status, the root session and the page are in the address.
import { useQuery } from '@tanstack/react-query';
import { PURPOSES, RUN_STATUSES, runs, type ListFilter, type RunStatus } from '../../api/list-queries.js';
import { overview } from '../../api/queries.js';
import { useClient } from '../../api/use-api.js';
import { Ago, Status, Took } from '../../parts/basics.js';
import { RootFilter, StatusTabs } from '../../parts/filters.js';
import { RunLink, SessionLink } from '../../parts/text/links.js';
import { Listing } from '../../parts/listing.js';
import { Heading } from '../../parts/heading.js';

export function RunsView({ filter }: { readonly filter: ListFilter<RunStatus> }) {
  const client = useClient();
  const read = useQuery(runs(client, filter));
  const counts = useQuery(overview(client)).data?.runs;
  return (
    <>
      <Heading name="Runs" />
      <StatusTabs
        statuses={RUN_STATUSES}
        selected={filter.status}
        counts={filter.root === undefined ? counts : undefined}
      />
      <RootFilter root={filter.root} order={filter.order} />
      <Listing
        what="runs"
        read={read}
        head={['Session', 'Status', 'For', 'Attempt', 'Created', 'Took', 'Error', 'Run']}
        cursor={filter.cursor}
        empty={
          filter.status !== undefined || filter.root !== undefined ? (
            'No run fits these filters.'
          ) : (
            <>
              There is no run yet. Start one with <code>countersign session start</code>.
            </>
          )
        }
        row={(one) => (
          <tr key={one.run_id}>
            <td>
              <SessionLink session={one.session_id} name={one.session_name} />
            </td>
            <td>
              <Status value={one.status} />
            </td>
            <td>{PURPOSES[one.purpose]}</td>
            <td>{one.attempt}</td>
            <td>
              <Ago at={one.created_at} />
            </td>
            <td>
              {one.started_at === null ? (
                <span className="faint">not begun</span>
              ) : (
                <Took from={one.started_at} to={one.completed_at} />
              )}
            </td>
            <td className="prose">{one.error}</td>
            <td>
              <RunLink id={one.run_id} />
            </td>
          </tr>
        )}
      />
    </>
  );
}
