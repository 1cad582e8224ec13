// The list of webhooks: those that are disabled come first on each page.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { webhooks } from '../../api/list-queries.js';
import { overview } from '../../api/queries.js';
import { useClient } from '../../api/use-api.js';
import { Ago, Status } from '../../parts/basics.js';
import { Listing } from '../../parts/listing.js';
import { Limits } from './limits.js';
import { Heading } from '../../parts/heading.js';

export default function WebhooksView({ cursor }: { readonly cursor: string | undefined }) {
  const client = useClient();
  const read = useQuery({
    ...webhooks(client, cursor),
    select: (page) => ({
      ...page,
      items: page.items.toSorted((a, b) => Number(a.enabled) - Number(b.enabled)),
    }),
  });
  const dead = useQuery(overview(client)).data?.webhook_deliveries['dead'] ?? 0;
  return (
    <>
      <Heading name="Webhooks" />
      {dead > 0 && (
        <p className="notice failed">
          {dead === 1 ? 'One delivery is a dead letter.' : `${String(dead)} deliveries are dead letters.`}{' '}
          Open a webhook to see its own, and to send them again.
        </p>
      )}
      <Listing
        what="webhooks"
        read={read}
        cursor={cursor}
        empty={
          <>
            There is no webhook. Add one with <code>countersign webhook add</code>.
          </>
        }
        keyOf={(one) => one.webhook_id}
        columns={[
          [
            'URL',
            (one) => (
              <Link to="/ui/webhooks/$id" params={{ id: one.webhook_id }} search={{}}>
                <bdi>{one.url}</bdi>
              </Link>
            ),
          ],
          [
            'Status',
            (one) => (
              <>
                <Status value={one.enabled ? 'enabled' : 'disabled'} /> {one.disabled_reason}
              </>
            ),
            'prose',
          ],
          ['Events', (one) => one.events.join(', '), 'prose'],
          ['Only for', (one) => <Limits of={one} />],
          ['Changed', (one) => <Ago at={one.updated_at} />],
        ]}
      />
    </>
  );
}
