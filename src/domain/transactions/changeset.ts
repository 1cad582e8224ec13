// What a decision gives to the store: plain data, written as a whole or not at all.
import type { DomainEvent } from '../records/domain-event.js';
import type {
  Receipt,
  Callback,
  Completion,
  Run,
  Runner,
  Session,
  StateEvent,
  StateHead,
  StateSnapshot,
  Token,
  Tree,
  Webhook,
  WebhookDelivery,
  WebhookDestination,
  WorkflowArchive,
  WorkflowSchema,
} from '../records/records.js';
import type { ReadCursor } from '../records/read-cursor.js';

/** Records that change over time. Revision 1 is an insert; revision r + 1 replaces exactly revision r. */
export interface MutableRecords {
  schema: WorkflowSchema;
  state: StateHead;
  session: Session;
  completion: Completion;
  run: Run;
  runner: Runner;
  callback: Callback;
  tree: Tree;
  token: Token;
  webhook: Webhook;
  delivery: WebhookDelivery;
  destination: WebhookDestination;
}

/** Records that are written once. */
export interface ImmutableRecords {
  event: StateEvent;
  snapshot: StateSnapshot;
  /** Comes after the events of its changeset. */
  notice: DomainEvent;
  receipt: Receipt;
  archive: WorkflowArchive;
}

/** Records without a history: a put replaces the stored record. */
interface ReplacedRecords {
  readCursor: ReadCursor;
}

type Records = MutableRecords & ImmutableRecords & ReplacedRecords;

/** One record to write. */
export type Put = {
  [kind in keyof Records]: { readonly put: kind; readonly record: Records[kind] };
}[keyof Records];

/**
 * One record to remove. Removing a state also removes its events, snapshots, archives and read cursors;
 * removing a webhook also removes its deliveries.
 */
export interface Remove {
  readonly remove: 'state' | 'schema' | 'runner' | 'webhook' | 'delivery';
  readonly id: string;
}

export type Change = Put | Remove;

/** In the order of the decisions; each record at most once. */
export type Changeset = readonly Change[];
