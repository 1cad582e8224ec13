// Tables of webhooks, their deliveries, and the circuit breakers of destinations.
import { sql } from 'drizzle-orm';
import { index, sqliteTable, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type * as records from '../../../domain/records/records.js';
import { count, flag, json, oneOf, sequenceNeverReused, text, time } from './columns.js';
import * as forms from '../../rows/forms.js';

export const webhooks = sqliteTable(
  'webhooks',
  {
    seq: sequenceNeverReused(),
    webhookId: text('webhook_id').notNull(),
    url: text('url').notNull(),
    origin: text('origin').notNull(),
    events: json('events', forms.EVENTS).$type<records.Webhook['events']>().notNull(),
    rootSessionId: text('root_session_id'),
    stateId: text('state_id'),
    schemaName: text('schema_name'),
    secret: text('secret').notNull(),
    enabled: flag('enabled').notNull(),
    disabledReason: text('disabled_reason'),
    createdAt: time('created_at').notNull(),
    updatedAt: time('updated_at').notNull(),
    revision: count('revision').notNull(),
    ownerSessionId: text('owner_session_id'),
    when: json('condition', forms.CONDITION).$type<NonNullable<records.Webhook['when']>>(),
  },
  (t) => [uniqueIndex('webhooks_id').on(t.webhookId)],
);

export const deliveries = sqliteTable(
  'webhook_deliveries',
  {
    seq: sequenceNeverReused(),
    deliveryId: text('delivery_id').notNull(),
    webhookId: text('webhook_id'),
    callbackId: text('callback_id'),
    rootSessionId: text('root_session_id').notNull(),
    origin: text('origin').notNull(),
    type: oneOf('type', forms.MESSAGE_TYPES, 'callback').notNull(),
    stateId: text('state_id'),
    version: count('version'),
    status: oneOf('status', forms.WEBHOOK_STATUSES, 'pending').notNull(),
    attempt: count('attempt').notNull(),
    failures: count('failures').notNull(),
    dueAt: time('due_at'),
    expiresAt: time('expires_at').notNull(),
    reason: text('reason'),
    createdAt: time('created_at').notNull(),
    endedAt: time('ended_at'),
    revision: count('revision').notNull(),
    attempts: json('attempts', forms.DELIVERY_ATTEMPTS)
      .$type<records.WebhookDelivery['attempts']>()
      .notNull(),
    body: text('body').notNull(),
  },
  (t) => [
    uniqueIndex('webhook_deliveries_id').on(t.deliveryId),
    index('webhook_deliveries_webhook').on(t.webhookId, t.status),
    index('webhook_deliveries_status').on(t.status),
    // By origin first: an origin that does not respond is skipped at once, with all its waiting deliveries.
    index('webhook_deliveries_due')
      .on(t.origin, t.dueAt)
      .where(sql`due_at is not null`),
    index('webhook_deliveries_ended')
      .on(t.endedAt)
      .where(sql`ended_at is not null`),
  ],
);

export const destinations = sqliteTable(
  'webhook_destinations',
  {
    seq: sequenceNeverReused(),
    origin: text('origin').notNull(),
    status: oneOf('status', forms.BREAKER_STATUSES, 'closed').notNull(),
    failures: count('failures').notNull(),
    opens: count('opens').notNull(),
    until: time('until'),
    updatedAt: time('updated_at').notNull(),
    revision: count('revision').notNull(),
  },
  (t) => [uniqueIndex('webhook_destinations_origin').on(t.origin)],
);
