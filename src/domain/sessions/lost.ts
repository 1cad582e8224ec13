// External sessions that are lost.
import { apply } from '../completion/apply-event.js';
import type { UnitOfWork } from '../transactions/unit-of-work.js';
import { hasToPull, silenceMs } from './signs-of-life.js';
import { sessionWith } from './status.js';

/** The time without a sign of life is over. */
export function silenceOver(unit: UnitOfWork, sessionId: string): void {
  const { session } = unit.aggregate(sessionId);
  const completion = unit.completion(sessionId);
  const waits = completion.workOutcome !== null;
  if (silenceMs(session, unit) === null || (waits && !hasToPull(unit, sessionId))) {
    unit.putCompletion({ ...completion, dueAt: null });
    return;
  }
  const afterMs = waits ? unit.context.limits.sessionSilenceMs : silenceMs(session, unit);
  const seconds = String(Math.round((afterMs ?? 0) / 1000));
  lose(
    unit,
    sessionId,
    `${WHY[waits ? 'waits' : session.status === 'pending' ? 'new' : 'works']} ${seconds} s.`,
  );
}

const WHY = {
  new: 'It was never started, within',
  works: 'It gave no sign of life for',
  waits: 'It did not take the callbacks of its children for',
};

/**
 * Marks a session as lost, because no client continues its work.
 *
 * @param reason - A sentence.
 */
export function lose(unit: UnitOfWork, sessionId: string, reason: string): void {
  const { session } = unit.aggregate(sessionId);
  const before = unit.completion(sessionId);
  if (before.releasedAt === null && before.status !== 'completed' && before.status !== 'pending') {
    unit.putSession(sessionWith(session, 'failed', unit.now));
  }
  apply(unit, sessionId, { type: 'lost', reason });
  // A recorded result that is due for release is released now.
  unit.touched.add(sessionId);
}
