// The statuses of a session, and the only place that sets them.
import type { Session, SessionStatus } from '../records/records.js';
import { checkTransition, type Transitions } from './transitions.js';

/** A session that has run or was stopped is never pending again. Any later run may end in any status. */
export const SESSION_TRANSITIONS: Transitions<SessionStatus> = {
  pending: ['running', 'finished', 'failed', 'stopped'],
  running: ['finished', 'failed', 'stopped'],
  finished: ['running', 'failed', 'stopped'],
  failed: ['running', 'finished', 'stopped'],
  stopped: ['running', 'finished', 'failed'],
};

export function sessionWith(
  session: Session,
  status: SessionStatus,
  now: number,
  fields: Partial<Session> = {},
): Session {
  checkTransition('session', SESSION_TRANSITIONS, session.status, status);
  return Object.assign({ ...session }, fields, { status, updatedAt: now });
}

/** True if the session can get more work: with a resume, or with a callback of a child. */
export function isResumable(session: Session): boolean {
  return session.deletedAt === null && session.status !== 'stopped' && session.status !== 'failed';
}
