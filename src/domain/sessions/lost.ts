// External sessions that are lost.
import { apply } from '../completion/conduct.js';
import type { UnitOfWork } from '../transactions/unit-of-work.js';
import { hasToPull, silenceMs } from './signs-of-life.js';
import { sessionWith } from './status.js';

/** The time without a sign of life is over. */
export function silenceOver(draft: UnitOfWork, sessionId: string): void {
  const { session } = draft.desk(sessionId);
  const completion = draft.completion(sessionId);
  const waits = completion.workOutcome !== null;
  if (silenceMs(session, draft) === null || (waits && !hasToPull(draft, sessionId))) {
    draft.putCompletion({ ...completion, dueAt: null });
    return;
  }
  const afterMs = waits ? draft.context.limits.sessionSilenceMs : silenceMs(session, draft);
  const seconds = String(Math.round((afterMs ?? 0) / 1000));
  lose(
    draft,
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
export function lose(draft: UnitOfWork, sessionId: string, reason: string): void {
  const { session } = draft.desk(sessionId);
  const before = draft.completion(sessionId);
  if (before.releasedAt === null && before.status !== 'completed' && before.status !== 'pending') {
    draft.putSession(sessionWith(session, 'failed', draft.now));
  }
  apply(draft, sessionId, { type: 'lost', reason });
  // A recorded result that is due for release is released now.
  draft.touched.add(sessionId);
}
