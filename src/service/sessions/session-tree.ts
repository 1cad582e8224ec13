// Builds the view of a session with all its descendants.
import type { Session } from '../../domain/records/records.js';
import type { SessionTree } from '../../ports/api/index.js';
import type { Page } from '../../ports/storage/page.js';
import type { Store } from '../../ports/storage/store.js';
import type { TimeSlices } from '../../lib/time-slices.js';
import type { Caller } from '../caller.js';
import { nullIfDamaged } from '../results.js';
import { sessionView } from '../views.js';

interface Parts {
  readonly store: Store;
  readonly slices: TimeSlices;
}

/** Sessions per read. Between two reads the event loop may run other work. */
const SESSIONS_PER_STEP = 200;

/** Shows each session once, so that edited rows in which a session is its own ancestor do not loop for ever. */
export async function sessionTree({ context }: Caller<Parts>, top: Session): Promise<SessionTree> {
  const { read } = context.store;
  const placed = new Set<string>();
  const tree = await read.tree(top.rootSessionId);
  const children = await childrenIn(context, top.rootSessionId);
  const below = async (session: Session): Promise<SessionTree> => {
    placed.add(session.sessionId);
    const pause = context.slices.yieldIfDue();
    if (pause !== undefined) await pause;
    const view = sessionView(session, tree, await read.completion(session.sessionId));
    const shown: SessionTree[] = [];
    for (const child of children.get(session.sessionId) ?? []) {
      if (placed.has(child.sessionId)) continue;
      const branch = await nullIfDamaged(below(child));
      if (branch !== null) shown.push(branch);
    }
    return { ...view, children: shown };
  };
  return below(top);
}

/** The sessions of a tree by parent, oldest first. */
async function childrenIn(
  { store, slices }: Parts,
  rootSessionId: string,
): Promise<ReadonlyMap<string, readonly Session[]>> {
  const children = new Map<string, Session[]>();
  let cursor: string | null = null;
  do {
    const pause = slices.yieldIfDue();
    if (pause !== undefined) await pause;
    const page: Page<Session> = await store.read.sessions(
      { rootSessionId },
      { limit: SESSIONS_PER_STEP, cursor },
    );
    for (const session of page.items) {
      if (session.parentSessionId === null) continue;
      const siblings = children.get(session.parentSessionId);
      if (siblings === undefined) children.set(session.parentSessionId, [session]);
      else siblings.push(session);
    }
    cursor = page.nextCursor;
  } while (cursor !== null);
  return children;
}
