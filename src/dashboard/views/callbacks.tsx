// The list of callbacks. The status, the root session and the page are in the address.
import { useQuery } from '@tanstack/react-query';
import { CALLBACK_STATUSES, callbacks, type CallbackStatus, type ListFilter } from '../api/list-queries.js';
import { overview } from '../api/queries.js';
import { useClient } from '../api/use-api.js';
import { Ago, Faint, Status } from '../parts/basics.js';
import { Redeliver } from '../parts/actions/callback-actions.js';
import { Reveal, Text } from '../parts/facts.js';
import { FilteredListing } from '../parts/filtered-listing.js';
import { CompletionLink, SessionLink } from '../parts/text/links.js';

export default function CallbacksView({ filter }: { readonly filter: ListFilter<CallbackStatus> }) {
  const client = useClient();
  return (
    <FilteredListing
      what="callbacks"
      read={useQuery(callbacks(client, filter))}
      filter={filter}
      statuses={CALLBACK_STATUSES}
      counts={useQuery(overview(client)).data?.callbacks}
      empty={
        <>
          There is no callback yet. A child that is started with <code>--callback</code> makes one for its
          parent.
        </>
      }
      keyOf={(one) => one.callback_id}
      columns={[
        ['Status', (one) => <Status value={one.status} />],
        [
          'Child',
          (one) => <CompletionLink session={one.child_session_id} name={one.metadata.callback_source} />,
        ],
        ['Parent', (one) => <SessionLink session={one.parent_session_id} />],
        ['Delivery', (one) => one.delivery],
        ['Work', ({ outcome }) => (outcome === null ? <Faint>not over</Faint> : <Status value={outcome} />)],
        ['Made', (one) => <Ago at={one.created_at} />],
        ['Delivered', ({ delivered_at: at }) => (at === null ? <Faint>no</Faint> : <Ago at={at} />)],
        ['Why', (one) => one.reason, 'prose'],
        [
          'Message',
          ({ message }) => (message === null ? <Faint>none yet</Faint> : <Message text={message} />),
        ],
        ['What to do', (one) => <Redeliver one={one} />],
      ]}
    />
  );
}

function Message({ text }: { readonly text: string }) {
  return (
    <Reveal name="Message">
      <Text label="Text of the message">{text}</Text>
    </Reveal>
  );
}
