// The records that were loaded for a decision, by their ids. Loading adds to them.
import type { Damage } from '../domain/damage/damage.js';
import type {
  Callback,
  Run,
  Runner,
  StateHead,
  Token,
  Tree,
  Webhook,
  WebhookDelivery,
  WebhookDestination,
  WorkflowSchema,
} from '../domain/records/records.js';
import type { Receipt } from '../domain/transactions/idempotency.js';
import type { LoadedRecords, SessionAggregate } from '../domain/transactions/loaded-records.js';

export class RecordMaps implements LoadedRecords {
  readonly trees = new Map<string, Tree>();
  readonly aggregates = new Map<string, SessionAggregate>();
  readonly states = new Map<string, StateHead>();
  readonly runs = new Map<string, Run>();
  mended: readonly Damage[] = [];
  claimable: readonly Run[] = [];
  readonly runners = new Map<string, Runner>();
  readonly callbacks = new Map<string, Callback>();
  readonly sessionIds = new Map<string, string>();
  readonly receipts = new Map<string, Receipt>();
  readonly schemas = new Map<string, WorkflowSchema>();
  readonly schemaUses = new Map<string, number>();
  readonly schemaNames = new Map<string, string>();
  readonly sessionCounts = new Map<string, number>();
  readonly schemasOwned = new Map<string, number>();
  readonly tokens = new Map<string, Token>();
  readonly webhooks = new Map<string, Webhook>();
  readonly deliveries = new Map<string, WebhookDelivery>();
  readonly destinations = new Map<string, WebhookDestination>();
}
