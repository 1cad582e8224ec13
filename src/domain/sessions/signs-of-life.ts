// Detects external sessions that no longer send signs of life. While such a child works, its completion's
// `dueAt` is the time at which it counts as lost. Every sign of life moves that time. A root is never lost,
// because no session waits for it. A root that sent heartbeats is silent after the same time, and its token is
// valid again with the next heartbeat.
//
// | the child                                        | time without a sign of life                              |
// | ------------------------------------------------ | -------------------------------------------------------- |
// | was created with a heartbeat timeout             | that; 0 for never                                        |
// | sends heartbeats                                 | `sessionHeartbeatMs`                                     |
// | sends none, or was not started yet               | `sessionSilenceMs`                                       |
// | has ended its work, and callbacks wait for it    | `sessionSilenceMs` since the first; 0 for never as above |
// | has a request to record its result               | the time of that request, regardless of the above        |
// | has ended its work and waits for its children    | none                                                     |
import type { Limits } from '../limits.js';
import type { UnitOfWork } from '../transactions/unit-of-work.js';
import type { Completion, Session } from '../records/records.js';

/** Time without a sign of life after which a working session is lost, milliseconds; `null` for never. */
export function silenceMs(
  { external, parentSessionId, heartbeatTimeoutMs, heartbeatAt }: Session,
  { context: { limits } }: Pick<UnitOfWork, 'context'>,
): number | null {
  if (!external || parentSessionId === null || heartbeatTimeoutMs === 0) return null;
  return heartbeatTimeoutMs ?? (heartbeatAt === null ? limits.sessionSilenceMs : limits.sessionHeartbeatMs);
}

/** True if a root sent heartbeats, and then gave no sign of life for the heartbeat time. */
export function isSilentRoot(
  { external, parentSessionId, heartbeatTimeoutMs, heartbeatAt }: Session,
  now: number,
  { sessionHeartbeatMs }: Pick<Limits, 'sessionHeartbeatMs'>,
): boolean {
  if (!external || parentSessionId !== null || heartbeatAt === null || heartbeatTimeoutMs === 0) return false;
  return now > heartbeatAt + (heartbeatTimeoutMs ?? sessionHeartbeatMs);
}

/** Milliseconds between two signs of life that are stored; `null` if none is stored. */
export function signStepMs(session: Session, unit: Pick<UnitOfWork, 'context'>): number | null {
  const { limits } = unit.context;
  const { external, parentSessionId, heartbeatAt, heartbeatTimeoutMs } = session;
  const isRoot = external && parentSessionId === null && heartbeatAt !== null && heartbeatTimeoutMs !== 0;
  const timeMs = isRoot ? (heartbeatTimeoutMs ?? limits.sessionHeartbeatMs) : silenceMs(session, unit);
  return timeMs === null ? null : timeMs / limits.heartbeatsPerSilence;
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
export function heard(unit: UnitOfWork, sessionId: string, regular: boolean): void {
  const { session } = unit.aggregate(sessionId);
  if (session.external && session.parentSessionId === null) {
    heardOfRoot(unit, session, regular);
    return;
  }
  const completion = unit.completion(sessionId);
  if (!session.external || !isWatched(completion)) return;
  const alive = regular ? { ...session, heartbeatAt: unit.now } : session;
  const due = lostAt(alive, unit);
  const stepMs = (silenceMs(alive, unit) ?? Infinity) / unit.context.limits.heartbeatsPerSilence;
  const isFirst = regular && session.heartbeatAt === null;
  if (!isFirst && Math.abs((due ?? 0) - (completion.dueAt ?? 0)) < stepMs) return;
  if (regular) unit.putSession(alive);
  // After the end of its work, a session has no time limit except for callbacks that wait for it.
  if (completion.workOutcome !== null && completion.dueAt === null) return;
  const until = completion.workOutcome === null ? due : Math.max(due ?? 0, completion.dueAt ?? 0);
  unit.putCompletion({ ...completion, dueAt: until });
}

/** Stores signs of life of a root after its first heartbeat. Before that, its silence means nothing. */
function heardOfRoot(unit: UnitOfWork, session: Session, regular: boolean): void {
  const { heartbeatAt } = session;
  if (heartbeatAt === null && !regular) return;
  const stepMs = signStepMs({ ...session, heartbeatAt: unit.now }, unit);
  if (stepMs === null || (heartbeatAt !== null && unit.now - heartbeatAt < stepMs)) return;
  unit.putSession({ ...session, heartbeatAt: unit.now });
}

/** The session begins or continues: it gets its full time. */
export function watchWork(unit: UnitOfWork, sessionId: string): void {
  const completion = unit.completion(sessionId);
  if (completion.workOutcome !== null || completion.releasedAt !== null) return;
  const dueAt = lostAt(unit.aggregate(sessionId).session, unit);
  if (dueAt !== completion.dueAt) unit.putCompletion({ ...completion, dueAt });
}

/** Sets the time limit of a session that has ended its own work and has to pull callbacks of its children. */
export function watchHandOver(unit: UnitOfWork, sessionId: string): void {
  const { session } = unit.aggregate(sessionId);
  const completion = unit.completion(sessionId);
  if (silenceMs(session, unit) === null || completion.workOutcome === null) return;
  if (!isWatched(completion) || completion.dueAt !== null || !hasToPull(unit, sessionId)) return;
  unit.putCompletion({ ...completion, dueAt: unit.now + unit.context.limits.sessionSilenceMs });
}

/** True if callbacks wait to be pulled. */
export function hasToPull(unit: UnitOfWork, sessionId: string): boolean {
  return unit.aggregate(sessionId).inbox.some((one) => one.status === 'queued' && one.delivery === 'pull');
}
