// Sessions that nobody continues: external ones that are lost, those that were never started, and those that do not pull the
// callbacks that they wait for.
import { firstToPull, notPulled } from '../callbacks/pull.js';
import { openAttemptOf } from '../completion/attempts.js';
import type { UnitOfWork } from '../transactions/unit-of-work.js';
import { hasToPull, isWatched, restMs, silenceMs } from '../sessions/signs-of-life.js';
import { lose } from '../sessions/end.js';
import { hasRuns } from '../sessions/waits.js';

/**
 * The time limit of a session that works or waits is over. It is lost, unless a runner runs it and its work has ended: then
 * it continues without the callbacks that it did not pull.
 */
export function silenceOver(unit: UnitOfWork, sessionId: string): void {
  const { session } = unit.aggregate(sessionId);
  const completion = unit.completion(sessionId);
  const waits = completion.workOutcome !== null;
  const afterMs = waits || !session.external ? restMs(session, unit) : silenceMs(session, unit);
  if (afterMs === null || hasRuns(unit, sessionId) || (waits && !hasToPull(unit, sessionId))) {
    unit.putCompletion({ ...completion, dueAt: null });
  } else if (waits && !session.external) {
    giveUpPulling(unit, sessionId, afterMs);
  } else {
    const why = waits ? 'waits' : session.status === 'pending' ? 'new' : 'works';
    lose(unit, sessionId, `${WHY[why]} ${inSeconds(afterMs)}.`);
  }
}

const WHY = {
  new: 'It was never started, within',
  works: 'It gave no sign of life for',
  waits: 'It did not take the callbacks of its children for',
};

/**
 * A session that was asked for its result already, and waits for nothing but callbacks that it does not pull, continues
 * without them once their time is over.
 *
 * @returns False if it does not wait for that, or not long enough.
 */
export function pullingOver(unit: UnitOfWork, sessionId: string): boolean {
  const { session } = unit.aggregate(sessionId);
  const completion = unit.completion(sessionId);
  const limitMs = restMs(session, unit);
  if (limitMs === null || isWatched(completion) || completion.releasedAt !== null) return false;
  if (openAttemptOf(completion) !== null || hasRuns(unit, sessionId)) return false;
  const first = firstToPull(unit, sessionId);
  const isLate = first !== null && first + limitMs <= unit.now;
  if (isLate) giveUpPulling(unit, sessionId, limitMs);
  return isLate;
}

/** The callbacks whose time is over become dead letters. Those that came later keep the rest of theirs. */
function giveUpPulling(unit: UnitOfWork, sessionId: string, afterMs: number): void {
  const reason = `The parent did not pull it within ${inSeconds(afterMs)} after its own work had ended.`;
  notPulled(unit, sessionId, unit.now - afterMs, reason);
  const next = firstToPull(unit, sessionId);
  unit.putCompletion({ ...unit.completion(sessionId), dueAt: next === null ? null : next + afterMs });
}

function inSeconds(ms: number): string {
  return `${String(Math.round(ms / 1000))} s`;
}
