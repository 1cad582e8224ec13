// The records that a decision reads. They are loaded in the same transaction that writes its changes.
import type { Damage } from '../damage/damage.js';
import type { Changeset } from './changeset.js';
import type {
  Receipt,
  ReceiptKey,
  Callback,
  Completion,
  Run,
  Runner,
  Session,
  StateHead,
  Token,
  Tree,
  Webhook,
  WebhookDelivery,
  WebhookDestination,
  WorkflowSchema,
} from '../records/records.js';

/** A session with all records that affect its progress. */
export interface SessionAggregate {
  readonly session: Session;
  /** Completions of the session's generation and of later ones, oldest first. */
  readonly completions: readonly Completion[];
  /** Runs that have not ended, oldest first. */
  readonly runs: readonly Run[];
  /**
   * Callbacks addressed to the session that are held or queued, or delivered by a run that has not ended;
   * oldest first.
   */
  readonly inbox: readonly Callback[];
  /** The callback of each of those completions, if the parent asked for one. */
  readonly outbox: readonly Callback[];
}

/** What to load. A request for a missing record is no error: the loaded records then lack it. */
export type LoadRequest =
  /** A session by id, with its ancestors up to the root, and the tree. */
  | { readonly load: 'aggregate'; readonly sessionId: string }
  /** The same for a session with this id or name; the id takes precedence. A deleted session is found by its id. */
  | { readonly load: 'aggregateNamed'; readonly idOrName: string }
  /**
   * Every session of a tree whose completion (of its present generation) is not released, or is pending again, with
   * their ancestors. Those with a damaged record are left out.
   */
  | { readonly load: 'openAggregates'; readonly rootSessionId: string }
  /** A run, ended or not, and the session aggregate of its session. */
  | { readonly load: 'run'; readonly runId: string }
  /** A callback, and the session aggregates of its parent and its child. */
  | { readonly load: 'callback'; readonly callbackId: string }
  /** Callbacks that a session has pulled and not acknowledged, oldest first. */
  | { readonly load: 'handed'; readonly sessionId: string; readonly callbacksMax: number }
  | { readonly load: 'runner'; readonly runnerId: string }
  /** A tree, and the head of its state. A damaged head is left out. */
  | { readonly load: 'treeState'; readonly rootSessionId: string }
  /** Head of a state and its tree. */
  | { readonly load: 'state'; readonly stateId: string }
  /** The record of a request with an idempotency key. */
  | ({ readonly load: 'receipt' } & ReceiptKey)
  /** The newest version of a schema name, and the version with this content. */
  | { readonly load: 'schemaName'; readonly name: string; readonly hash: string }
  /** Number of sessions of a tree, including deleted ones. */
  | { readonly load: 'sessionCount'; readonly rootSessionId: string }
  /** Number of schema versions that belong to a tree. */
  | { readonly load: 'schemasOwned'; readonly rootSessionId: string }
  /** One schema version, and how many states use it or have it in their history. */
  | { readonly load: 'schemaVersion'; readonly name: string; readonly version: number }
  /** The name of a schema, by the id of one of its versions. */
  | { readonly load: 'schemaOf'; readonly schemaId: string }
  /**
   * Repairs a damaged record, or all damaged records of a tree that is not over, before anything else is
   * loaded. Each damaged value is replaced with a neutral one, and what refers to a missing session ends. Only
   * for decisions that put damaged records aside.
   */
  | {
      readonly load: 'repaired';
      readonly kind: 'tree' | 'delivery' | 'webhooks' | 'destination';
      readonly id: string;
      readonly now: number;
    }
  /** Every token, revoked ones too. */
  | { readonly load: 'tokens' }
  /** Every webhook. */
  | { readonly load: 'webhooks' }
  /** A delivery, its webhook if it has one, and the circuit breaker of its origin. */
  | { readonly load: 'delivery'; readonly deliveryId: string }
  /**
   * Candidates for a runner, oldest first. A store that others write too may put those first whose tree nobody is changing,
   * and keep others from changing it. It may leave out runs that the rule of `claim` would refuse, such as
   * those of a session with a run in progress, so that they do not displace others. It leaves out no run that the rule
   * would assign.
   */
  | {
      readonly load: 'claimable';
      readonly now: number;
      readonly hostname: string;
      readonly executorTypes: readonly string[];
      readonly tags: readonly string[];
      readonly runsMax: number;
      /** How many of them are claimed at most. */
      readonly claimsMax: number;
      /** Leaves out runs whose session cannot be loaded. Costs a look-up for each. */
      readonly onlySound: boolean;
    };

/** The loaded records, by id. */
export interface LoadedRecords {
  readonly trees: ReadonlyMap<string, Tree>;
  readonly aggregates: ReadonlyMap<string, SessionAggregate>;
  readonly states: ReadonlyMap<string, StateHead>;
  /** Runs requested by id, ended or not. */
  readonly runs: ReadonlyMap<string, Run>;
  /** Result of `repaired`: what was damaged. */
  readonly repaired: readonly Damage[];
  /** Result of `claimable`. */
  readonly claimable: readonly Run[];
  readonly runners: ReadonlyMap<string, Runner>;
  readonly callbacks: ReadonlyMap<string, Callback>;
  /** Session ids by every requested name. */
  readonly sessionIds: ReadonlyMap<string, string>;
  readonly receipts: ReadonlyMap<string, Receipt>;
  /** By schema id. */
  readonly schemas: ReadonlyMap<string, WorkflowSchema>;
  /** Number of states that use or used a schema, by schema id, after a request `schemaVersion`. */
  readonly schemaUses: ReadonlyMap<string, number>;
  /** By schema id, after a request `schemaOf`. */
  readonly schemaNames: ReadonlyMap<string, string>;
  /** By root session, after a request `sessionCount`. */
  readonly sessionCounts: ReadonlyMap<string, number>;
  /** By root session, after a request `schemasOwned`. */
  readonly schemasOwned: ReadonlyMap<string, number>;
  readonly tokens: ReadonlyMap<string, Token>;
  readonly webhooks: ReadonlyMap<string, Webhook>;
  readonly deliveries: ReadonlyMap<string, WebhookDelivery>;
  /** By origin. */
  readonly destinations: ReadonlyMap<string, WebhookDestination>;
}

/** The result of a decision. */
interface Made<T> {
  readonly changes: Changeset;
  readonly value: T;
  /** True if the decision has to be made again: nothing of it is written, and the repairs of `repaired` are undone. */
  readonly again?: boolean;
}

/** A decision: the changes and the answer, or what else has to be loaded first. */
export type Decision<T> = Made<T> | { readonly more: readonly LoadRequest[] };

/** Pure and synchronous, so it may run repeatedly. */
export type Decide<T> = (records: LoadedRecords) => Decision<T>;

/** The list with a record replaced, or with a new one at its end. */
export function withRecord<T>(list: readonly T[], record: T, same: (one: T) => boolean): readonly T[] {
  const at = list.findLastIndex(same);
  return at < 0 ? [...list, record] : list.with(at, record);
}
