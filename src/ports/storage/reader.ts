// What the service reads from the database. `store/` implements it.
import type { HistoryRange } from '../../domain/states/retention.js';
import type { Page, PageRequest } from './page.js';
import type { WebhookReader } from './webhook-store.js';
import type {
  Receipt,
  ReceiptKey,
  Callback,
  CallbackStatus,
  Completion,
  CompletionStatus,
  Delivery,
  ReadCursor,
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
  WorkflowArchive,
  WorkflowSchema,
} from '../../domain/records/records.js';
import type { AuditWork, Finding } from './audit.js';
import type { FeedFilter, FeedPage, FeedPosition } from './feed.js';

/** The cursor is not from this store, or belongs to another list. */
export class BadCursorError extends Error {
  override readonly name = 'BadCursorError';
}

/** What a version is rebuilt from: the newest snapshot at or before it, and the later patches, oldest first. */
export interface DocumentSource {
  readonly snapshot: StateSnapshot;
  readonly patchTexts: readonly string[];
  readonly version: number;
}

/** A run or completion whose deadline has passed. */
export type Due =
  | { readonly kind: 'run'; readonly runId: string; readonly rootSessionId: string }
  | { readonly kind: 'completion'; readonly sessionId: string; readonly rootSessionId: string };

/** A session of a tree. */
export interface SessionOfTree {
  readonly sessionId: string;
  readonly rootSessionId: string;
}

/** A child that nothing continues. */
export interface Unattended extends SessionOfTree {
  /** The callback that contradicts its child, so that settling the child cannot release it; `null` if none does. */
  readonly callbackId: string | null;
  /** The run of the session that belongs to none of its open work; `null` if none does so. */
  readonly runId: string | null;
}

export interface Reader {
  readonly webhooks: WebhookReader;
  session(idOrName: string): Promise<Session | null>;
  sessions(
    filter: {
      rootSessionId?: string | undefined;
      parentSessionId?: string | undefined;
      executorSessionId?: string | undefined;
      status?: SessionStatus | undefined;
      completionStatus?: CompletionStatus | undefined;
    },
    page: PageRequest,
  ): Promise<Page<Session>>;
  tree(rootSessionId: string): Promise<Tree | null>;
  /** The completion of a generation. Default: the session's current generation. */
  completion(sessionId: string, generation?: number): Promise<Completion | null>;
  /** The completions of the current generations of sessions that are not deleted. */
  completions(
    filter: { status?: CompletionStatus | undefined; rootSessionId?: string | undefined },
    page: PageRequest,
  ): Promise<Page<Completion>>;
  /**
   * The completions of a tree's current and waiting generations that are not released, or are pending again. Damaged ones
   * are left out.
   */
  openCompletions(rootSessionId: string): Promise<readonly Completion[]>;
  receipt(key: ReceiptKey): Promise<Receipt | null>;
  /** The same, with those of the request's effects: their ids are `receiptId#…`. */
  receiptsOf(key: ReceiptKey): Promise<readonly Receipt[]>;
  run(runId: string): Promise<Run | null>;
  runs(
    filter: {
      status?: RunStatus | undefined;
      sessionId?: string | undefined;
      rootSessionId?: string | undefined;
    },
    page: PageRequest,
  ): Promise<Page<Run>>;
  /** The session's work runs, without state updates and callbacks: the first, and the last two. */
  workRuns(sessionId: string): Promise<readonly Run[]>;
  /** A damaged runner counts as missing: it registers anew. */
  runner(runnerId: string): Promise<Runner | null>;
  runners(): Promise<readonly Runner[]>;
  /** The runner's runs that have not ended. */
  runsOfRunner(runnerId: string): Promise<readonly Run[]>;
  callback(callbackId: string): Promise<Callback | null>;
  callbacks(
    filter: {
      status?: readonly CallbackStatus[] | undefined;
      parentSessionId?: string | undefined;
      childSessionId?: string | undefined;
      delivery?: Delivery | undefined;
      rootSessionId?: string | undefined;
    },
    page: PageRequest,
  ): Promise<Page<Callback>>;
  /** One version of a schema name. Default: the newest. */
  schema(name: string, version?: number): Promise<WorkflowSchema | null>;
  schemaById(schemaId: string): Promise<WorkflowSchema | null>;
  /**
   * The newest version of each name, or of one name. `reachableFrom` limits this to schemas of that tree and
   * of no tree.
   */
  schemas(
    filter: { name?: string | undefined; reachableFrom?: string | undefined },
    page: PageRequest,
  ): Promise<Page<WorkflowSchema>>;
  /** Newest first. */
  schemaVersions(name: string, page: PageRequest): Promise<Page<WorkflowSchema>>;
  state(stateId: string): Promise<StateHead | null>;
  states(
    filter: {
      rootSessionId?: string | undefined;
      schemaName?: string | undefined;
      updatedSince?: number | undefined;
      orphaned?: boolean | undefined;
      /** The id of a state, or the start of the name of a root session. */
      search?: string | undefined;
    },
    page: PageRequest,
  ): Promise<Page<StateHead>>;
  /** `null` if the state does not have this version (any more). Default: the current version. */
  document(stateId: string, version?: number): Promise<DocumentSource | null>;
  /** The schema version in use at a version of the state; `null` if it is the current one. */
  schemaIdAt(stateId: string, version: number): Promise<string | null>;
  /** Events with a version above `since`, oldest first. Stops after `bytesMax` of patches, but returns at least one. */
  events(
    stateId: string,
    since: number,
    limit: number,
    bytesMax: number,
  ): Promise<{ events: readonly StateEvent[]; hasMore: boolean }>;
  /** The oldest available version of a state: 1, or the start of a compacted history. */
  oldestVersion(stateId: string): Promise<number>;
  /**
   * The items after a position, in commit order. Stops after `limit` items or `bytesMax` of patches, but
   * returns at least one if there is one.
   */
  feed(after: FeedPosition, filter: FeedFilter, limit: number, bytesMax: number): Promise<FeedPage>;
  /** The end of the feed. */
  feedEnd(): Promise<FeedPosition>;
  /**
   * The history range of each state, in the order of creation.
   *
   * @param agedBefore - Versions older than this time count as aged; 0 if age does not matter.
   */
  historyRanges(agedBefore: number, page: PageRequest): Promise<Page<HistoryRange>>;
  archive(archiveId: string): Promise<WorkflowArchive | null>;
  /** The read cursor of a session in a state; `null` if there is none. */
  readCursor(sessionId: string, stateId: string): Promise<ReadCursor | null>;
  tokenByHash(hash: string): Promise<Token | null>;
  tokens(): Promise<readonly Token[]>;
  /** Runs and completions with `dueAt` at or before `now`, most overdue first. */
  due(now: number, limit: number): Promise<readonly Due[]>;
  /** The next `dueAt`, or `availableAt` of a pending run, after now; `null` if there is none. */
  nextDueAt(now: number): Promise<number | null>;
  /**
   * Children whose completion is open and has no `dueAt`, and that have no run in progress or waiting: only another record
   * lets them continue. Oldest first. Behind them sessions with a run that has no `dueAt`, and children whose callback is
   * held although a row of theirs, or of their parent, was removed, or their completion was released, or whose callback
   * names another generation, tree or parent than they do. Also parents with a queued callback that no run of theirs carries.
   */
  unattended(limit: number): Promise<readonly Unattended[]>;
  /** Number of records by status. A tree is `active` if one of its sessions is pending or running. */
  counts(): Promise<
    Readonly<
      Record<
        | 'trees'
        | 'workflow_states'
        | 'sessions'
        | 'runs'
        | 'completions'
        | 'callbacks'
        | 'webhook_deliveries',
        Readonly<Record<string, number>>
      >
    >
  >;
  /** Checks the records against each other. Each check returns a bounded number of findings. */
  doctor(now: number, limit: number): Promise<readonly Finding[]>;
  /** Checks every value and every history, with at most `limit` findings per check. Reads everything, in slices. */
  audit(limit: number, work: AuditWork): Promise<readonly Finding[]>;
}
