// Reads the view of a session.
import type { Session } from '../../domain/records/records.js';
import type * as api from '../../ports/api/index.js';
import type { Store } from '../../ports/storage/store.js';
import type { Caller } from '../caller.js';
import type { KnownRecords } from '../known-records.js';
import { sessionView } from '../views.js';

interface Parts {
  readonly store: Store;
}

interface KnownParts {
  readonly known: KnownRecords;
}

/** The view of a session, with members from its tree and its completion. */
export async function viewOf({ context }: Caller<Parts>, session: Session): Promise<api.SessionView> {
  const [tree, completion] = await Promise.all([
    context.store.read.tree(session.rootSessionId),
    context.store.read.completion(session.sessionId),
  ]);
  return sessionView(session, tree, completion);
}

/** The view of a session that this request has written: what the commit left in memory is not read again. */
export async function viewOfWritten(
  { context: { known } }: Caller<KnownParts>,
  session: Session,
): Promise<api.SessionView> {
  const [tree, completion] = await Promise.all([
    known.tree(session.rootSessionId),
    known.completion(session.sessionId),
  ]);
  return sessionView(session, tree, completion);
}
