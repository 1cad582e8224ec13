// Creates the deliveries for what a decision writes, in the same changeset: either both are on disk or neither is.
import type { Change, Changeset, Put } from '../transactions/changeset.js';
import type { UnitOfWork } from '../transactions/unit-of-work.js';
import type { JsonObject } from '../json/json.js';
import type { DomainEvent, DomainEventKind } from '../streams/domain-events.js';
import type { StateHead, Webhook, WebhookDelivery, WebhookEventType } from '../records/records.js';
import { bodyOf, stateData } from './message.js';

/** An event that webhooks can subscribe to. */
interface News {
  readonly type: WebhookEventType;
  readonly rootSessionId: string;
  /** Set if the event is about a state. */
  readonly state: { readonly stateId: string; readonly schemaId: string; readonly version: number } | null;
  readonly data: JsonObject;
}

/** The changes of the decision, with a delivery for each matching webhook. */
export function withDeliveries(unit: UnitOfWork): Changeset {
  const changes = unit.changes();
  const webhooks = changes.length === 0 ? [] : unit.context.webhooks();
  if (webhooks.length === 0) return changes;
  const told = changes.map((change) => newsOf(unit, changes, change)).filter((news) => news !== null);
  if (webhooks.some(({ schemaName }) => schemaName !== null)) needSchemaNames(unit, told);
  const deliveries: Put[] = [];
  for (const news of told) {
    const concerned = webhooks.filter((webhook) => concerns(unit, webhook, news));
    if (concerned.length === 0) continue;
    const body = bodyOf(news.type, unit.now, news.data);
    for (const webhook of concerned) deliveries.push(delivery(unit, webhook, news, body));
  }
  return deliveries.length === 0 ? changes : [...changes, ...deliveries];
}

/**
 * Requests all names together, because a decision may request more records only a few times, and can be about
 * many states.
 */
function needSchemaNames(unit: UnitOfWork, told: readonly News[]): void {
  const ids = new Set<string>();
  for (const { state } of told) if (state !== null) ids.add(state.schemaId);
  unit.need(...[...ids].map((schemaId) => ({ load: 'schemaOf', schemaId }) as const));
}

function delivery(unit: UnitOfWork, webhook: Webhook, news: News, body: string): Put {
  const checked = webhook.when === null || news.type === 'workflow_state_deleted';
  const record: WebhookDelivery = {
    deliveryId: unit.context.newId('dlv'),
    webhookId: webhook.webhookId,
    callbackId: null,
    rootSessionId: news.rootSessionId,
    origin: webhook.origin,
    type: news.type,
    stateId: news.state?.stateId ?? null,
    version: news.state?.version ?? null,
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

function concerns(unit: UnitOfWork, webhook: Webhook, news: News): boolean {
  if (!isAskedFor(webhook, news.type)) return false;
  if (webhook.rootSessionId !== null && webhook.rootSessionId !== news.rootSessionId) return false;
  // A webhook of a state also gets the sessions and runs of its tree, but not another state of that tree after
  // a deletion.
  if (webhook.stateId !== null && news.state !== null && webhook.stateId !== news.state.stateId) return false;
  if (webhook.schemaName === null) return true;
  if (news.state === null) return false;
  return unit.records.schemaNames.get(news.state.schemaId) === webhook.schemaName;
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

function newsOf(unit: UnitOfWork, changes: Changeset, change: Change): News | null {
  if ('remove' in change) return null;
  if (change.put === 'notice') return ofNotice(unit, change.record);
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

function ofNotice({ records }: UnitOfWork, { kind, subjectId, rootSessionId, facts }: DomainEvent): News {
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
