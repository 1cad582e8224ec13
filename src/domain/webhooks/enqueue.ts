// Creates the deliveries for what a decision writes, in the same changeset: either both are on disk or neither is.
import type { Change, Changeset, Put } from '../transactions/changeset.js';
import type { UnitOfWork } from '../transactions/unit-of-work.js';
import type { JsonObject } from '../json/json.js';
import type { DomainEvent, DomainEventKind } from '../records/domain-event.js';
import type { StateHead, Webhook, WebhookDelivery, WebhookEventType } from '../records/records.js';
import { bodyOf, stateData } from './message.js';

/** An event that webhooks can subscribe to. */
interface WebhookEvent {
  readonly type: WebhookEventType;
  readonly rootSessionId: string;
  /** Set if the event is about a state. */
  readonly state: { readonly stateId: string; readonly schemaId: string; readonly version: number } | null;
  readonly data: JsonObject;
}

/** The changes of the decision and their domain events, with a delivery for each matching webhook. */
export function withDeliveries(unit: UnitOfWork, changes: Changeset): Changeset {
  const webhooks = changes.length === 0 ? [] : unit.context.webhooks();
  if (webhooks.length === 0) return changes;
  const events = changes.map((change) => eventOf(unit, changes, change)).filter((event) => event !== null);
  if (webhooks.some(({ schemaName }) => schemaName !== null)) needSchemaNames(unit, events);
  const deliveries: Put[] = [];
  for (const event of events) {
    const subscribed = webhooks.filter((webhook) => isSubscribed(unit, webhook, event));
    if (subscribed.length === 0) continue;
    const body = bodyOf(event.type, unit.now, event.data);
    for (const webhook of subscribed) deliveries.push(delivery(unit, webhook, event, body));
  }
  return deliveries.length === 0 ? changes : [...changes, ...deliveries];
}

/**
 * Requests all names together, because a decision may request more records only a few times, and can be about
 * many states.
 */
function needSchemaNames(unit: UnitOfWork, events: readonly WebhookEvent[]): void {
  const ids = new Set<string>();
  for (const { state } of events) if (state !== null) ids.add(state.schemaId);
  unit.need(...[...ids].map((schemaId) => ({ load: 'schemaOf', schemaId }) as const));
}

function delivery(unit: UnitOfWork, webhook: Webhook, event: WebhookEvent, body: string): Put {
  const checked = webhook.when === null || event.type === 'workflow_state_deleted';
  const record: WebhookDelivery = {
    deliveryId: unit.context.newId('dlv'),
    webhookId: webhook.webhookId,
    callbackId: null,
    rootSessionId: event.rootSessionId,
    origin: webhook.origin,
    type: event.type,
    stateId: event.state?.stateId ?? null,
    version: event.state?.version ?? null,
    status: checked ? 'pending' : 'checking',
    attempt: 0,
    failures: 0,
    attempts: [],
    dueAt: checked ? unit.now : null,
    expiresAt: unit.now + unit.context.limits.webhookRetryForMs,
    reason: null,
    createdAt: unit.now,
    endedAt: null,
    revision: 1,
    body,
  };
  return { put: 'delivery', record };
}

function isSubscribed(unit: UnitOfWork, webhook: Webhook, event: WebhookEvent): boolean {
  if (!isAskedFor(webhook, event.type)) return false;
  if (webhook.rootSessionId !== null && webhook.rootSessionId !== event.rootSessionId) return false;
  // A webhook of a state also gets the sessions and runs of its tree, but not another state of that tree after
  // a deletion.
  if (webhook.stateId !== null && event.state !== null && webhook.stateId !== event.state.stateId)
    return false;
  if (webhook.schemaName === null) return true;
  if (event.state === null) return false;
  return unit.records.schemaNames.get(event.state.schemaId) === webhook.schemaName;
}

/** A condition can begin to hold with the first version or any later one. */
function isAskedFor(webhook: Webhook, type: WebhookEventType): boolean {
  if (webhook.events.includes(type)) return true;
  const version = type === 'workflow_state_created' || type === 'workflow_state_updated';
  return webhook.when !== null && version;
}

const TYPES: Readonly<Record<DomainEventKind, WebhookEventType>> = {
  state: 'workflow_state_deleted',
  session: 'session_updated',
  run: 'run_updated',
  completion: 'completion_updated',
  callback: 'callback_updated',
};

function eventOf(unit: UnitOfWork, changes: Changeset, change: Change): WebhookEvent | null {
  if ('remove' in change) return null;
  if (change.put === 'notice') return ofDomainEvent(unit, change.record);
  if (change.put !== 'event') return null;
  const { record } = change;
  const { stateId, rootSessionId, version } = record;
  const schemaId = headOf(unit, changes, stateId)?.schemaId ?? '';
  return {
    type: version === 1 ? 'workflow_state_created' : 'workflow_state_updated',
    rootSessionId,
    state: { stateId, schemaId, version },
    data: stateData(record, unit.context.limits),
  };
}

function ofDomainEvent(
  { records }: UnitOfWork,
  { kind, subjectId, rootSessionId, facts }: DomainEvent,
): WebhookEvent {
  const head = kind === 'state' ? records.states.get(subjectId) : undefined;
  if (head === undefined) return { type: TYPES[kind], rootSessionId, state: null, data: facts };
  const { stateId, schemaId, version } = head;
  return {
    type: TYPES[kind],
    rootSessionId,
    state: { stateId, schemaId, version },
    data: { ...facts, version },
  };
}

function headOf(unit: UnitOfWork, changes: Changeset, stateId: string): StateHead | undefined {
  for (const change of changes) {
    if ('put' in change && change.put === 'state' && change.record.stateId === stateId) return change.record;
  }
  return unit.records.states.get(stateId);
}
