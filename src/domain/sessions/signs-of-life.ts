// Detects children that nobody continues. While a child works or waits, its completion's `dueAt` is the time at which it
// counts as lost, or its callbacks as not taken. Every sign of life of an external session moves that time. A root has no
// such time, because no session waits for it.
//
// | the child                                        | time without a sign of life                              |
// | ------------------------------------------------ | -------------------------------------------------------- |
// | was created with a heartbeat timeout             | that; 0 for never                                        |
// | sends heartbeats                                 | `sessionHeartbeatMs`                                     |
// | sends none, or was not started yet               | `sessionSilenceMs`                                       |
// | has ended its work, and callbacks wait for it    | `sessionSilenceMs` since the first; 0 for never as above |
// | has a request to record its result               | the time of that request, regardless of the above        |
// | has ended its work and waits for its children    | none                                                     |
//
// | the child that a runner runs, without a run      | time                                                     |
// | ------------------------------------------------ | -------------------------------------------------------- |
// | was not started yet                              | `sessionSilenceMs`                                       |
// | has ended its work, and has callbacks to pull    | `sessionSilenceMs` since the first                       |
//
// The signs of life that tokens depend on are in presence.ts.
import type { Limits } from '../limits.js';
import type { UnitOfWork } from '../transactions/unit-of-work.js';
import { openAttemptOf } from '../completion/attempts.js';
import type { Callback, Completion, Session } from '../records/records.js';
import { hasClientEnded, lastHeartbeatAt, tokenSilenceMs, withSign } from './presence.js';

/** A unit of work, as far as the times depend on it. */
interface WithLimits {
  readonly context: { readonly limits: Limits };
}

/** Time without a sign of life after which a working session is lost, milliseconds; `null` for never. */
export function silenceMs(session: Session, { context: { limits } }: WithLimits): number | null {
  const { external, parentSessionId, heartbeatTimeoutMs } = session;
  if (!external || parentSessionId === null || heartbeatTimeoutMs === 0) return null;
  return (
    heartbeatTimeoutMs ??
    (lastHeartbeatAt(session) !== null ? limits.sessionHeartbeatMs : limits.sessionSilenceMs)
  );
}

/** Milliseconds between two signs of life that are stored; `null` if none is stored. */
export function signStepMs(session: Session, unit: WithLimits): number | null {
  const { limits } = unit.context;
  const times = [silenceMs(session, unit), tokenSilenceMs(session, limits)].filter((ms) => ms !== null);
  return times.length === 0 ? null : Math.min(...times) / limits.heartbeatsPerSilence;
}

/** When a session that gives a sign of life now will count as lost; `null` for never. */
export function lostAt(session: Session, unit: Pick<UnitOfWork, 'context' | 'now'>): number | null {
  const afterMs = silenceMs(session, unit);
  return afterMs === null ? null : unit.now + afterMs;
}

/** True if a completion's `dueAt` is the time at which its session counts as lost. */
export function isWatched({ status, workOutcome, releasedAt }: Completion): boolean {
  return releasedAt === null && (workOutcome === null || (status !== 'pending' && status !== 'completed'));
}

/**
 * Records a sign of life. Signs in quick succession count as one.
 *
 * @param regular - True for a heartbeat: the session is lost if no further ones arrive.
 */
export function noteSignOfLife(unit: UnitOfWork, sessionId: string, regular: boolean): void {
  const { session } = unit.aggregate(sessionId);
  const present = withSign(session, unit.now, regular, unit.context.limits);
  if (present !== session) unit.putSession(present);
  if (session.parentSessionId !== null) watch(unit, session, regular);
}

/** Moves the time at which a child at work counts as lost. */
function watch(unit: UnitOfWork, session: Session, regular: boolean): void {
  const { sessionId } = session;
  const completion = unit.completion(sessionId);
  if (!session.external || !isWatched(completion)) return;
  const isHeartbeat = regular && !hasClientEnded(session);
  const alive = isHeartbeat ? { ...session, heartbeatAt: unit.now } : session;
  const due = lostAt(alive, unit);
  const stepMs = (silenceMs(alive, unit) ?? Infinity) / unit.context.limits.heartbeatsPerSilence;
  const isFirst = isHeartbeat && session.heartbeatAt === null;
  if (!isFirst && Math.abs((due ?? 0) - (completion.dueAt ?? 0)) < stepMs) return;
  if (isHeartbeat) unit.putSession({ ...unit.aggregate(sessionId).session, heartbeatAt: unit.now });
  // After the end of its work, a session has no time limit except for callbacks that wait for it.
  if (completion.workOutcome !== null && completion.dueAt === null) return;
  const until = completion.workOutcome === null ? due : Math.max(due ?? 0, completion.dueAt ?? 0);
  unit.putCompletion({ ...completion, dueAt: until });
}

/** The session begins or continues: it gets its full time. */
export function watchWork(unit: UnitOfWork, sessionId: string): void {
  const completion = unit.completion(sessionId);
  if (completion.workOutcome !== null || completion.releasedAt !== null) return;
  const dueAt = lostAt(unit.aggregate(sessionId).session, unit);
  if (dueAt !== completion.dueAt) unit.putCompletion({ ...completion, dueAt });
}

/**
 * Time that a child has to be started, or to pull callbacks once its work has ended, milliseconds; `null` for no limit.
 */
export function restMs(session: Session, unit: Pick<UnitOfWork, 'context'>): number | null {
  const { external, parentSessionId } = session;
  const isFree = external ? silenceMs(session, unit) === null : parentSessionId === null;
  return isFree ? null : unit.context.limits.sessionSilenceMs;
}

/**
 * Sets the time limit of a session without a run that waits for somebody: to be started by its parent, or to pull callbacks
 * of its children.
 */
export function watchRest(unit: UnitOfWork, sessionId: string): void {
  const { session } = unit.aggregate(sessionId);
  const completion = unit.completion(sessionId);
  const limitMs = restMs(session, unit);
  if (limitMs === null || completion.releasedAt !== null || openAttemptOf(completion) !== null) return;
  const { workOutcome } = completion;
  const waits = workOutcome === null ? !session.external : hasToPull(unit, sessionId);
  if (waits && completion.dueAt === null) unit.putCompletion({ ...completion, dueAt: unit.now + limitMs });
  // All callbacks were pulled: the next ones get their full time.
  const isOver = !waits && workOutcome !== null && isWatched(completion) && completion.dueAt !== null;
  if (isOver) unit.putCompletion({ ...completion, dueAt: null });
}

/** True if callbacks wait to be pulled. */
export function hasToPull(unit: UnitOfWork, sessionId: string): boolean {
  return unit.aggregate(sessionId).inbox.some(isToPull);
}

/** True for a callback that waits to be pulled. */
export function isToPull({ status, delivery }: Callback): boolean {
  return status === 'queued' && delivery === 'pull';
}
