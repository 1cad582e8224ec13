// What the service needs of a database. Implemented by `store/`, tested by `test/store/conformance.ts`.
import type { Changeset } from '../domain/transactions/changeset.js';
import type { Damage } from '../domain/damage/damage.js';
import type { Refusal } from '../domain/errors.js';
import type { Decide, LoadRequest } from '../domain/transactions/loaded-records.js';
import type { JsonObject } from '../domain/json/json.js';
import type { Receipt } from '../domain/transactions/idempotency.js';
import type { Compaction, HistoryRange } from '../domain/states/retention.js';
import type { WebhookReader } from './webhook-store.js';
import type {
  Callback,
  CallbackStatus,
  Completion,
  Delivery,
  ReadMark,
  Run,
  RunStatus,
  Runner,
  Session,
  SessionStatus,
  StateEvent,
  StateHead,
  StateSnapshot,
  Token,
  Tree,
  WorkflowSchema,
} from '../domain/records/records.js';
import type { FeedFilter, FeedPage, FeedPosition } from './feed.js';

/** Part of a list. `nextCursor` is opaque, `null` at the end. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}

export interface PageRequest {
  readonly limit: number;
  readonly cursor: string | null;
}

/** A cursor that this store did not give, or that belongs to another list. */
export class BadCursorError extends Error {
  override readonly name = 'BadCursorError';
}

/** Whether the transaction is on disk cannot be said: it broke off while it was being committed. */
export class CommitUnknownError extends Error {
  override readonly name = 'CommitUnknownError';
}

/** Codes of what keeps a database from being read or written. None of them is a bug. */
export type StorageCode = 'storage_full' | 'storage_busy' | 'storage_failed' | 'storage_lost';

/**
 * The database cannot be read or written now.
 *
 * - `storage_full`: it cannot grow. Nothing was written.
 * - `storage_busy`: another process held its write lock for too long. Nothing was written.
 * - `storage_failed`: an I/O error, or a damaged file. Nothing is acknowledged.
 * - `storage_lost`: the file at its path is not the one that was opened, or another coordinator has taken it over.
 *   Nothing is acknowledged.
 *
 * The message is a plain sentence for callers: no path, no secret. The cause is for the log.
 */
export class StorageError extends Error {
  override readonly name = 'StorageError';

  constructor(
    readonly code: StorageCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The refusal that callers get for what a store threw; `null` for any other error. */
export function storageRefusal(error: unknown): Refusal | null {
  if (error instanceof StorageError) return { error: error.code, detail: error.message, members: {} };
  if (error instanceof CommitUnknownError) {
    const detail = 'The database failed during the commit; whether the change was written is not known';
    return { error: 'storage_failed', detail, members: {} };
  }
  return null;
}

/** What a version is rebuilt from: the newest snapshot at or before it and the events after that, oldest first. */
export interface DocumentSource {
  readonly snapshot: StateSnapshot;
  readonly patchTexts: readonly string[];
  readonly version: number;
}

/** Something whose time has come. */
export type Due =
  | { readonly kind: 'run'; readonly runId: string; readonly rootSessionId: string }
  | { readonly kind: 'completion'; readonly sessionId: string; readonly rootSessionId: string };

/** Which notices may go: those beyond so many and those made before a time; and which receipts. */
export interface PruneBounds {
  readonly keptMax: number;
  readonly before: number;
  readonly receiptsBefore: number;
  /** Whose receipts are to be looked at, by what their ids begin with, and how many of them stay: the newest. */
  readonly receiptsOf?: { readonly owner: string; readonly keptMax: number };
  /** Of each kind, at once. */
  readonly rowsMax: number;
}

/** How much went. */
export interface Pruned {
  readonly events: number;
  readonly notices: number;
  /** By their age. */
  readonly receipts: number;
  /** Of `receiptsOf`, beyond what stays. */
  readonly receiptsOfOwner: number;
}

/** A broken promise that `countersign doctor` reports. */
export interface Finding {
  readonly check: string;
  readonly subject: string;
  readonly detail: string;
}

/**
 * Applies a patch, as JSON text, to a document; to none for the first version.
 *
 * @throws Error - It cannot be applied.
 */
export type ApplyPatchText = (document: JsonObject | null, patchText: string) => JsonObject;

export interface Reader {
  readonly webhooks: WebhookReader;
  session(idOrName: string): Promise<Session | null>;
  sessions(
    filter: { rootSessionId?: string; parentSessionId?: string; status?: SessionStatus },
    page: PageRequest,
  ): Promise<Page<Session>>;
  tree(rootSessionId: string): Promise<Tree | null>;
  /** The completion of a generation, of the session's present one by default. */
  completion(sessionId: string, generation?: number): Promise<Completion | null>;
  /** The present completions of a tree that are not released. */
  openCompletions(rootSessionId: string): Promise<readonly Completion[]>;
  receipt(receiptId: string): Promise<Receipt | null>;
  run(runId: string): Promise<Run | null>;
  runs(
    filter: { status?: RunStatus; sessionId?: string; rootSessionId?: string },
    page: PageRequest,
  ): Promise<Page<Run>>;
  /** What a session was asked to do, requests to record its result and callbacks aside: the first, and the last two. */
  workRuns(sessionId: string): Promise<readonly Run[]>;
  runner(runnerId: string): Promise<Runner | null>;
  runners(): Promise<readonly Runner[]>;
  /** Runs of a runner that have not ended. */
  runsOfRunner(runnerId: string): Promise<readonly Run[]>;
  callback(callbackId: string): Promise<Callback | null>;
  callbacks(
    filter: {
      status?: readonly CallbackStatus[];
      parentSessionId?: string;
      delivery?: Delivery;
      rootSessionId?: string;
    },
    page: PageRequest,
  ): Promise<Page<Callback>>;
  /** One version of a schema name, the newest by default. */
  schema(name: string, version?: number): Promise<WorkflowSchema | null>;
  schemaById(schemaId: string): Promise<WorkflowSchema | null>;
  /** The newest version of each name, or of one name; `reachableFrom`: of those that belong to this tree or to none. */
  schemas(
    filter: { name?: string; reachableFrom?: string },
    page: PageRequest,
  ): Promise<Page<WorkflowSchema>>;
  /** Newest first. */
  schemaVersions(name: string, page: PageRequest): Promise<Page<WorkflowSchema>>;
  state(stateId: string): Promise<StateHead | null>;
  states(
    filter: { rootSessionId?: string; schemaName?: string; updatedSince?: number; orphaned?: boolean },
    page: PageRequest,
  ): Promise<Page<StateHead>>;
  /** `null` where the state has not (or no longer) this version. The head's by default. */
  document(stateId: string, version?: number): Promise<DocumentSource | null>;
  /** The schema version that a state was on at a version; `null` where it is the one that it is on now. */
  schemaIdAt(stateId: string, version: number): Promise<string | null>;
  /** Events with a version above `since`, oldest first. Stops after `bytesMax` of patches, but gives at least one. */
  events(
    stateId: string,
    since: number,
    limit: number,
    bytesMax: number,
  ): Promise<{ events: readonly StateEvent[]; hasMore: boolean }>;
  /** The oldest version of a state that can be had: 1, or where its history was cut. */
  oldestVersion(stateId: string): Promise<number>;
  /**
   * What happened after a place, in the order of the commits. Stops after `limit` items or `bytesMax` of patches, but
   * gives at least one where there is one.
   */
  feed(after: FeedPosition, filter: FeedFilter, limit: number, bytesMax: number): Promise<FeedPage>;
  /**
   * How far histories reach, state by state in the order of their creation.
   *
   * @param agedBefore - Versions made before this time count as aged; 0 where age does not matter.
   */
  historyExtents(agedBefore: number, page: PageRequest): Promise<Page<HistoryRange>>;
  /** What a session has seen of a state; `null` where nothing is known. */
  readMark(sessionId: string, stateId: string): Promise<ReadMark | null>;
  tokenByHash(hash: string): Promise<Token | null>;
  tokens(): Promise<readonly Token[]>;
  /** Runs and completions with `dueAt` at or before `now`, most overdue first. */
  due(now: number, limit: number): Promise<readonly Due[]>;
  /** The next `dueAt` after now, or `availableAt` of a pending run; `null` where nothing is to come. */
  nextDueAt(now: number): Promise<number | null>;
  /** How many records are in each status; for metrics. */
  counts(): Promise<
    Readonly<
      Record<
        'sessions' | 'runs' | 'completions' | 'callbacks' | 'webhook_deliveries',
        Readonly<Record<string, number>>
      >
    >
  >;
  /** Checks of the records against each other, each bounded in number. */
  doctor(now: number, limit: number): Promise<readonly Finding[]>;
  /** Looks at every value and every history; `limit` findings of each check. Takes as long as there is to read, in slices. */
  audit(limit: number, apply: ApplyPatchText): Promise<readonly Finding[]>;
}

export interface Store {
  readonly read: Reader;

  /**
   * Loads records, lets a rule decide, and writes what it decided, as one atomic and durable step.
   * Whatever waits is committed together; the promise settles when the commit is on disk.
   *
   * @param wants - What to load first. Where the decision asks for more, that is loaded too and it is made again.
   * @param decide - Synchronous and pure; may be called more than once. With the same family it goes on, with another one
   *   it is made from the beginning.
   * @param gathered - True where the caller has let a turn of the event loop pass for others to come with it.
   * @throws StorageError - Nothing is acknowledged. Where the file was lost, or failed, during the commit, it may come
   *   back with the change in it.
   * @throws CommitUnknownError - It may have been written.
   */
  transact<T>(wants: readonly LoadRequest[], decide: Decide<T>, gathered?: boolean): Promise<T>;

  /**
   * The newest head of a state where the store has it at hand and nobody can have changed it since; `undefined` says
   * nothing. The same object for as long as the state stays as it is.
   */
  knownHead(stateId: string): StateHead | undefined;

  /** Hears every changeset after its commit, in the order of the commits. @returns How to stop. */
  subscribe(listener: (changes: Changeset) => void): () => void;

  /** Hears of each damaged record that a read or a decision has left out; of one again each time. @returns How to stop. */
  onDamage(listener: (damage: Damage) => void): () => void;

  /**
   * Takes away what is not to be kept, in one commit: of each cut state everything older than its newest snapshot at or
   * below the version of the cut, and the oldest notices. The newest notice always stays. Old receipts go too.
   */
  prune(cuts: readonly Compaction[], bounds: PruneBounds): Promise<Pruned>;

  /** A value that is made once for a database and kept, such as the secret of session tokens. */
  setting(name: string, make: () => string): Promise<string>;

  /** True where the database can be written now. */
  writable(): Promise<boolean>;

  close(): Promise<void>;
}
