// A session with everything below it.
import type { Session } from '../domain/records.js';
import type { SessionTree } from '../ports/api/index.js';
import type { Caller } from './context.js';
import { sessionView } from './views.js';

export async function sessionTree({ context }: Caller, top: Session): Promise<SessionTree> {
  const { read } = context.store;
  const [sessions, tree] = await Promise.all([
    read.treeSessions(top.rootSessionId),
    read.tree(top.rootSessionId),
  ]);
  const children = new Map<string, Session[]>();
  for (const session of sessions) {
    if (session.parentSessionId === null) continue;
    const siblings = children.get(session.parentSessionId);
    if (siblings === undefined) children.set(session.parentSessionId, [session]);
    else siblings.push(session);
  }
  const below = async (session: Session): Promise<SessionTree> => {
    const turn = context.slices.turn();
    if (turn !== undefined) await turn;
    const view = sessionView(session, tree, await read.completion(session.sessionId));
    const shown: SessionTree[] = [];
    for (const child of children.get(session.sessionId) ?? []) shown.push(await below(child));
    return { ...view, children: shown };
  };
  return below(top);
}
