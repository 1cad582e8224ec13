// Reads the view of a session.
import type { Session } from '../../domain/records/records.js';
import type * as api from '../../ports/api/index.js';
import type { Store } from '../../ports/storage/store.js';
import type { Caller } from '../caller.js';
import { sessionView } from '../views.js';

interface Parts {
  readonly store: Store;
}

/** The view of a session, with members from its tree and its completion. */
export async function viewOf({ context }: Caller<Parts>, session: Session): Promise<api.SessionView> {
  const [tree, completion] = await Promise.all([
    context.store.read.tree(session.rootSessionId),
    context.store.read.completion(session.sessionId),
  ]);
  return sessionView(session, tree, completion);
}
