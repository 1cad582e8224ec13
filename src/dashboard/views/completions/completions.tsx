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
import { RootFilter, StatusTabs } from '../../parts/filters.js';
import { CompletionLink, SessionLink } from '../../parts/text/links.js';
import { Listing } from '../../parts/listing.js';
import { Heading } from '../../parts/heading.js';

export default function CompletionsView({ filter }: { readonly filter: ListFilter<UpdateStatus> }) {
  const client = useClient();
  const read = useQuery(completionList(client, filter));
  const counts = useQuery(overview(client)).data?.completions;
  return (
    <>
      <Heading name="Completions" />
      <StatusTabs
        statuses={UPDATE_STATUSES}
        selected={filter.status}
        counts={filter.root === undefined ? counts : undefined}
      />
      <RootFilter root={filter.root} order={filter.order} />
      <Listing
        what="completions"
        read={read}
        cursor={filter.cursor}
        empty={
          filter.status !== undefined || filter.root !== undefined ? (
            'No completion fits these filters.'
          ) : (
            <>
              No session owes its result. A child that is started with <code>--callback</code> does, as soon
              as its work has ended.
            </>
          )
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
    </>
  );
}

function isPending({ state_update_status: status }: CompletionListed): boolean {
  return status === 'pending';
}
