// Reports of a runner on a run that it holds. Fenced by attempt and lease token. A repeated report gets the
// same answer.
import type { UnitOfWork } from '../transactions/unit-of-work.js';
import { accepted, refused, type Outcome } from '../errors.js';
import type { JsonValue } from '../json/json.js';
import type { FailureCause, Run } from '../records/records.js';
import { mayPass } from './failure-cause.js';
import { runEnded, runStarted, runTakenBack, valueRefused, type RunResult } from './end.js';
import { hasEnded, holdsLease, type RunEnd } from './lifecycle.js';

export interface Held {
  readonly runId: string;
  readonly runnerId: string;
  readonly attempt: number;
  readonly leaseHash: string;
}

export type Report =
  | {
      readonly type: 'started';
      readonly executorType: string | null;
      readonly executorSessionId: string | null;
    }
  | ({
      readonly type: 'completed';
      readonly usage: JsonValue;
      readonly executorSessionId: string | null;
      /** Why the value to record could not be processed at all, if that is the case. */
      readonly valueRefused?: string | undefined;
    } & RunResult)
  | ({
      readonly type: 'failed';
      readonly error: string;
      readonly cause: FailureCause;
      readonly usage: JsonValue;
    } & RunResult)
  | ({ readonly type: 'stopped'; readonly usage?: JsonValue } & RunResult);

/**
 * Applies a report.
 *
 * Guarantees: a runner that lost its lease changes nothing; the same report changes nothing the second time.
 *
 * @returns The run; or `run_not_found`, `lease_lost`, in this order.
 */
export function report(draft: UnitOfWork, held: Held, said: Report): Outcome<Run> {
  draft.need({ want: 'run', runId: held.runId });
  const run = draft.family.runs.get(held.runId);
  if (run === undefined) return refused('run_not_found', `There is no run ${held.runId}.`);
  if (!holdsLease(run, held)) {
    return refused('lease_lost', 'The run is held by another attempt, or by nobody. Stop working on it.', {
      run_id: run.runId,
      run_status: run.status,
      current_attempt: run.attempt,
      your_attempt: held.attempt,
    });
  }
  if (hasEnded(run) || (said.type === 'started' && run.status !== 'claimed')) return accepted(run);
  noteExecutorSession(draft, run, said);
  switch (said.type) {
    case 'started':
      return accepted(runStarted(draft, run, whereabouts(draft, run, said)));
    case 'completed':
      if (said.valueRefused !== undefined) valueRefused(draft, run, said.valueRefused);
      return accepted(
        runEnded(draft, run, { status: 'completed', error: null, cause: null, usage: said.usage }, said),
      );
    case 'failed':
      return accepted(failed(draft, run, said));
    case 'stopped':
      return accepted(runEnded(draft, run, { ...stoppedEnd(run), usage: said.usage }, said));
  }
}

function whereabouts(draft: UnitOfWork, run: Run, said: Report & { type: 'started' }) {
  if (run.runnerId !== null) draft.need({ want: 'runner', runnerId: run.runnerId });
  const runner = run.runnerId === null ? undefined : draft.family.runners.get(run.runnerId);
  return {
    hostname: runner?.hostname ?? null,
    executorType: said.executorType,
    executorSessionId: said.executorSessionId,
  };
}

function noteExecutorSession(draft: UnitOfWork, run: Run, said: Report): void {
  if (said.type === 'completed' && said.executorSessionId !== null) {
    const { session } = draft.desk(run.sessionId);
    draft.putSession({ ...session, executorSessionId: said.executorSessionId });
  }
}

/** Retries failures that may pass, a few times. For an update run, its completion does that. */
function failed(draft: UnitOfWork, run: Run, said: Report & { type: 'failed' }): Run {
  const { limits } = draft.context;
  if (run.status === 'stopping')
    return runEnded(draft, run, { ...endWhileStopping(run, said), usage: said.usage }, said);
  if (mayPass(said.cause) && run.purpose !== 'state_update' && run.attempt < limits.runLeaseAttemptsMax) {
    return runTakenBack(draft, run, said.error, limits.environmentBackoffMs * 2 ** (run.attempt - 1));
  }
  return runEnded(
    draft,
    run,
    { status: 'failed', error: said.error, cause: said.cause, usage: said.usage },
    said,
  );
}

/**
 * A state update that exceeds its timeout because its environment failed, such as an unavailable model, uses up
 * no attempt.
 */
function endWhileStopping(run: Run, { cause, error }: Report & { type: 'failed' }): RunEnd {
  const isExcused = run.stopReason === 'timeout' && run.purpose === 'state_update' && cause !== 'agent';
  return isExcused ? { status: 'failed', error, cause } : stoppedEnd(run);
}

/** The end of a run that was told to stop. */
export function stoppedEnd(run: Run): { status: 'stopped' | 'timed_out'; error: string; cause: null } {
  return run.stopReason === 'timeout'
    ? {
        status: 'timed_out',
        error: `The run took longer than ${String(run.timeoutMs ?? 0)} ms.`,
        cause: null,
      }
    : { status: 'stopped', error: 'The run was stopped.', cause: null };
}
