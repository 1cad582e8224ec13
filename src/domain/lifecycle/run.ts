// The lifecycle of a run: its transition table and named transitions. The only place that sets the status.
import { fail } from '../errors.js';
import type { Limits } from '../limits.js';
import type {
  FailureCause,
  Run,
  RunPurpose,
  RunStatus,
  RunType,
  Demands,
  Session,
} from '../records/records.js';
import type { JsonObject, JsonValue } from '../json/json.js';
import type { Transitions } from './transitions.js';

/**
 * pending: waits for a runner (or for `availableAt`). claimed: a runner holds it under a lease. running: the
 * runner has reported its start. stopping: the runner has to stop it. All others are final.
 */
export const RUN_TRANSITIONS: Transitions<RunStatus> = {
  pending: ['claimed', 'failed', 'stopped'],
  claimed: ['running', 'pending', 'stopping', 'completed', 'failed', 'stopped', 'timed_out'],
  running: ['pending', 'stopping', 'completed', 'failed', 'stopped', 'timed_out'],
  stopping: ['pending', 'completed', 'failed', 'stopped', 'timed_out'],
  completed: [],
  failed: [],
  stopped: [],
  timed_out: [],
};

/** True if a runner holds the run. */
export function isUnderWay(run: Run): boolean {
  return run.status === 'claimed' || run.status === 'running' || run.status === 'stopping';
}

export function hasEnded(run: Run): boolean {
  return RUN_TRANSITIONS[run.status].length === 0;
}

function moved(run: Run, status: RunStatus, fields: Partial<Run>): Run {
  if (!RUN_TRANSITIONS[run.status].includes(status)) {
    throw new Error(`a run that is ${run.status} cannot become ${status}`);
  }
  return Object.assign({ ...run }, fields, { status });
}

interface NewRun {
  readonly runId: string;
  readonly type: RunType;
  readonly purpose: RunPurpose;
  readonly session: Session;
  readonly generation: number;
  readonly prompt: string;
  readonly timeoutMs: number | null;
  readonly delayMs: number;
  readonly metadata: JsonObject;
  readonly demands?: Demands | undefined;
}

/** When a pending run fails because no runner has claimed it. */
export function unclaimedAt(run: Pick<Run, 'availableAt'>, now: number, limits: Limits): number {
  return Math.max(now, run.availableAt) + limits.runUnclaimedMs;
}

/**
 * True if a run waits only for a runner: no other run of its session is in progress or ahead of it, and its
 * generation has begun. State updates come first, then the oldest run.
 *
 * @param runs - Runs of the session that have not ended, oldest first.
 */
export function isNextInQueue(run: Run, generation: number, runs: readonly Run[]): boolean {
  if (run.status !== 'pending' || run.generation !== generation || runs.some(isUnderWay)) return false;
  const queue = runs.filter((one) => one.generation === generation);
  const first = queue.find((one) => one.purpose === 'state_update') ?? queue[0];
  return first?.runId === run.runId;
}

/** A pending run. It fails if no runner claims it in time. */
export function newRun(run: NewRun, now: number, limits: Limits): Run {
  const availableAt = now + run.delayMs;
  const from = demandsOf(run.session);
  return {
    runId: run.runId,
    type: run.type,
    purpose: run.purpose,
    sessionId: run.session.sessionId,
    sessionName: run.session.sessionName,
    rootSessionId: run.session.rootSessionId,
    generation: run.generation,
    prompt: run.prompt,
    status: 'pending',
    attempt: 0,
    leaseHash: null,
    leaseExpiresAt: null,
    runnerId: null,
    demands: {
      hostname: run.demands?.hostname ?? from.hostname,
      executorType: run.demands?.executorType ?? from.executorType,
      tags: run.demands?.tags ?? from.tags,
    },
    timeoutMs: run.timeoutMs,
    availableAt,
    metadata: run.metadata,
    error: null,
    cause: null,
    stopReason: null,
    usage: null,
    createdAt: now,
    claimedAt: null,
    startedAt: null,
    completedAt: null,
    dueAt: unclaimedAt({ availableAt }, now, limits),
    revision: 0,
  };
}

/** A session that has run resumes on the same host with the same executor. */
function demandsOf(session: Session): Demands {
  return {
    hostname: session.demands.hostname ?? session.hostname,
    executorType: session.demands.executorType ?? session.executorType,
    tags: session.demands.tags,
  };
}

/** Assigns the run to a runner, under a new lease. */
export function claimed(run: Run, runnerId: string, leaseHash: string, now: number, limits: Limits): Run {
  const leaseExpiresAt = now + limits.leaseMs;
  return moved(run, 'claimed', {
    attempt: run.attempt + 1,
    runnerId,
    leaseHash,
    leaseExpiresAt,
    claimedAt: now,
    dueAt: leaseExpiresAt,
  });
}

export function started(run: Run, now: number): Run {
  const startedRun = moved(run, 'running', { startedAt: now });
  return { ...startedRun, dueAt: dueAtOf(startedRun) };
}

/** A sign of life of the runner. */
export function leaseExtended(run: Run, now: number, limits: Limits): Run {
  const extended = { ...run, leaseExpiresAt: now + limits.leaseMs };
  return { ...extended, dueAt: dueAtOf(extended) };
}

/**
 * A sign of life of the runner of a stopping run. It shows that the runner is not lost. The deadline of the
 * stop stays.
 */
export function stillStopping(run: Run, now: number, limits: Limits): Run {
  return { ...run, leaseExpiresAt: now + limits.leaseMs };
}

/** When the next timer of the run fires: the end of its lease, or its timeout if that is earlier. */
function dueAtOf(run: Run): number | null {
  const timeoutAt = run.status === 'running' ? timeoutAtOf(run) : null;
  if (run.leaseExpiresAt === null) return timeoutAt;
  return timeoutAt === null ? run.leaseExpiresAt : Math.min(run.leaseExpiresAt, timeoutAt);
}

/** A run that has not ended, with the deadline that it should have. */
export function withDeadline(run: Run, now: number, limits: Limits): Run {
  if (run.dueAt !== null) return run;
  return run.status === 'pending'
    ? { ...run, dueAt: unclaimedAt(run, now, limits) }
    : leaseExtended(run, now, limits);
}

/** When the run exceeds its timeout, milliseconds since the epoch. */
export function timeoutAtOf(run: Run): number | null {
  return run.timeoutMs === null || run.startedAt === null ? null : run.startedAt + run.timeoutMs;
}

/** Tells the runner to end the run before the end of its present lease. */
export function stopping(run: Run, stopReason: NonNullable<Run['stopReason']>): Run {
  const stoppingRun = moved(run, 'stopping', { stopReason });
  return { ...stoppingRun, dueAt: run.leaseExpiresAt };
}

/**
 * The same by request. A run that is stopping for another cause stops by request from now on.
 *
 * @param error - Why, for its parent; `null` if nobody said why.
 */
export function stoppingByRequest(run: Run, error: string | null): Run {
  const stoppingRun = run.status === 'stopping' ? run : stopping(run, 'requested');
  return { ...stoppingRun, stopReason: 'requested', error };
}

/** Why it was requested that the run stops; `null` if it was not, or nobody said why. */
export function whyStopped(run: Run): string | null {
  return run.stopReason === 'requested' ? run.error : null;
}

/** Returns the run to the queue, for another runner or a later time. */
export function requeued(run: Run, error: string, delayMs: number, now: number, limits: Limits): Run {
  const availableAt = now + delayMs;
  return moved(run, 'pending', {
    runnerId: null,
    leaseExpiresAt: null,
    startedAt: null,
    stopReason: null,
    error,
    cause: 'environment',
    availableAt,
    dueAt: unclaimedAt({ availableAt }, now, limits),
  });
}

export interface RunEnd {
  readonly status: 'completed' | 'failed' | 'stopped' | 'timed_out';
  readonly error: string | null;
  readonly cause: FailureCause | null;
  readonly usage?: JsonValue | undefined;
}

export function ended(run: Run, end: RunEnd, now: number): Run {
  return moved(run, end.status, {
    error: end.error,
    cause: end.cause,
    usage: end.usage ?? run.usage,
    completedAt: now,
    leaseExpiresAt: null,
    dueAt: null,
  });
}

/** True if the report comes from the runner that holds the run (or held it when it ended). Nobody holds one that is pending. */
export function holdsLease(
  run: Run,
  held: { runnerId: string; attempt: number; leaseHash: string },
): boolean {
  const isHeld = run.status !== 'pending' && run.runnerId === held.runnerId;
  return isHeld && run.attempt === held.attempt && run.leaseHash === held.leaseHash;
}

/** True if a runner has everything that a run demands. */
export function fits(
  demands: Demands,
  runner: { hostname: string; executorTypes: readonly string[]; tags: readonly string[] },
): boolean {
  return (
    (demands.hostname === null || demands.hostname === runner.hostname) &&
    (demands.executorType === null || runner.executorTypes.includes(demands.executorType)) &&
    demands.tags.every((tag) => runner.tags.includes(tag))
  );
}

/** The failure for a run that does not exist. */
export function noRun(runId: string) {
  return fail('run_not_found', `There is no run ${runId}.`);
}
