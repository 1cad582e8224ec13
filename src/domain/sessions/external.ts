// Reports of external sessions about themselves. The service cannot resume them, so their state update is a
// request that they read.
import { apply } from '../completion/apply-event.js';
import { isOver, openAttemptOf } from '../completion/attempts.js';
import { afterSettling, type AfterSettling } from '../transactions/after-settling.js';
import type { UnitOfWork } from '../transactions/unit-of-work.js';
import { ok, fail, type Result } from '../errors.js';
import { boundedText } from '../excerpt.js';
import { unframed } from '../framing.js';
import type { JsonValue } from '../json/json.js';
import type { Completion } from '../records/records.js';
import { findSession, noSession } from './create.js';
import { generationForNewWork } from './generation.js';
import { lose } from './end.js';
import { startedAt, withClientEnded } from './presence.js';
import { noteSignOfLife, isWatched, watchWork } from './signs-of-life.js';
import { sessionWith } from '../lifecycle/session.js';

export interface SessionReport {
  /**
   * session_start: work begins. message: a sign of life. heartbeat: a regular sign of life. session_stop: the
   * work, or an attempt to record its result, ends. session_end: the client ends and the work does not
   * continue.
   */
  readonly type: 'session_start' | 'message' | 'heartbeat' | 'session_stop' | 'session_end';
  readonly resultText: string | null;
  readonly resultData: JsonValue;
  readonly executorSessionId: string | null;
  /** Why the client ended, in its own words; only with `session_end`. */
  readonly reason?: string | null;
  /** The session reports with its own token. A start then keeps that token valid: its client may have no other. */
  readonly byOwnToken?: boolean;
}

/**
 * Applies a session's report. The first stop ends its work, and each further one ends an attempt. A message is
 * a sign of life and is not stored. After a heartbeat, the service expects further ones.
 *
 * @returns The completion after the report, with the request that the session has to answer; or `session_not_found`,
 *   `session_not_external`, `limit_exceeded`.
 */
export function sessionReported(
  unit: UnitOfWork,
  idOrName: string,
  said: SessionReport,
): Result<AfterSettling<Completion>> {
  const session = findSession(unit, idOrName);
  if (session === null) return noSession(idOrName);
  if (!session.external) {
    return fail('session_not_external', `${session.sessionName} is run by a runner, which reports for it.`);
  }
  const { sessionId } = session;
  const size = (said.resultText?.length ?? 0) + JSON.stringify(said.resultData).length;
  const { resultBytesMax } = unit.context.limits;
  if (size > resultBytesMax) {
    return fail(
      'limit_exceeded',
      `The result has ${String(size)} characters; at most ${String(resultBytesMax)} are allowed.`,
      {
        limit: 'resultBytesMax',
        maximum: resultBytesMax,
        actual: size,
      },
    );
  }
  if (said.executorSessionId !== null) {
    unit.putSession({ ...unit.aggregate(sessionId).session, executorSessionId: said.executorSessionId });
  }
  switch (said.type) {
    case 'session_start':
      began(unit, sessionId, said.byOwnToken ?? false);
      break;
    case 'message':
      unit.putSession({ ...unit.aggregate(sessionId).session, updatedAt: unit.now });
      noteSignOfLife(unit, sessionId, false);
      break;
    case 'heartbeat':
      noteSignOfLife(unit, sessionId, true);
      break;
    case 'session_stop':
      stopped(unit, sessionId, said);
      break;
    case 'session_end':
      ended(unit, sessionId, said.reason ?? null);
      break;
  }
  return ok(afterSettling(() => unit.completion(sessionId)));
}

function began(unit: UnitOfWork, sessionId: string, keepsToken: boolean): void {
  const completion = unit.completion(sessionId);
  if (isOver(completion)) generationForNewWork(unit, sessionId);
  // A session that waits for its children takes up its work again. One that is asked for its result answers that.
  else if (isWatched(completion)) apply(unit, sessionId, { type: 'work_began' });
  const { session } = unit.aggregate(sessionId);
  const resumed = session.status !== 'pending' && !keepsToken;
  unit.putSession(
    sessionWith(session, 'running', unit.now, {
      // Tokens of the start before differ from those of this one, also within a millisecond.
      lastResumedAt: resumed ? Math.max(unit.now, startedAt(session) + 1) : session.lastResumedAt,
      // It is not known yet whether the new client sends heartbeats.
      heartbeatAt: null,
    }),
  );
  watchWork(unit, sessionId);
}

function stopped(unit: UnitOfWork, sessionId: string, said: SessionReport): void {
  const completion = unit.completion(sessionId);
  const { session } = unit.aggregate(sessionId);
  // A session that was lost or stopped stays so: its parent has the callback already. A session_start begins new work.
  const wasStopped = completion.workOutcome === 'stopped' && completion.releasedAt !== null;
  const status = isLost(completion) ? 'failed' : wasStopped ? 'stopped' : 'finished';
  unit.putSession(sessionWith(session, status, unit.now));
  if (openAttemptOf(completion) !== null) {
    apply(unit, sessionId, { type: 'update_ended', how: 'ended', error: null });
  } else {
    apply(unit, sessionId, {
      type: 'work_ended',
      outcome: 'completed',
      resultText: said.resultText,
      resultData: said.resultData,
      error: null,
      cause: null,
    });
  }
}

/** The client ends, and with it the session's token. If the completion is released already, no work is lost. */
function ended(unit: UnitOfWork, sessionId: string, why: string | null): void {
  clientEnded(unit, sessionId);
  const { parentSessionId } = unit.aggregate(sessionId).session;
  if (parentSessionId !== null && unit.completion(sessionId).releasedAt === null) {
    const because = why === null ? '' : ` (${boundedText(unframed(why), REASON_CHARACTERS_MAX)})`;
    lose(unit, sessionId, `Its client ended${because} before its work was done.`);
  }
  const { session } = unit.aggregate(sessionId);
  if (session.status === 'running') unit.putSession(sessionWith(session, 'finished', unit.now));
}

/** Records that no client has the session, until its next start. */
export function clientEnded(unit: UnitOfWork, sessionId: string): void {
  unit.putSession(withClientEnded(unit.aggregate(sessionId).session));
}

const REASON_CHARACTERS_MAX = 200;

/** True if the session's present generation was released as lost. */
export function isLost({ workOutcome, releasedAt }: Completion): boolean {
  return workOutcome === 'lost' && releasedAt !== null;
}
