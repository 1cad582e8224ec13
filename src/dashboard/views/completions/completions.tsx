// The list of completions. The status, the root session and the page are in the address.
import { useQuery } from '@tanstack/react-query';
import type { CompletionListed } from '../../../client/index.js';
import {
  UPDATE_STATUSES,
  completionList,
  type ListFilter,
  type UpdateStatus,
} from '../../api/list-queries.js';
import { overview } from '../../api/queries.js';
import { useClient } from '../../api/use-api.js';
import { Countdown, Faint, Status } from '../../parts/basics.js';
import { whyItWaits, withoutStatus } from '../../parts/text/completion-words.js';
import { CompletionActions } from '../../parts/actions/completion-actions.js';
import { FilteredListing } from '../../parts/filtered-listing.js';
import { CompletionLink, SessionLink } from '../../parts/text/links.js';

export default function CompletionsView({ filter }: { readonly filter: ListFilter<UpdateStatus> }) {
  const client = useClient();
  return (
    <FilteredListing
      what="completions"
      read={useQuery(completionList(client, filter))}
      filter={filter}
      statuses={UPDATE_STATUSES}
      counts={useQuery(overview(client)).data?.completions}
      empty={
        <>
          No session owes its result. A child that is started with <code>--callback</code> does, as soon as
          its work has ended.
        </>
      }
      keyOf={(one) => one.session_id}
      columns={[
        ['Session', (one) => <CompletionLink session={one.session_id} name={one.session_name} />],
        [
          'Status',
          (one) => (
            <Status
              value={one.state_update_status ?? 'none'}
              label={one.state_update_status ?? withoutStatus(one)}
            />
          ),
        ],
        ['Attempt', (one) => `${String(one.attempt)} of ${String(one.max_attempts)}`],
        ['Next step', (one) => (isPending(one) ? <Countdown to={one.due_at} /> : <Faint>none</Faint>)],
        ['Why', (one) => (isPending(one) ? whyItWaits(one) : one.reason), 'prose'],
        ['Tree', (one) => <SessionLink root={one.root_session_id} session={one.session_id} name="tree" />],
        ['What to do', (one) => <CompletionActions of={one} />],
      ]}
    />
  );
}

function isPending({ state_update_status: status }: CompletionListed): boolean {
  return status === 'pending';
}
