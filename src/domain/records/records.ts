// The stored records, as the rules see them: plain data, times in milliseconds since the Unix epoch. Every
// mutable record has a `revision`: 1 when it is inserted, +1 for each change (see changeset.ts).
import type { Violation } from '../errors.js';
import type { JsonObject, JsonValue } from '../json/json.js';
import type { Patch } from '../json/patch.js';
import type { StatePrompts } from './state-prompts.js';

export type { PartSeen, ReadCursor } from './read-cursor.js';
export type { Receipt, ReceiptKey } from './receipt.js';
export type * from './state-records.js';
export type { Role, Token } from './token.js';

export type {
  BreakerStatus,
  DeliveryStatus,
  Webhook,
  WebhookCondition,
  WebhookDelivery,
  WebhookDestination,
  WebhookEventType,
} from './webhook-records.js';

export type SessionStatus = 'pending' | 'running' | 'finished' | 'failed' | 'stopped';

export type Delivery = 'resume' | 'pull' | 'webhook';

/** One agent conversation. */
export interface Session extends StatePrompts {
  readonly sessionId: string;
  readonly sessionName: string;
  readonly status: SessionStatus;
  readonly parentSessionId: string | null;
  readonly parentSessionName: string | null;
  readonly rootSessionId: string;
  /** 0 for a root. */
  readonly depth: number;
  readonly external: boolean;
  readonly agentName: string | null;
  readonly projectDir: string | null;
  readonly executorType: string | null;
  /** The executor's own id of the conversation, used to resume it. */
  readonly executorSessionId: string | null;
  /** The host where the conversation can be resumed. */
  readonly hostname: string | null;
  /** The parent asked for a callback. */
  readonly callback: boolean;
  /** How this session, as a parent, receives callbacks. */
  readonly delivery: Delivery;
  /** Destination and signing secret of callbacks; `null` unless the delivery is `webhook`. */
  readonly callbackUrl: string | null;
  readonly callbackSecret: string | null;
  /** The terms of its creation. Those in force are in its completions. */
  readonly settings: CompletionSettings;
  /** What every run of the session requires of a runner. */
  readonly demands: Demands;
  /** External sessions only: time without a sign of life until it is lost; 0 for never, `null` for the default. */
  readonly heartbeatTimeoutMs: number | null;
  /** The last heartbeat on record; `null` if the session's present client has sent none, 0 once that client has ended. */
  readonly heartbeatAt: number | null;
  /** Counts the pieces of work: 1 at first, +1 for each new piece after the last one was done. */
  readonly generation: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly lastResumedAt: number | null;
  /** When it was deleted: it is hidden since then, and its name is free again. */
  readonly deletedAt: number | null;
  readonly revision: number;
}

export type CompletionMode = 'always' | 'unless_satisfied' | 'never';

/** What a child has to record in the state: the value at `pointer` satisfies `schema`. */
export interface Contract {
  readonly pointer: string;
  readonly schema: JsonObject;
  /** Hash of the admitted schema. */
  readonly schemaHash: string;
}

export interface CompletionSettings {
  readonly mode: CompletionMode;
  readonly contract: Contract | null;
  /** Pointers that the session may change; `null` for everything. */
  readonly writeScope: readonly string[] | null;
  /** If the tree has no state when the work ends, the completion waits for the root to create one. */
  readonly awaitState?: boolean;
  readonly attemptsMax: number;
  readonly timeoutMs: number;
  readonly retryDelayMs: number;
}

export type CompletionStatus = 'none' | 'pending' | 'completed' | 'failed' | 'skipped';

/** lost: an external session gave no more signs of life, or its client ended before its work did. */
export type WorkOutcome = 'completed' | 'failed' | 'stopped' | 'timed_out' | 'lost';

/** One attempt to make the child record its result. `outcome` is `open` while the attempt is in progress. */
export interface CompletionAttempt {
  readonly attempt: number;
  /** The state update run; `null` for an external session, which gets a request instead. */
  readonly runId: string | null;
  readonly promptLevel: 1 | 2 | 3;
  readonly outcome:
    | 'open'
    | 'recorded'
    | 'no_write'
    | 'contract_failed'
    | 'timed_out'
    | 'agent_failed'
    | 'environment'
    | PermanentCause
    | 'cancelled';
  readonly errors: readonly Violation[];
  readonly startedAt: number;
  readonly endedAt: number | null;
}

/** Which session destroyed a recorded result, and how the document violates the contract since then. */
export interface BrokenContract {
  /** Name of the session; `null` for the operator. */
  readonly by: string | null;
  /** The version that the session wrote. */
  readonly version: number;
  readonly errors: readonly Violation[];
}

/** The two-phase completion of one session and generation (design, section 5). */
export interface Completion {
  readonly sessionId: string;
  readonly generation: number;
  readonly rootSessionId: string;
  readonly status: CompletionStatus;
  readonly settings: CompletionSettings;
  /** Result of the work run; `null` while the run has not ended. */
  readonly workOutcome: WorkOutcome | null;
  readonly resultText: string | null;
  readonly resultData: JsonValue;
  readonly workError: string | null;
  /** Why the work failed; `null` if it did not fail, or no cause was reported. */
  readonly workCause: FailureCause | null;
  /** Attempts begun. Only the child's own failures increase it. */
  readonly attempt: number;
  /** Retries that the environment caused; they have their own limit. */
  readonly environmentRetries: number;
  readonly attempts: readonly CompletionAttempt[];
  /** For an external session, the request that it has to answer; `null` if a run carries the prompt. */
  readonly request: { readonly attempt: number; readonly of: number; readonly prompt: string } | null;
  /** In this generation the session changed what counts as its result: the contract's location, or anything without one. */
  readonly wrote: boolean;
  /**
   * The hash of what its last write of the result left at the contract's location, see `valueHash`. `null` if it is not known:
   * there was none, there is no contract, or the contract was moved since.
   */
  readonly resultHash: string | null;
  /** Version of its last accepted, changing write, wherever it was; `null` if there was none. */
  readonly lastWriteVersion: number | null;
  /** The changes of all its writes, oldest first, bounded in size. */
  readonly changes: readonly { readonly version: number; readonly patch: Patch }[];
  readonly changesTruncated: boolean;
  /** What the next prompt reports: the last failed contract or refused write. */
  readonly lastErrors: readonly Violation[];
  /** Set if its recorded result satisfied the contract until a later write broke it. */
  readonly broken: BrokenContract | null;
  readonly reason: string | null;
  /** The same cause gives the same text, no matter which child failed. */
  readonly causeFingerprint: string | null;
  /** When the completion was released; this happens at most once. */
  readonly releasedAt: number | null;
  /** When the next timer of the completion fires. */
  readonly dueAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly revision: number;
}

export type RunType = 'start_session' | 'resume_session';

/** Why a run exists: requested work, a state update (phase 2), or the delivery of callbacks. */
export type RunPurpose = 'work' | 'state_update' | 'callback';

export type RunStatus =
  'pending' | 'claimed' | 'running' | 'stopping' | 'completed' | 'failed' | 'stopped' | 'timed_out';

export interface Demands {
  readonly hostname: string | null;
  readonly executorType: string | null;
  readonly tags: readonly string[];
}

/** One execution of a session. */
export interface Run {
  readonly runId: string;
  readonly type: RunType;
  readonly purpose: RunPurpose;
  readonly sessionId: string;
  readonly sessionName: string;
  readonly rootSessionId: string;
  readonly generation: number;
  readonly prompt: string;
  readonly status: RunStatus;
  /** Increased by every claim. With the lease token it fences off a runner that was presumed dead. */
  readonly attempt: number;
  /** SHA-256 (hex) of the lease token. Kept after the end to recognize a repeated report. */
  readonly leaseHash: string | null;
  readonly leaseExpiresAt: number | null;
  readonly runnerId: string | null;
  readonly demands: Demands;
  readonly timeoutMs: number | null;
  /** No runner gets the run before this time. */
  readonly availableAt: number;
  readonly metadata: JsonObject;
  readonly error: string | null;
  /** The cause of a failure. */
  readonly cause: FailureCause | null;
  /** Why the run is being stopped. */
  readonly stopReason: 'requested' | 'timeout' | 'cancelled' | null;
  readonly usage: JsonValue;
  readonly createdAt: number;
  readonly claimedAt: number | null;
  readonly startedAt: number | null;
  readonly completedAt: number | null;
  /** When the next timer of the run fires: lease, timeout, or no runner. */
  readonly dueAt: number | null;
  readonly revision: number;
}

/**
 * Why a run failed. agent: the agent itself failed. environment, rate_limit: the cause may pass, so the run is
 * retried. configuration, prompt_too_long: the cause does not pass by itself, so there is no retry.
 */
export type FailureCause = 'agent' | 'environment' | 'rate_limit' | PermanentCause;

/** configuration: a key, login, model or program is not accepted; other runs with the same configuration fail, too. */
export type PermanentCause = 'configuration' | 'prompt_too_long';

export interface Runner {
  readonly runnerId: string;
  readonly hostname: string;
  readonly projectDir: string | null;
  readonly executorTypes: readonly string[];
  readonly tags: readonly string[];
  readonly concurrentMax: number;
  readonly lastSeenAt: number;
  readonly createdAt: number;
  readonly revision: number;
}

/**
 * held: the child is not released. queued: released, in delivery (`runId` is set once a resume run carries it,
 * `deliveryId` once a message does). delivered: that run started, the parent's URL answered 2xx, or the parent
 * pulled it; pulls return it until it is acknowledged. dead: not deliverable.
 */
export type CallbackStatus = 'held' | 'queued' | 'delivered' | 'acknowledged' | 'dead';

/** The message to the parent. There is one for each child and generation with a requested callback. */
export interface Callback {
  readonly callbackId: string;
  readonly rootSessionId: string;
  readonly parentSessionId: string;
  /** The generation of the parent that waits for it. */
  readonly parentGeneration: number;
  readonly childSessionId: string;
  readonly childSessionName: string;
  readonly childGeneration: number;
  readonly status: CallbackStatus;
  readonly delivery: Delivery;
  /** The resume run of the parent that carries the callback, or the run under way that pulled it. */
  readonly runId: string | null;
  /** The message to the parent's URL that carries the callback. */
  readonly deliveryId: string | null;
  readonly outcome: WorkOutcome | null;
  readonly updateStatus: CompletionStatus | null;
  readonly stateVersion: number | null;
  readonly message: string | null;
  /** Why it is dead; otherwise why it was sent again, if it was. */
  readonly reason: string | null;
  readonly createdAt: number;
  readonly queuedAt: number | null;
  readonly deliveredAt: number | null;
  readonly acknowledgedAt: number | null;
  readonly revision: number;
}

/** What a whole tree shares: its workflow state, and the recent failures of its completions. */
export interface Tree {
  readonly rootSessionId: string;
  /** Every session of the tree inherits it. */
  readonly stateId: string | null;
  /** The common cause of the last failed completions. */
  readonly failureFingerprint: string | null;
  readonly failuresInARow: number;
  readonly revision: number;
}
