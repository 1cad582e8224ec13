// The view of a session.
import type { Completion, Session, Tree } from '../../domain/records/records.js';
import { afterSettling, type AfterSettling } from '../../domain/transactions/after-settling.js';
import type { UnitOfWork } from '../../domain/transactions/unit-of-work.js';
import type * as api from '../../ports/api/index.js';
import type { Store } from '../../ports/storage/store.js';
import { sessionView } from '../views.js';

/** What the view of a session shows, as a decision has left it. */
export interface DecidedSession {
  readonly session: Session;
  readonly tree: Pick<Tree, 'stateId'>;
  readonly completion: Pick<Completion, 'status'>;
}

/** The view of a session, with members from its tree and its completion. */
export async function viewOf({ read }: Store, session: Session): Promise<api.SessionView> {
  const [tree, completion] = await Promise.all([
    read.tree(session.rootSessionId),
    read.completion(session.sessionId),
  ]);
  return sessionView(session, tree, completion);
}

/** The result of a decision that an answer shows as a session. */
export function decidedSession(unit: UnitOfWork, sessionId: string): AfterSettling<DecidedSession> {
  return afterSettling(() => {
    const { session } = unit.aggregate(sessionId);
    const { stateId } = unit.tree(session.rootSessionId);
    const { status } = unit.completion(sessionId);
    return { session, tree: { stateId }, completion: { status } };
  });
}

export function decidedView({ session, tree, completion }: DecidedSession): api.SessionView {
  return sessionView(session, tree, completion);
}
