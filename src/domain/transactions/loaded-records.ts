// What a decision looks at: the records that belong together, loaded before it, in one transaction with what it writes.
import type { Damage } from '../damage/damage.js';
import type { Receipt } from './idempotency.js';
import type { Changeset } from './changeset.js';
import type {
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

/** A session with everything that bears on what becomes of it. */
export interface SessionAggregate {
  readonly session: Session;
  /** Completions of the session's generation and of later ones, oldest first. */
  readonly completions: readonly Completion[];
  /** Runs that have not ended, oldest first. */
  readonly runs: readonly Run[];
  /** Callbacks addressed to the session that are held or queued, or delivered by a run that has not ended; oldest first. */
  readonly inbox: readonly Callback[];
  /** The callback of each of those completions, where the parent asked for one. */
  readonly outbox: readonly Callback[];
}

/** What to load. Asking for what is not there is no error: it is then missing from the family. */
export type LoadRequest =
  /** A session by id, with its ancestors up to the root, and the tree. */
  | { readonly want: 'desk'; readonly sessionId: string }
  /** A session that has an id or a name, as above; the id wins. */
  | { readonly want: 'deskNamed'; readonly idOrName: string }
  /** Every session of a tree whose completion (of its present generation) is not released, with their ancestors. */
  | { readonly want: 'openDesks'; readonly rootSessionId: string }
  /** A run, ended or not, and the desk of its session. */
  | { readonly want: 'run'; readonly runId: string }
  /** A callback, and the desks of its parent and its child. */
  | { readonly want: 'callback'; readonly callbackId: string }
  /** Callbacks that a session has pulled and not acknowledged, oldest first. */
  | { readonly want: 'handed'; readonly sessionId: string; readonly callbacksMax: number }
  | { readonly want: 'runner'; readonly runnerId: string }
  /** Head of a state and its tree. */
  | { readonly want: 'state'; readonly stateId: string }
  /** What is remembered of a request with an idempotency key. */
  | { readonly want: 'receipt'; readonly receiptId: string }
  /** The newest version of a schema name, and the version with this content. */
  | { readonly want: 'schemaName'; readonly name: string; readonly hash: string }
  /** How many sessions a tree has, deleted ones too. */
  | { readonly want: 'sessionCount'; readonly rootSessionId: string }
  /** How many schema versions belong to a tree. */
  | { readonly want: 'schemasOwned'; readonly rootSessionId: string }
  /** One schema version, and how many states are on it or were in their history. */
  | { readonly want: 'schemaVersion'; readonly name: string; readonly version: number }
  /** The name of a schema, by the id of one of its versions. */
  | { readonly want: 'schemaOf'; readonly schemaId: string }
  /**
   * Makes a damaged record usable, or all of a tree that is not over, before anything else is loaded: a neutral value
   * takes the place of each that is damaged, and what refers to a session that is not there ends. For decisions that put
   * aside what is damaged, and no others.
   */
  | {
      readonly want: 'mended';
      readonly kind: 'tree' | 'delivery' | 'webhooks' | 'destination';
      readonly id: string;
      readonly now: number;
    }
  /** Every token, revoked ones too. */
  | { readonly want: 'tokens' }
  /** Every webhook. */
  | { readonly want: 'webhooks' }
  /** A delivery, its webhook where it has one, and the circuit breaker of where it goes. */
  | { readonly want: 'delivery'; readonly deliveryId: string }
  /**
   * Candidates for a runner, oldest first. The store may leave out runs that the rule of `claim` would not hand out, such
   * as those of a session with a run under way, so that they do not take the places of others. It leaves out no run that
   * the rule would hand out.
   */
  | {
      readonly want: 'claimable';
      readonly now: number;
      readonly hostname: string;
      readonly executorTypes: readonly string[];
      readonly tags: readonly string[];
      readonly runsMax: number;
      /** Leaves out runs whose session cannot be loaded. Costs a look at each. */
      readonly onlySound: boolean;
    };

/** The loaded records, by id. */
export interface LoadedRecords {
  readonly trees: ReadonlyMap<string, Tree>;
  readonly desks: ReadonlyMap<string, SessionAggregate>;
  readonly states: ReadonlyMap<string, StateHead>;
  /** Runs asked for by id, ended or not. */
  readonly runs: ReadonlyMap<string, Run>;
  /** Answer to `mended`: what was damaged. */
  readonly mended: readonly Damage[];
  /** Answer to `claimable`. */
  readonly claimable: readonly Run[];
  readonly runners: ReadonlyMap<string, Runner>;
  readonly callbacks: ReadonlyMap<string, Callback>;
  /** Session ids by every name that was asked for. */
  readonly sessionIds: ReadonlyMap<string, string>;
  readonly receipts: ReadonlyMap<string, Receipt>;
  /** By schema id. */
  readonly schemas: ReadonlyMap<string, WorkflowSchema>;
  /** Number of states that are or were on a schema, by schema id, where `schemaVersion` was asked for. */
  readonly schemaUses: ReadonlyMap<string, number>;
  /** By schema id, where `schemaOf` was asked for. */
  readonly schemaNames: ReadonlyMap<string, string>;
  /** By root session, where `sessionCount` was asked for. */
  readonly sessionCounts: ReadonlyMap<string, number>;
  /** By root session, where `schemasOwned` was asked for. */
  readonly schemasOwned: ReadonlyMap<string, number>;
  readonly tokens: ReadonlyMap<string, Token>;
  readonly webhooks: ReadonlyMap<string, Webhook>;
  readonly deliveries: ReadonlyMap<string, WebhookDelivery>;
  /** By origin. */
  readonly destinations: ReadonlyMap<string, WebhookDestination>;
}

/** A decision: what to write and what to answer, or what else has to be loaded before it can be made. */
export type Decision<T> =
  { readonly changes: Changeset; readonly value: T } | { readonly more: readonly LoadRequest[] };

/** A rule: pure and synchronous, so that it may be asked again. */
export type Decide<T> = (records: LoadedRecords) => Decision<T>;
