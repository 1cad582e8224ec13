// Finds the session that a hook event is about, and its place in the tree: state, contract, write scope.
import { mayActAs } from '../../domain/access/access.js';
import type { Result } from '../../domain/errors.js';
import { boundSessionId } from '../../domain/session-ids.js';
import type { SessionFacts } from '../../domain/hooks/context.js';
import type { HookEvent } from '../../domain/hooks/event.js';
import { isElsewhere } from '../../domain/hooks/nested.js';
import type { Session } from '../../domain/records/records.js';
import type { HookOptions } from '../../ports/hook-service.js';
import type { Store } from '../../ports/storage/store.js';
import type { SignsOfLife } from '../sessions/signs-of-life.js';
import type { Caller } from '../caller.js';
import { andThen, mapped, reachSession } from '../results.js';

interface Parts {
  readonly store: Store;
  readonly signs: SignsOfLife;
}

export const DEFAULT_URL = 'http://127.0.0.1:4717';

/** The id or name of the session that represents the client's session. */
export function sessionNamed({ actor }: Caller<Parts>, event: HookEvent, options: HookOptions): string {
  if (options.session !== undefined) return options.session;
  return actor.kind === 'session'
    ? actor.sessionId
    : boundSessionId(event.client.name, event.clientSessionId);
}

/** The session that the caller may speak for; or `session_not_found` or `forbidden`. The hook is a sign of its life. */
export async function hookedSession(
  caller: Caller<Parts>,
  event: HookEvent,
  options: HookOptions,
): Promise<Result<Session>> {
  return andThen(reachSession(caller, 'orchestrate', sessionNamed(caller, event, options)), (session) =>
    mapped(mayActAs(caller.actor, session.sessionId), () => {
      const { sessionId, rootSessionId, external } = session;
      if (external && !isElsewhere(session, event)) caller.context.signs.ofSession(sessionId, rootSessionId);
      return session;
    }),
  );
}

export async function sessionFactsOf(
  { context }: Caller<Parts>,
  session: Session,
  { url = DEFAULT_URL }: HookOptions,
): Promise<SessionFacts> {
  const [tree, completion] = await Promise.all([
    context.store.read.tree(session.rootSessionId),
    context.store.read.completion(session.sessionId),
  ]);
  return {
    session,
    stateId: tree?.stateId ?? null,
    contract: completion?.settings.contract ?? null,
    writeScope: completion?.settings.writeScope ?? null,
    url,
  };
}

/** Reads the session again, to get its present record. */
export async function readAgain({ context }: Caller<Parts>, session: Session): Promise<Session> {
  return (await context.store.read.session(session.sessionId)) ?? session;
}
