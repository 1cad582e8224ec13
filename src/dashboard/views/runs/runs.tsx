// The list of runs. The status, the root session and the page are in the address.
import { useQuery } from '@tanstack/react-query';
import { PURPOSES, RUN_STATUSES, runs, type ListFilter, type RunStatus } from '../../api/list-queries.js';
import { overview } from '../../api/queries.js';
import { useClient } from '../../api/use-api.js';
import { Ago, Faint, Status, Took } from '../../parts/basics.js';
import { FilteredListing } from '../../parts/filtered-listing.js';
import { RunLink, SessionLink } from '../../parts/text/links.js';

export default function RunsView({ filter }: { readonly filter: ListFilter<RunStatus> }) {
  const client = useClient();
  return (
    <FilteredListing
      what="runs"
      read={useQuery(runs(client, filter))}
      filter={filter}
      statuses={RUN_STATUSES}
      counts={useQuery(overview(client)).data?.runs}
      empty={
        <>
          There is no run yet. Start one with <code>countersign session start</code>.
        </>
      }
      keyOf={(one) => one.run_id}
      columns={[
        ['Session', (one) => <SessionLink session={one.session_id} name={one.session_name} />],
        ['Status', (one) => <Status value={one.status} />],
        ['For', (one) => PURPOSES[one.purpose]],
        ['Attempt', (one) => one.attempt],
        ['Created', (one) => <Ago at={one.created_at} />],
        [
          'Took',
          ({ started_at: from, completed_at: to }) =>
            from === null ? <Faint>not begun</Faint> : <Took from={from} to={to} />,
        ],
        ['Error', (one) => one.error, 'prose'],
        ['Run', (one) => <RunLink id={one.run_id} />],
      ]}
    />
  );
}
