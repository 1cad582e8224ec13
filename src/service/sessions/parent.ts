// The parent of a new session, what only a child may have, and names that contradict each other.
import { mayControl, reachRecord } from '../../domain/access/access.js';
import { ok, invalidMember, type Result } from '../../domain/errors.js';
import type { Session } from '../../domain/records/records.js';
import { noSession } from '../../domain/sessions/create.js';
import type * as api from '../../ports/api/index.js';
import type { Store } from '../../ports/storage/store.js';
import type { Caller } from '../caller.js';
import type { KnownRecords } from '../known-records.js';
import { ancestorsOf, andThen, mapped } from '../results.js';

interface Parts {
  readonly store: Store;
  readonly known: KnownRecords;
}

/**
 * Refuses terms of a root in a request that creates a session. The default terms of a named agent are not refused:
 * they are meant for when the agent runs as a child.
 */
export function noTermsOfNewRoot(
  { actor }: Caller<Parts>,
  body: Pick<api.SessionCreate, 'parent_session_id' | 'parent_session_name' | 'completion'>,
): Result<null> {
  const isRoot =
    (body.parent_session_id ?? body.parent_session_name) === undefined && actor.kind !== 'session';
  return isRoot
    ? noTermsOfRoot(body.completion, 'parent_session_id, parent_session_name, or a call made as the parent')
    : ok(null);
}

/**
 * Refuses a contract for a root, which nothing checks, so that it would be ignored silently; and a write scope,
 * because the state is the root's own.
 *
 * @param otherwise - What makes the session a child.
 */
export function noTermsOfRoot(
  completion: api.CompletionOptions | undefined,
  otherwise: string,
): Result<null> {
  if (completion?.contract !== undefined) {
    const message = 'the session is a root, and nobody holds a root to a contract';
    return invalidMember('/completion/contract', message, `no contract; or ${otherwise}`);
  }
  if (completion?.write_scope === undefined) return ok(null);
  const message = 'the session is a root, and a root may change the whole state';
  return invalidMember('/completion/write_scope', message, `no write scope; or ${otherwise}`);
}

/**
 * The parent of a new session: the named one, else the calling session.
 *
 * @returns The parent; or `session_not_found`, `forbidden`, or `invalid_request` if id and name contradict each other.
 */
export async function parentOf(
  caller: Caller<Parts>,
  body: { parent_session_id?: string; parent_session_name?: string },
): Promise<Result<{ parent: string | null; rootSessionId: string | null }>> {
  const { context, actor } = caller;
  const named = body.parent_session_id ?? body.parent_session_name;
  if (named === undefined) {
    return actor.kind === 'session'
      ? ok({ parent: actor.sessionId, rootSessionId: actor.rootSessionId })
      : ok({ parent: null, rootSessionId: null });
  }
  const known = await context.known.session(named);
  return andThen(
    reachRecord(actor, known, () => noSession(named)),
    async (parent) => {
      // A session may create children of itself and of its descendants only.
      const ancestors =
        actor.kind === 'session' ? [parent.sessionId, ...(await ancestorsOf(caller, parent))] : [];
      const may = mayControl(actor, ancestors);
      const named = {
        '/parent_session_id': body.parent_session_id,
        '/parent_session_name': body.parent_session_name,
      };
      return mapped(may.ok ? checkNames(parent, named) : may, () => ({
        parent: parent.sessionId,
        rootSessionId: parent.rootSessionId,
      }));
    },
  );
}

/**
 * Refuses a request that names two sessions where it means one.
 *
 * @param named - What the request calls the session, by pointer: its id or its name.
 */
export function checkNames(
  { sessionId, sessionName }: Session,
  named: Readonly<Record<string, string | undefined>>,
): Result<null> {
  for (const [pointer, name] of Object.entries(named)) {
    if (name === undefined || name === sessionId || name === sessionName) continue;
    return invalidMember(
      pointer,
      `is not ${sessionName}, which the request names too`,
      'the id or the name of one session',
    );
  }
  return ok(null);
}
