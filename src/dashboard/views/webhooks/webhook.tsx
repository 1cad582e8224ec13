// One webhook: what it is told of, and its deliveries, those that failed first.
import { useQuery } from '@tanstack/react-query';
import { DELIVERY_STATUSES, deliveries, webhook, type DeliveryFilter } from '../../api/list-queries.js';
import { useClient } from '../../api/use-api.js';
import { Action } from '../../parts/actions/action.js';
import { Ago, Failed, Panel, Status } from '../../parts/basics.js';
import { Facts, Json } from '../../parts/facts.js';
import { StatusTabs } from '../../parts/filters.js';
import { Listing } from '../../parts/listing.js';
import { deliveryColumns } from './delivery.js';
import { Limits } from './limits.js';
import { Heading } from '../../parts/heading.js';
import { UnreadView } from '../../parts/unread-view.js';

interface OneWebhookProps {
  readonly id: string;
  readonly filter: DeliveryFilter;
}

export default function OneWebhookView({ id, filter }: OneWebhookProps) {
  const client = useClient();
  const read = useQuery(webhook(client, id));
  if (!read.isSuccess) return <UnreadView read={read} name={id} kind="webhook" />;
  const one = read.data;
  const isFirst = filter.status === undefined && filter.cursor === undefined;
  return (
    <>
      <Heading name={one.url} kind="webhook" />
      <Panel
        title="Webhook"
        aside={
          one.enabled ? (
            <Action
              key="disable"
              name="Disable"
              right="orchestrate"
              withReason
              effect="It is told of nothing more, and what was not delivered becomes a dead letter."
              run={(reason) => client.webhooks.disable(id, { reason })}
            />
          ) : (
            <Action
              key="enable"
              name="Enable"
              right="orchestrate"
              effect="It is told of what happens from now on."
              run={() => client.webhooks.enable(id)}
            />
          )
        }
      >
        <Facts
          of={{
            Status: <Status value={one.enabled ? 'enabled' : 'disabled'} />,
            Reason: one.disabled_reason,
            Events: one.events.join(', '),
            'Only for': <Limits of={one} />,
            Created: <Ago at={one.created_at} />,
            Webhook: <code>{one.webhook_id}</code>,
          }}
        />
        {one.when !== null && <Json label="Condition" value={one.when} />}
      </Panel>
      {isFirst && <FailedDeliveries id={id} />}
      <Panel title="Deliveries">
        <StatusTabs statuses={DELIVERY_STATUSES} selected={filter.status} />
        <Deliveries id={id} filter={filter} />
      </Panel>
    </>
  );
}

function Deliveries({ id, filter }: OneWebhookProps) {
  const read = useQuery(deliveries(useClient(), id, filter));
  return (
    <Listing
      what="deliveries"
      read={read}
      cursor={filter.cursor}
      empty={
        filter.status === undefined
          ? 'Nothing has been sent yet: the next of its events makes a delivery.'
          : 'No delivery fits this filter.'
      }
      keyOf={(one) => one.delivery_id}
      columns={deliveryColumns(id)}
    />
  );
}

/** Nothing where none failed. */
function FailedDeliveries({ id }: { readonly id: string }) {
  const read = useQuery(deliveries(useClient(), id, { status: 'dead' }));
  if (read.isError) return <Failed error={read.error} retry={() => void read.refetch()} />;
  if (read.data === undefined || read.data.items.length === 0) return null;
  return (
    <Panel title="Failed deliveries">
      <Listing
        what="failed deliveries"
        read={{ ...read, data: { ...read.data, next_cursor: null } }}
        empty={null}
        keyOf={(one) => one.delivery_id}
        columns={deliveryColumns(id)}
      />
    </Panel>
  );
}
