// The list of completions. The status, the root session and the page are in the address.
import { useQuery } from '@tanstack/react-query';
import {
  UPDATE_STATUSES,
  completionList,
  type ListFilter,
  type UpdateStatus,
} from '../../api/list-queries.js';
import { overview } from '../../api/queries.js';
import { useClient } from '../../api/use-api.js';
import { Countdown, Status } from '../../parts/basics.js';
import { whyItWaits, withoutStatus } from '../../parts/text/completion-words.js';
import { CompletionActions } from '../../parts/actions/completion-actions.js';
import { RootFilter, StatusTabs } from '../../parts/filters.js';
import { CompletionLink, SessionLink } from '../../parts/text/links.js';
import { Listing } from '../../parts/listing.js';
import { Heading } from '../../parts/heading.js';

export function CompletionsView({ filter }: { readonly filter: ListFilter<UpdateStatus> }) {
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
        head={['Session', 'Status', 'Attempt', 'Next step', 'Why', 'Tree', 'What to do']}
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
        row={(one) => {
          const status = one.state_update_status;
          return (
            <tr key={one.session_id}>
              <td>
                <CompletionLink session={one.session_id} name={one.session_name} />
              </td>
              <td>
                <Status value={status ?? 'none'} label={status ?? withoutStatus(one)} />
              </td>
              <td>
                {one.attempt} of {one.max_attempts}
              </td>
              <td>
                {status === 'pending' ? <Countdown to={one.due_at} /> : <span className="faint">none</span>}
              </td>
              <td className="prose">{status === 'pending' ? whyItWaits(one) : one.reason}</td>
              <td>
                <SessionLink root={one.root_session_id} session={one.session_id} name="tree" />
              </td>
              <td>
                <CompletionActions of={one} />
              </td>
            </tr>
          );
        }}
      />
    </>
  );
}
