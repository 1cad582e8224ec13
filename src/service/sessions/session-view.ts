// The view of a session.
import type { Completion, Session, Tree } from '../../domain/records/records.js';
import type * as api from '../../ports/api/index.js';
import type { MaybePromise } from '../../ports/maybe-promise.js';
import { sessionView } from '../views.js';

/** Where the records beside a session come from: the database, or for what was just written the known records. */
interface Source {
  tree(rootSessionId: string): MaybePromise<Tree | null>;
  completion(sessionId: string): MaybePromise<Completion | null>;
}

/** The view of a session, with members from its tree and its completion. */
export async function viewOf(source: Source, session: Session): Promise<api.SessionView> {
  const [tree, completion] = await Promise.all([
    source.tree(session.rootSessionId),
    source.completion(session.sessionId),
  ]);
  return sessionView(session, tree, completion);
}
