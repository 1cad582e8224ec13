// Wire contract of webhooks and their deliveries.
import { Type, type Static } from 'typebox';
import { closed, JsonRecord, Nullable, pageQuery, Timestamp, Version } from './common.js';
import { condition } from './states/patches.js';
import { SchemaName } from './schemas.js';

export const WebhookEvent = Type.Enum([
  'workflow_state_created',
  'workflow_state_updated',
  'workflow_state_deleted',
  'session_updated',
  'run_updated',
  'completion_updated',
  'callback_updated',
]);

export const WebhookUrl = Type.String({
  minLength: 1,
  maxLength: 2048,
  description: 'A URL to be called over TLS',
});
/** A signing secret of 24 to 64 bytes, as Standard Webhooks defines it. */
export const WebhookSecret = Type.String({
  pattern: '^whsec_[A-Za-z0-9+/]{32,88}={0,2}$',
  description: 'whsec_ and a key of 24 to 64 bytes in base64',
});

export const WebhookCreate = Type.Object(
  {
    url: WebhookUrl,
    events: Type.Array(WebhookEvent, { minItems: 1, maxItems: 7, uniqueItems: true }),
    state_id: Type.Optional(Type.String({ maxLength: 128 })),
    root_session: Type.Optional(Type.String({ maxLength: 128 })),
    schema_name: Type.Optional(SchemaName),
    when: Type.Optional(condition('The documents that it is told of')),
    secret: Type.Optional(WebhookSecret),
  },
  closed,
);
export type WebhookCreate = Static<typeof WebhookCreate>;

const webhook = {
  webhook_id: Type.String(),
  url: Type.String(),
  events: Type.Array(WebhookEvent),
  state_id: Nullable(Type.String()),
  root_session_id: Nullable(Type.String()),
  schema_name: Nullable(Type.String()),
  when: Nullable(JsonRecord),
  enabled: Type.Boolean(),
  disabled_reason: Nullable(Type.String()),
  created_at: Timestamp,
  updated_at: Timestamp,
};
export const WebhookView = Type.Object(webhook);
export type WebhookView = Static<typeof WebhookView>;

/** The reply to the creation of a webhook. Only this reply contains the secret. */
export const WebhookCreated = Type.Object({ ...webhook, secret: Type.String() });
export type WebhookCreated = Static<typeof WebhookCreated>;

export const WebhookListQuery = Type.Object(pageQuery, closed);
export type WebhookListQuery = Static<typeof WebhookListQuery>;

export const DeliveryStatus = Type.Enum(['checking', 'pending', 'sending', 'delivered', 'dead']);

export const DeliveryAttemptView = Type.Object({
  attempt: Type.Integer(),
  at: Timestamp,
  duration_ms: Type.Integer(),
  status: Nullable(Type.Integer()),
  error: Nullable(Type.String()),
  response: Nullable(Type.String()),
});

export const DeliveryView = Type.Object({
  delivery_id: Type.String(),
  webhook_id: Nullable(Type.String()),
  type: Type.String(),
  state_id: Nullable(Type.String()),
  version: Nullable(Version),
  status: DeliveryStatus,
  attempts: Type.Array(DeliveryAttemptView),
  next_attempt_at: Nullable(Timestamp),
  reason: Nullable(Type.String()),
  created_at: Timestamp,
  ended_at: Nullable(Timestamp),
});
export type DeliveryView = Static<typeof DeliveryView>;

export const DeliveryListQuery = Type.Object({ ...pageQuery, status: Type.Optional(DeliveryStatus) }, closed);
export type DeliveryListQuery = Static<typeof DeliveryListQuery>;
