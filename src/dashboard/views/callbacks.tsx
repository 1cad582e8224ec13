// The list of callbacks. The status, the root session and the page are in the address.
import { useQuery } from '@tanstack/react-query';
import { CALLBACK_STATUSES, callbacks, type CallbackStatus, type ListFilter } from '../api/list-queries.js';
import { overview } from '../api/queries.js';
import { useClient } from '../api/use-api.js';
import { Ago, Status } from '../parts/basics.js';
import { Redeliver } from '../parts/actions/callback-actions.js';
import { Reveal, Text } from '../parts/facts.js';
import { RootFilter, StatusTabs } from '../parts/filters.js';
import { CompletionLink, SessionLink } from '../parts/text/links.js';
import { Listing } from '../parts/listing.js';
import { Heading } from '../parts/heading.js';

export function CallbacksView({ filter }: { readonly filter: ListFilter<CallbackStatus> }) {
  const client = useClient();
  const read = useQuery(callbacks(client, filter));
  const counts = useQuery(overview(client)).data?.callbacks;
  return (
    <>
      <Heading name="Callbacks" />
      <StatusTabs
        statuses={CALLBACK_STATUSES}
        selected={filter.status}
        counts={filter.root === undefined ? counts : undefined}
      />
      <RootFilter root={filter.root} order={filter.order} />
      <Listing
        what="callbacks"
        read={read}
        head={[
          'Status',
          'Child',
          'Parent',
          'Delivery',
          'Work',
          'Made',
          'Delivered',
          'Why',
          'Message',
          'What to do',
        ]}
        cursor={filter.cursor}
        empty={
          filter.status !== undefined || filter.root !== undefined ? (
            'No callback fits these filters.'
          ) : (
            <>
              There is no callback yet. A child that is started with <code>--callback</code> makes one for its
              parent.
            </>
          )
        }
        row={(one) => (
          <tr key={one.callback_id}>
            <td>
              <Status value={one.status} />
            </td>
            <td>
              <CompletionLink session={one.child_session_id} name={one.metadata.callback_source} />
            </td>
            <td>
              <SessionLink session={one.parent_session_id} />
            </td>
            <td>{one.delivery}</td>
            <td>
              {one.outcome === null ? (
                <span className="faint">not over</span>
              ) : (
                <Status value={one.outcome} />
              )}
            </td>
            <td>
              <Ago at={one.created_at} />
            </td>
            <td>
              {one.delivered_at === null ? <span className="faint">no</span> : <Ago at={one.delivered_at} />}
            </td>
            <td className="prose">{one.reason}</td>
            <td>
              {one.message === null ? (
                <span className="faint">none yet</span>
              ) : (
                <Reveal name="Message">
                  <Text label="Text of the message">{one.message}</Text>
                </Reveal>
              )}
            </td>
            <td>
              <Redeliver one={one} />
            </td>
          </tr>
        )}
      />
    </>
  );
}
