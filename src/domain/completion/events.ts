// The inputs and effects of the completion machine.
import type { Violation } from '../errors.js';
import type { JsonValue } from '../json/json.js';
import type { Limits } from '../limits.js';
import type { Patch } from '../json/patch.js';
import type { ChangesAt } from '../json/changed-locations.js';
import type { ValueHashAt } from '../json/value-hash.js';
import type { Completion, FailureCause, PermanentCause, WorkOutcome } from '../records/records.js';

/** The situation of a session at the moment when nothing of it is in progress. */
export interface Situation {
  /** The tree has a workflow state now. The deletion of a state skips the completions that are open. */
  readonly hasState: boolean;
  readonly isRoot: boolean;
  /** Some children of this generation owe a callback that the session asked for. */
  readonly awaitsCallbacks: boolean;
  /** How the document violates the contract now. Empty if the contract holds or there is none. */
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
  /** Nothing of the session is in progress or waits to run. */
  | { readonly type: 'idle'; readonly situation: Situation }
  /** An accepted, changing write by the session. */
  | {
      readonly type: 'written';
      /** Name of the session. */
      readonly by: string;
      readonly version: number;
      readonly patch: Patch;
      readonly changesAt: ChangesAt;
      readonly valueHashAt: ValueHashAt;
      readonly contractViolations: readonly Violation[];
    }
  /** An accepted, changing write by a sub-agent that works for the session. It counts for both. */
  | {
      readonly type: 'written_for';
      readonly version: number;
      readonly patch: Patch;
      readonly changesAt: ChangesAt;
      readonly valueHashAt: ValueHashAt;
    }
  /** A write of another session changed whether the contract holds. */
  | {
      readonly type: 'contract_changed';
      readonly by: string | null;
      readonly version: number;
      /** Empty if the contract holds again. */
      readonly violations: readonly Violation[];
    }
  /** A write of the session that was refused, or changed nothing while its contract is violated. */
  | { readonly type: 'write_refused'; readonly violations: readonly Violation[] }
  /**
   * A write that changes nothing: the contract holds because of an earlier write of the session, not a later
   * one of others.
   */
  | { readonly type: 'repeated' }
  /** The run or request that asked for the update has ended. */
  | { readonly type: 'update_ended'; readonly how: UpdateEnd; readonly error: string | null }
  /** The run or request that asks for the update was created. */
  | { readonly type: 'update_requested'; readonly runId: string | null; readonly prompt: string | null }
  /** The session is lost: no client continues its work or can be asked. */
  | { readonly type: 'lost'; readonly reason: string }
  | { readonly type: 'skip'; readonly reason: string }
  | { readonly type: 'retry'; readonly reason: string }
  /** A stored record that the completion depends on is damaged. */
  | { readonly type: 'damaged'; readonly reason: string }
  /** Siblings failed in a row for one cause. */
  | { readonly type: 'circuit_open'; readonly fingerprint: string; readonly reason: string }
  /** The tree got its state. */
  | { readonly type: 'state_opened' }
  | { readonly type: 'state_deleted' };

/**
 * `ended`: the child has answered. `environment`: the child could not answer, which is not its own failure. A
 * permanent cause is not its failure either, but ends the completion.
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
  /** Withdraw the run that asks. A run that a runner has claimed may end by itself, unless `stop` is true. */
  | { readonly type: 'cancel_request'; readonly stop: boolean }
  /** The completion is released: queue the callback to the parent. */
  | { readonly type: 'queue_callback' };

export interface Step {
  readonly completion: Completion;
  readonly effects: readonly CompletionEffect[];
}

/** The limits that the machine uses. */
export type MachineLimits = Pick<
  Limits,
  | 'environmentRetriesMax'
  | 'environmentBackoffMs'
  | 'environmentBackoffMsMax'
  | 'callbackChangesBytesMax'
  | 'violationsMax'
>;
