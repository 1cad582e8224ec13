// The session-start hook. Registers an external session, or finds the registered one, and returns its context.
import { mayBeSessionId, boundSessionId } from '../../domain/session-ids.js';
import { ok, type Result } from '../../domain/errors.js';
import type { HookResult } from '../../domain/hooks/result.js';
import { identityOf, sessionContext } from '../../domain/hooks/context.js';
import type { SessionStartEvent, SubagentStopEvent } from '../../domain/hooks/event.js';
import {
  CLIENT_SESSION_VARIABLE,
  isElsewhere,
  staysElsewhere,
  unboundContext,
} from '../../domain/hooks/nested.js';
import type { Session } from '../../domain/records/records.js';
import { findSession, noSession } from '../../domain/sessions/create.js';
import { isName } from '../../domain/names.js';
import { sessionReported } from '../../domain/sessions/external.js';
import { hasClientEnded, startedAt } from '../../domain/sessions/presence.js';
import type { SessionCreate } from '../../ports/api/index.js';
import type { HookOptions } from '../../ports/hook-service.js';
import type { SessionTokens } from '../access/session-tokens.js';
import type { Caller } from '../caller.js';
import { andThen, mapped, reachSession } from '../results.js';
import { newSession, type CreateSessionParts } from '../sessions/create-session.js';
import { workflowLines, type WorkflowFactsParts } from './workflow-facts.js';
import { DEFAULT_URL, readAgain, hookedSession, sessionNamed, sessionFactsOf } from './hooked-session.js';

export interface SessionStartParts extends CreateSessionParts, WorkflowFactsParts {
  /** Whether requests need a token. Without it, headers identify the session of a caller on the loopback address. */
  readonly auth: boolean;
  readonly tokens: SessionTokens;
}

/** @see HookService.answer */
export async function answerSessionStart(
  caller: Caller<SessionStartParts>,
  event: SessionStartEvent,
  options: HookOptions,
): Promise<Result<HookResult>> {
  const known = await hookedSession(caller, event, options);
  const unknown = !known.ok && known.failure.error === 'session_not_found';
  const session = unknown ? await register(caller, event, options) : known;
  return andThen(session, async (found) =>
    andThen(await begun(caller, event, options, found, unknown), async (bound) => {
      if (!bound) {
        const text = unboundContext(found, options.url ?? DEFAULT_URL);
        return ok<HookResult>({ verdict: 'begin', text });
      }
      const standing = await sessionFactsOf(caller, await readAgain(caller, found), options);
      const environment = {
        ...identityOf(standing),
        [CLIENT_SESSION_VARIABLE]: event.clientSessionId,
        ...(await tokenFor(caller, standing.session)),
      };
      const text = sessionContext(standing, await workflowLines(caller.context, standing.stateId));
      return ok<HookResult>({ verdict: 'begin', text, environment });
    }),
  );
}

/** The child session that represents a sub-agent. Created at the sub-agent's first hook. */
export async function childSession(
  caller: Caller<SessionStartParts>,
  event: SubagentStopEvent,
  parent: Session,
): Promise<Result<Session>> {
  const sessionId = boundSessionId(event.client.name, event.clientSessionId, event.agentId);
  const known = await caller.context.store.read.session(sessionId);
  if (known !== null) {
    // The client chooses the agent id, so the id may name an agent of another session.
    return known.parentSessionId === parent.sessionId ? ok(known) : noSession(sessionId);
  }
  return created(caller, sessionId, {
    session_id: sessionId,
    parent_session_id: parent.sessionId,
    external: true,
    ...agentNamed(caller, event.agentType),
  });
}

function register(
  caller: Caller<SessionStartParts>,
  event: SessionStartEvent,
  options: HookOptions,
): Promise<Result<Session>> {
  const named = sessionNamed(caller, event, options);
  return created(caller, named, {
    ...(mayBeSessionId(named) ? { session_id: named } : { session_name: named }),
    external: true,
    ...agentNamed(caller, event.client.name),
    ...(event.cwd === null ? {} : { project_dir: event.cwd.slice(0, 4096) }),
  });
}

/**
 * The agent name for a session that a client started; none if the service has named agents. A name would then
 * select one of them, and the client only reports its own label.
 */
function agentNamed({ context }: Caller<SessionStartParts>, name: string): Pick<SessionCreate, 'agent_name'> {
  return isName(name) && !context.agents.isKept ? { agent_name: name } : {};
}

/** Creates the session, or finds the one that a concurrent hook created. */
async function created(
  caller: Caller<SessionStartParts>,
  named: string,
  body: SessionCreate,
): Promise<Result<Session>> {
  const result = await newSession(caller, body);
  if (!result.ok && result.failure.error !== 'session_exists') return result;
  const session = await reachSession(caller, 'orchestrate', named);
  // If the caller cannot reach the existing session, no concurrent hook created it: return the failure.
  return session.ok || result.ok ? session : result;
}

/**
 * Binds the client's session and reports that work begins. After a compaction of the client's context the work
 * continues, so this reports only activity.
 *
 * @returns False if the session is bound to another client session and remains so.
 */
async function begun(
  { context, actor }: Caller<SessionStartParts>,
  event: SessionStartEvent,
  { within }: HookOptions,
  found: Session,
  isNew: boolean,
): Promise<Result<boolean>> {
  const reportOf = (type: 'session_start' | 'message') => ({
    type,
    resultText: null,
    resultData: null,
    executorSessionId: event.clientSessionId,
    byOwnToken: context.auth && actor.kind === 'session',
  });
  return context.transactions.decideOnSession(found, (unit, sessionId): Result<boolean> => {
    const session = findSession(unit, sessionId);
    if (session === null) return noSession(sessionId);
    if (staysElsewhere(session, event, within ?? [])) return ok(false);
    const worksOn = event.compacted && !isNew && !hasClientEnded(session);
    if (!found.external || (worksOn && !isElsewhere(session, event))) return ok(true);
    const reported = sessionReported(unit, sessionId, reportOf(worksOn ? 'message' : 'session_start'));
    return mapped(reported, () => true);
  });
}

/**
 * The token variable for an external session, if the service requires authentication. A session of a runner
 * already has a token.
 */
async function tokenFor(
  { context, actor }: Caller<SessionStartParts>,
  session: Session,
): Promise<Readonly<Record<string, string>>> {
  const { sessionId, rootSessionId, external } = session;
  if (!context.auth || !external || actor.kind === 'session') return {};
  const claims = { sessionId, rootSessionId, runId: null, startedAt: startedAt(session) };
  return { COUNTERSIGN_TOKEN: await context.tokens.mint(claims) };
}
