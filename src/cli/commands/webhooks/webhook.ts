// `countersign webhook …`: manages webhooks and shows their deliveries.
import {
  DeliveryStatus,
  WebhookEvent,
  type DeliveryView,
  type WebhookView,
} from '../../../ports/api/index.js';
import { isConditionName } from '../../../domain/workflow/named-conditions.js';
import { clientCommand } from '../../client-command.js';
import type { CommandSpec } from '../../command.js';
import { readDocument } from '../../files/document.js';
import { choiceFlag, listFlag, textFlag } from '../../flag.js';
import type { Output } from '../../text/output.js';
import { record, time } from '../../text/table.js';
import { UsageError } from '../../usage-error.js';
import { given, pageFlags, pageText, reasonFlags } from '../page.js';

const EVENTS = WebhookEvent.enum;

const add = clientCommand({
  usage: 'add <url>',
  summary: 'create a webhook; the secret is shown once',
  flags: {
    events: listFlag('--event <event...>', `events to send (default: workflow_state_updated)`),
    state_id: textFlag('--state <state>', 'only of this state and its tree'),
    root_session: textFlag('--root-session <session>', 'only of this tree'),
    schema_name: textFlag('--schema <name>', 'only of states on this schema'),
    when: textFlag('--when <document>', 'JSON Schema, or verdicts-clear: only when it begins to hold'),
    secret: textFlag('--secret <secret>', 'what messages are signed with: whsec_ and a key in base64', {
      env: 'COUNTERSIGN_WEBHOOK_SECRET',
    }),
  },
  examples: [
    'countersign webhook add https://ci.example/hooks/review --state wfstate_1 --when ./done.schema.json',
    'countersign webhook add https://ci.example/hooks/runs --event run_updated --root-session release',
  ],
  notes: `Events: ${EVENTS.join(', ')}.`,
  run: async ({ flags, arg, client, out, io }) => {
    const { when, events, ...rest } = flags;
    const result = await client.webhooks.create({
      url: arg(0),
      events: events.length === 0 ? ['workflow_state_updated'] : events.map(eventOf),
      ...given(rest),
      ...(when === undefined ? {} : { when: isConditionName(when) ? when : await readDocument(when, io) }),
    });
    if (result.ok) out.note('The secret is shown this once; the receiver needs it.');
    return out.show(result, (one) => webhookText(out, one, one.secret));
  },
});

const list = clientCommand({
  usage: 'list',
  summary: 'list the webhooks',
  flags: pageFlags,
  examples: ['countersign webhook list'],
  run: async ({ flags, client, out }) =>
    out.show(await client.webhooks.list(given(flags)), (page) =>
      pageText(out, page, ['webhook', 'url', 'events', 'about', 'condition', 'enabled', 'reason'], (one) => [
        one.webhook_id,
        one.url,
        one.events.join(', '),
        one.state_id ?? one.root_session_id ?? one.schema_name,
        one.when !== null,
        one.enabled,
        one.disabled_reason,
      ]),
    ),
});

const get = clientCommand({
  usage: 'get <webhook>',
  summary: 'print a webhook',
  examples: ['countersign webhook get whk_1'],
  run: async ({ arg, client, out }) =>
    out.show(await client.webhooks.get(arg(0)), (one) => webhookText(out, one)),
});

const remove = clientCommand({
  usage: 'remove <webhook>',
  summary: 'remove a webhook with its deliveries',
  examples: ['countersign webhook remove whk_1'],
  run: async ({ arg, client, out }) =>
    out.show(await client.webhooks.remove(arg(0)), () => `${arg(0)} is removed.\n`),
});

const enable = clientCommand({
  usage: 'enable <webhook>',
  summary: 'enable a disabled webhook',
  examples: ['countersign webhook enable whk_1'],
  run: async ({ arg, client, out }) =>
    out.show(await client.webhooks.enable(arg(0)), (one) => webhookText(out, one)),
});

const disable = clientCommand({
  usage: 'disable <webhook>',
  summary: 'disable a webhook until it is enabled',
  flags: reasonFlags,
  examples: ['countersign webhook disable whk_1 --reason "moves to another host"'],
  run: async ({ flags, arg, client, out }) =>
    out.show(await client.webhooks.disable(arg(0), given(flags)), (one) => webhookText(out, one)),
});

const deliveries = clientCommand({
  usage: 'deliveries <webhook>',
  summary: 'list what a webhook was sent, or is to be, newest first',
  flags: { status: choiceFlag('--status <status>', 'only those', DeliveryStatus.enum), ...pageFlags },
  examples: ['countersign webhook deliveries whk_1 --status dead'],
  run: async ({ flags, arg, client, out }) =>
    out.show(await client.webhooks.deliveries(arg(0), given(flags)), (page) =>
      pageText(
        out,
        page,
        ['delivery', 'type', 'version', 'status', 'attempts', 'last', 'created', 'next', 'reason'],
        (one) => [
          one.delivery_id,
          one.type,
          one.version,
          one.status,
          one.attempts.at(-1)?.attempt ?? 0,
          lastOf(one),
          time(one.created_at),
          time(one.next_attempt_at),
          one.reason,
        ],
      ),
    ),
});

const redeliver = clientCommand({
  usage: 'redeliver <webhook> <delivery>',
  summary: 'send an ended delivery once more',
  flags: reasonFlags,
  examples: ['countersign webhook redeliver whk_1 dlv_1'],
  run: async ({ flags, arg, client, out }) =>
    out.show(await client.webhooks.redeliver(arg(0), arg(1), given(flags)), (one) =>
      record(out.style, [
        ['delivery', one.delivery_id],
        ['status', one.status],
        ['next attempt', time(one.next_attempt_at)],
      ]),
    ),
});

function eventOf(text: string): (typeof EVENTS)[number] {
  const event = EVENTS.find((one) => one === text);
  if (event === undefined) throw new UsageError(`--event needs one of ${EVENTS.join(', ')}, not '${text}'`);
  return event;
}

function lastOf({ attempts }: DeliveryView): string | number | null {
  const last = attempts.at(-1);
  return last === undefined ? null : (last.status ?? last.error);
}

function webhookText(out: Output, webhook: WebhookView, secret?: string): string {
  return record(out.style, [
    ['webhook', webhook.webhook_id],
    ['url', webhook.url],
    ['secret', secret],
    ['events', webhook.events.join(', ')],
    ['state', webhook.state_id ?? undefined],
    ['root', webhook.root_session_id ?? undefined],
    ['schema', webhook.schema_name ?? undefined],
    ['when', webhook.when === null ? undefined : JSON.stringify(webhook.when)],
    ['enabled', webhook.enabled],
    ['reason', webhook.disabled_reason ?? undefined],
    ['created', time(webhook.created_at)],
  ]);
}

export const webhookCommands: readonly CommandSpec[] = [
  add,
  list,
  get,
  remove,
  enable,
  disable,
  deliveries,
  redeliver,
];
