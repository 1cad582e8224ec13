// What is kept, as the rules see it: plain data, times in milliseconds since the Unix epoch.
// Every mutable record carries a `revision`, 1 when it is inserted and one more for each change (see changeset.ts).
import type { Violation } from '../errors.js';
import type { JsonObject, JsonValue } from '../json/json.js';
import type { Patch } from '../json/patch.js';

export type { PartSeen, ReadCursor as ReadMark } from '../writes/read-cursor.js';
export type { EventKind, StateEvent, StateHead, StateSnapshot, WorkflowSchema } from './state-records.js';

export type {
  BreakerStatus,
  DeliveryAttempt,
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
export interface Session {
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
  /** The executor's own id of the conversation, for resuming it. */
  readonly executorSessionId: string | null;
  /** Where it can be resumed. */
  readonly hostname: string | null;
  /** The parent asked to be told. */
  readonly callback: boolean;
  /** How this session, as a parent, gets callbacks. */
  readonly delivery: Delivery;
  /** Where they go and what they are signed with; `null` but for the delivery `webhook`. */
  readonly callbackUrl: string | null;
  readonly callbackSecret: string | null;
  readonly settings: CompletionSettings;
  /** What every run of the session demands of a runner. */
  readonly demands: Demands;
  /** Of an external session: after so long without a sign of life it is lost; 0 for never, `null` for the default. */
  readonly heartbeatTimeoutMs: number | null;
  /** The last heartbeat of one that sends them regularly; `null` where its present client has sent none. */
  readonly heartbeatAt: number | null;
  /** Which piece of work this is: 1 at first, +1 for new work after the last was done. */
  readonly generation: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly lastResumedAt: number | null;
  /** Hidden from then on; its name is free again. */
  readonly deletedAt: number | null;
  readonly revision: number;
}

export type CompletionMode = 'always' | 'unless_satisfied' | 'never';

/** What must be in the state before a child counts as complete: the value at `pointer` satisfies `schema`. */
export interface Contract {
  readonly pointer: string;
  readonly schema: JsonObject;
  /** Hash of the admitted schema. */
  readonly schemaHash: string;
}

export interface CompletionSettings {
  readonly mode: CompletionMode;
  readonly contract: Contract | null;
  /** Pointers that the session may change; `null` is everything. */
  readonly writeScope: readonly string[] | null;
  /** The child is held to a state that its root may open later. */
  readonly awaitState?: boolean;
  readonly attemptsMax: number;
  readonly timeoutMs: number;
  readonly retryDelayMs: number;
}

export type CompletionStatus = 'none' | 'pending' | 'completed' | 'failed' | 'skipped';

/** lost: an external session gave no sign of life any more, or its client ended before its work did. */
export type WorkOutcome = 'completed' | 'failed' | 'stopped' | 'timed_out' | 'lost';

/** How one attempt to have the child record its result ended; `open` while it is under way. */
export interface CompletionAttempt {
  readonly attempt: number;
  /** The update run; `null` for an external session, which gets a request instead. */
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

/** Who destroyed a result that had been recorded, and what the contract says since. */
export interface BrokenContract {
  /** Name of the session; `null` for the operator. */
  readonly by: string | null;
  /** The version that it wrote. */
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
  /** The work run has ended; `null` while it has not. */
  readonly workOutcome: WorkOutcome | null;
  readonly resultText: string | null;
  readonly resultData: JsonValue;
  readonly workError: string | null;
  /** Why the work failed; `null` where it did not, or nobody said why. */
  readonly workCause: FailureCause | null;
  /** Attempts begun; only the child's own failures let it rise. */
  readonly attempt: number;
  /** Retries that the surroundings caused, under their own bound. */
  readonly environmentRetries: number;
  readonly attempts: readonly CompletionAttempt[];
  /** For an external session, the request that it has to answer. `null` where a run carries the prompt. */
  readonly request: { readonly attempt: number; readonly of: number; readonly prompt: string } | null;
  /** An accepted, changing write of this session in this generation. */
  readonly wrote: boolean;
  /** Version of its last such write. */
  readonly lastWriteVersion: number | null;
  /** What it changed, oldest first, bounded in size. */
  readonly changes: readonly { readonly version: number; readonly patch: Patch }[];
  readonly changesTruncated: boolean;
  /** What the next prompt has to tell: the last failed contract or refused write. */
  readonly lastErrors: readonly Violation[];
  /** Its recorded result satisfied the contract, until another one wrote there. */
  readonly broken: BrokenContract | null;
  readonly reason: string | null;
  /** The same cause gives the same text, whichever child it hit. */
  readonly causeFingerprint: string | null;
  /** When the outcome was handed on; a completion is released at most once. */
  readonly releasedAt: number | null;
  /** When time alone moves it on. */
  readonly dueAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly revision: number;
}

export type RunType = 'start_session' | 'resume_session';

/** Why a run exists: work asked for, a state update (phase 2), or the delivery of callbacks. */
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
  /** Raised by every claim; with the lease token it fences a runner that was thought dead. */
  readonly attempt: number;
  /** SHA-256 (hex) of the lease token; kept after the end so that a repeated report is known again. */
  readonly leaseHash: string | null;
  readonly leaseExpiresAt: number | null;
  readonly runnerId: string | null;
  readonly demands: Demands;
  readonly timeoutMs: number | null;
  /** Not handed out before. */
  readonly availableAt: number;
  readonly metadata: JsonObject;
  readonly error: string | null;
  /** Whose fault a failure was. */
  readonly cause: FailureCause | null;
  /** Why it is being stopped. */
  readonly stopReason: 'requested' | 'timeout' | 'cancelled' | null;
  readonly usage: JsonValue;
  readonly createdAt: number;
  readonly claimedAt: number | null;
  readonly startedAt: number | null;
  readonly completedAt: number | null;
  /** When time alone moves it on: lease, time-out, or no runner. */
  readonly dueAt: number | null;
  readonly revision: number;
}

/**
 * Why a run failed. agent: the agent's own failure. environment, rate_limit: it may pass, so the run is tried again.
 * configuration, prompt_too_long: it cannot pass by itself, so nothing is tried again.
 */
export type FailureCause = 'agent' | 'environment' | 'rate_limit' | PermanentCause;

/** configuration: a key, login, model or program that is not accepted; it stops others that run the same way, too. */
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
 * held: the child is not released yet. queued: released, on its way (`runId` once a resume run carries it, `deliveryId`
 * once a message does). delivered: that run started, the parent's URL answered 2xx, or the parent pulled it, which is
 * given it again until it is acknowledged. acknowledged: the parent said so. dead: it could not be delivered.
 */
export type CallbackStatus = 'held' | 'queued' | 'delivered' | 'acknowledged' | 'dead';

/** The message that tells the parent; one for each child and generation that was asked for. */
export interface Callback {
  readonly callbackId: string;
  readonly rootSessionId: string;
  readonly parentSessionId: string;
  /** The parent's piece of work that awaits it. */
  readonly parentGeneration: number;
  readonly childSessionId: string;
  readonly childSessionName: string;
  readonly childGeneration: number;
  readonly status: CallbackStatus;
  readonly delivery: Delivery;
  /** The resume run of the parent that carries it. */
  readonly runId: string | null;
  /** The message to the parent's URL that carries it. */
  readonly deliveryId: string | null;
  readonly outcome: WorkOutcome | null;
  readonly updateStatus: CompletionStatus | null;
  readonly stateVersion: number | null;
  readonly message: string | null;
  /** Why it is dead. */
  readonly reason: string | null;
  readonly createdAt: number;
  readonly queuedAt: number | null;
  readonly deliveredAt: number | null;
  readonly acknowledgedAt: number | null;
  readonly revision: number;
}

/** What a whole tree shares: its workflow state, and how its completions have been failing. */
export interface Tree {
  readonly rootSessionId: string;
  /** Inherited by every session of the tree. */
  readonly stateId: string | null;
  /** The cause that the last completions failed for. */
  readonly failureFingerprint: string | null;
  readonly failuresInARow: number;
  readonly revision: number;
}

export type Role = 'admin' | 'orchestrator' | 'runner' | 'reader';

export interface Token {
  readonly tokenId: string;
  readonly name: string;
  readonly role: Role;
  /** SHA-256 (hex) of the token. */
  readonly hash: string;
  readonly createdAt: number;
  readonly revokedAt: number | null;
  readonly revision: number;
}
