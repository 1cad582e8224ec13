// What happens to a completion, and what has to follow: the words that the machine and those around it share.
import type { Violation } from '../errors.js';
import type { JsonValue } from '../json/json.js';
import type { Limits } from '../limits.js';
import type { Patch } from '../json/patch.js';
import type { Completion, FailureCause, PermanentCause, WorkOutcome } from '../records/records.js';

/** What is so around the session at the moment when nothing of it is under way. */
export interface Situation {
  /** The tree has a workflow state now. One that was deleted has skipped the completions that were open. */
  readonly hasState: boolean;
  readonly isRoot: boolean;
  /** Children of this generation that were asked to call back, and have not yet. */
  readonly awaitsCallbacks: boolean;
  /** What the contract says of the document now; none where it holds or there is no contract. */
  readonly contractViolations: () => readonly Violation[];
}

export type CompletionEvent =
  /** A further work run of the same generation began. */
  | { readonly type: 'work_began' }
  | {
      readonly type: 'work_ended';
      readonly outcome: WorkOutcome;
      readonly resultText: string | null;
      readonly resultData: JsonValue;
      readonly error: string | null;
      readonly cause: FailureCause | null;
    }
  /** Nothing of the session is under way or waiting to run. */
  | { readonly type: 'idle'; readonly situation: Situation }
  /** An accepted, changing write by the session. */
  | {
      readonly type: 'written';
      readonly version: number;
      readonly patch: Patch;
      readonly contractViolations: readonly Violation[];
    }
  /** An accepted, changing write by a sub-agent that works for the session: it counts for both. */
  | { readonly type: 'written_for'; readonly version: number; readonly patch: Patch }
  /** A write of another one turned what the contract says of the document: broken, or whole again. */
  | {
      readonly type: 'contract_turned';
      readonly by: string | null;
      readonly version: number;
      /** None where it holds again. */
      readonly violations: readonly Violation[];
    }
  /** A write of the session that was refused, or changed nothing while its contract does not hold. */
  | { readonly type: 'write_refused'; readonly violations: readonly Violation[] }
  /** A write that changes nothing: the contract holds by an earlier write of the session, and by no later one of others. */
  | { readonly type: 'repeated' }
  /** The run or request that asked for the update is over. */
  | { readonly type: 'update_ended'; readonly how: UpdateEnd; readonly error: string | null }
  /** The run or request that asks for the update was made. */
  | { readonly type: 'update_requested'; readonly runId: string | null; readonly prompt: string | null }
  /** The session was lost: nobody is there to go on with its work, or to be asked. */
  | { readonly type: 'lost'; readonly reason: string }
  | { readonly type: 'skip'; readonly reason: string }
  | { readonly type: 'retry'; readonly reason: string }
  /** A stored record that it rests on cannot be used. */
  | { readonly type: 'damaged'; readonly reason: string }
  /** Siblings failed in a row for one cause. */
  | { readonly type: 'doomed'; readonly fingerprint: string; readonly reason: string }
  /** The tree got its state. */
  | { readonly type: 'state_opened' }
  | { readonly type: 'state_deleted' };

/**
 * `ended`: the child came back. `environment`: it never had a chance; not its failure. A permanent cause is not its
 * failure either, and ends the completion.
 */
export type UpdateEnd = 'ended' | 'agent_failed' | 'timed_out' | 'environment' | PermanentCause | 'cancelled';

export type CompletionEffect =
  /** Resume the child with a prompt of this level, after a delay. */
  | {
      readonly type: 'request_update';
      readonly attempt: number;
      readonly level: 1 | 2 | 3;
      readonly delayMs: number;
      /** The last try failed for a reason outside of the child. */
      readonly environmentTrouble: boolean;
    }
  /** Take back the run that asks. One that a runner has already may end by itself, unless it is to be stopped. */
  | { readonly type: 'cancel_request'; readonly stop: boolean }
  /** The completion is released: put the outcome on its way to the parent. */
  | { readonly type: 'queue_callback' };

export interface Step {
  readonly completion: Completion;
  readonly effects: readonly CompletionEffect[];
}

/** Rules that the machine takes from the limits. */
export type MachineLimits = Pick<
  Limits,
  | 'environmentRetriesMax'
  | 'environmentBackoffMs'
  | 'environmentBackoffMsMax'
  | 'callbackChangesBytesMax'
  | 'violationsMax'
>;
