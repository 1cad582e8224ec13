// The tables of the service itself, and of webhooks. See sessions.ts for the order of columns.
import type * as records from '../../domain/records/records.js';
import type { Receipt } from '../../domain/records/records.js';
import * as forms from '../rows/forms.js';
import { ANY_JSON, TEXT_LIST } from '../rows/values.js';
import { index, uniqueIndex, type Columns, type ColumnTypes } from './declare.js';

export const runners = <D extends ColumnTypes>(c: Columns<D>) => ({
  name: 'runners' as const,
  columns: {
    runnerId: c.text('runner_id'),
    hostname: c.text('hostname'),
    projectDir: c.nullable.text('project_dir'),
    executorTypes: c.json<records.Runner['executorTypes']>('executor_types', TEXT_LIST),
    tags: c.json<records.Runner['tags']>('tags', TEXT_LIST),
    concurrentMax: c.count('concurrent_max'),
    lastSeenAt: c.time('last_seen_at'),
    createdAt: c.time('created_at'),
    revision: c.revision('revision'),
  },
  indices: [uniqueIndex('runners_id', ['runnerId'])],
});

export const tokens = <D extends ColumnTypes>(c: Columns<D>) => ({
  name: 'tokens' as const,
  columns: {
    tokenId: c.text('token_id'),
    name: c.text('name'),
    role: c.oneOf('role', forms.ROLES, null),
    hash: c.text('hash'),
    createdAt: c.time('created_at'),
    revokedAt: c.nullable.time('revoked_at'),
    revision: c.revision('revision'),
  },
  indices: [uniqueIndex('tokens_id', ['tokenId']), uniqueIndex('tokens_hash', ['hash'])],
});

/** Idempotency records: requests with an idempotency key, and their stored answers. */
export const receipts = <D extends ColumnTypes>(c: Columns<D>) => ({
  name: 'receipts' as const,
  columns: {
    receiptId: c.text('receipt_id'),
    rootSessionId: c.nullable.text('root_session_id'),
    fingerprint: c.text('fingerprint'),
    createdAt: c.time('created_at'),
    value: c.nullable.json<Receipt['value']>('value', ANY_JSON),
  },
  indices: [uniqueIndex('receipts_id', ['receiptId']), index('receipts_age', ['createdAt'])],
});

export const webhooks = <D extends ColumnTypes>(c: Columns<D>) => ({
  name: 'webhooks' as const,
  columns: {
    webhookId: c.text('webhook_id'),
    url: c.url('url'),
    origin: c.text('origin'),
    events: c.json<records.Webhook['events']>('events', forms.EVENTS),
    rootSessionId: c.nullable.text('root_session_id'),
    stateId: c.nullable.text('state_id'),
    schemaName: c.nullable.text('schema_name'),
    secret: c.text('secret'),
    enabled: c.flag('enabled'),
    disabledReason: c.nullable.text('disabled_reason'),
    createdAt: c.time('created_at'),
    updatedAt: c.time('updated_at'),
    revision: c.revision('revision'),
    ownerSessionId: c.nullable.text('owner_session_id'),
    when: c.nullable.json<NonNullable<records.Webhook['when']>>('condition', forms.CONDITION),
  },
  indices: [uniqueIndex('webhooks_id', ['webhookId'])],
});

export const deliveries = <D extends ColumnTypes>(c: Columns<D>) => ({
  name: 'webhook_deliveries' as const,
  columns: {
    deliveryId: c.text('delivery_id'),
    webhookId: c.nullable.text('webhook_id'),
    callbackId: c.nullable.text('callback_id'),
    rootSessionId: c.text('root_session_id'),
    origin: c.text('origin'),
    type: c.oneOf('type', forms.MESSAGE_TYPES, 'callback'),
    stateId: c.nullable.text('state_id'),
    version: c.nullable.count('version'),
    status: c.oneOf('status', forms.WEBHOOK_STATUSES, 'pending'),
    attempt: c.count('attempt'),
    failures: c.count('failures'),
    dueAt: c.nullable.time('due_at'),
    expiresAt: c.time('expires_at'),
    reason: c.nullable.text('reason'),
    createdAt: c.time('created_at'),
    endedAt: c.nullable.time('ended_at'),
    revision: c.revision('revision'),
    attempts: c.json<records.WebhookDelivery['attempts']>('attempts', forms.DELIVERY_ATTEMPTS),
    body: c.text('body'),
  },
  indices: [
    uniqueIndex('webhook_deliveries_id', ['deliveryId']),
    index('webhook_deliveries_webhook', ['webhookId', 'status']),
    index('webhook_deliveries_status', ['status']),
    // By origin first: an origin that does not respond is skipped at once, with all its waiting deliveries.
    index('webhook_deliveries_due', ['origin', 'dueAt'], 'due_at is not null'),
    index('webhook_deliveries_ended', ['endedAt'], 'ended_at is not null'),
  ],
});

/** The circuit breakers of destinations. */
export const destinations = <D extends ColumnTypes>(c: Columns<D>) => ({
  name: 'webhook_destinations' as const,
  columns: {
    origin: c.text('origin'),
    status: c.oneOf('status', forms.BREAKER_STATUSES, 'closed'),
    failures: c.count('failures'),
    opens: c.count('opens'),
    until: c.nullable.time('until'),
    updatedAt: c.time('updated_at'),
    revision: c.revision('revision'),
  },
  indices: [uniqueIndex('webhook_destinations_origin', ['origin'])],
});
