// Reports of a runner on a run that it holds. Fenced by attempt and lease token. A repeated report gets the
// same answer.
import type { UnitOfWork } from '../transactions/unit-of-work.js';
import { ok, fail, type Result } from '../errors.js';
import type { JsonValue } from '../json/json.js';
import type { Limits } from '../limits.js';
import type { FailureCause, Run } from '../records/records.js';
import { isRetryable } from '../completion/failure-cause.js';
import { runEnded, runRequeued, runStarted, valueFailure, type RunResult } from './end.js';
import { hasEnded, holdsLease, noRun, whyStopped, type RunEnd } from '../lifecycle/run.js';

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
      readonly valueFailure?: string | undefined;
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
 * @returns The run; or `run_not_found`, `lease_lost`, `limit_exceeded`, in this order.
 */
export function report(unit: UnitOfWork, held: Held, said: Report): Result<Run> {
  const run = unit.findRun(held.runId);
  if (run === null) return noRun(held.runId);
  if (!holdsLease(run, held)) {
    return fail('lease_lost', 'The run is held by another attempt, or by nobody. Stop working on it.', {
      run_id: run.runId,
      run_status: run.status,
      current_attempt: run.attempt,
      your_attempt: held.attempt,
    });
  }
  if (hasEnded(run) || (said.type === 'started' && run.status !== 'claimed')) return ok(run);
  const tooLarge = said.type === 'started' ? null : tooLargeIn(said, unit.context.limits);
  if (tooLarge !== null) return tooLarge;
  noteExecutorSession(unit, run, said);
  switch (said.type) {
    case 'started':
      return ok(runStarted(unit, run, whereabouts(unit, run, said)));
    case 'completed':
      if (said.valueFailure !== undefined) valueFailure(unit, run, said.valueFailure);
      return ok(
        runEnded(unit, run, { status: 'completed', error: null, cause: null, usage: said.usage }, said),
      );
    case 'failed':
      return ok(failed(unit, run, said));
    case 'stopped':
      return ok(runEnded(unit, run, { ...stoppedEnd(run), usage: said.usage }, said));
  }
}

/** Data cannot be cut as a text can: the runner reports without it, and says so. */
function tooLargeIn(
  { resultData, usage = null }: Exclude<Report, { type: 'started' }>,
  { resultBytesMax: maximum }: Pick<Limits, 'resultBytesMax'>,
): Result<never> | null {
  for (const [what, value] of Object.entries({ result_data: resultData, usage })) {
    const actual = JSON.stringify(value).length;
    if (actual <= maximum) continue;
    return fail(
      'limit_exceeded',
      `${what} has ${String(actual)} characters; at most ${String(maximum)} are allowed.`,
      { limit: 'resultBytesMax', maximum, actual },
    );
  }
  return null;
}

function whereabouts(unit: UnitOfWork, run: Run, said: Report & { type: 'started' }) {
  if (run.runnerId !== null) unit.need({ load: 'runner', runnerId: run.runnerId });
  const runner = run.runnerId === null ? undefined : unit.records.runners.get(run.runnerId);
  return {
    hostname: runner?.hostname ?? null,
    executorType: said.executorType,
    executorSessionId: said.executorSessionId,
  };
}

function noteExecutorSession(unit: UnitOfWork, run: Run, said: Report): void {
  if (said.type === 'completed' && said.executorSessionId !== null) {
    const { session } = unit.aggregate(run.sessionId);
    unit.putSession({ ...session, executorSessionId: said.executorSessionId });
  }
}

/** Retries failures that may pass, a few times. For an update run, its completion does that. */
function failed(unit: UnitOfWork, run: Run, said: Report & { type: 'failed' }): Run {
  const { limits } = unit.context;
  if (run.status === 'stopping')
    return runEnded(unit, run, { ...endWhileStopping(run, said), usage: said.usage }, said);
  if (isRetryable(said.cause) && run.purpose !== 'state_update' && run.attempt < limits.runLeaseAttemptsMax) {
    return runRequeued(unit, run, said.error, limits.environmentBackoffMs * 2 ** (run.attempt - 1));
  }
  return runEnded(
    unit,
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
    : { status: 'stopped', error: whyStopped(run) ?? 'The run was stopped.', cause: null };
}
