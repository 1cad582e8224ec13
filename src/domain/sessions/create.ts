// Creates a session, root or child.
import type { LoadRequest } from '../transactions/loaded-records.js';
import type { UnitOfWork } from '../transactions/unit-of-work.js';
import { ok, invalidMember, fail, type Result } from '../errors.js';
import type { CompletionSettings, Delivery, Demands, Session } from '../records/records.js';
import { isName, NAME_FORM } from '../names.js';
import { SESSION_ID } from '../session-ids.js';
import { openGeneration } from './generation.js';
import { checkTerms } from './terms.js';
import { scopeGiven, type ScopeGiver } from '../writes/write-scope.js';

/** The ways to name the receiver of a callback. */
const CALLBACK_WAYS =
  'parent_session_id or parent_session_name; or a call made as the parent: with the token of its run, or, where there is neither a token nor --auth, with the header X-Agent-Session-Name';

export interface SessionCommand {
  readonly sessionId: string;
  /** Set if the service made the id: no other session has it as its id or name. */
  readonly isNewId?: boolean | undefined;
  /** Defaults to the id. */
  readonly sessionName: string | null;
  /** Id or name. */
  readonly parent: string | null;
  readonly external: boolean;
  readonly agentName: string | null;
  readonly projectDir: string | null;
  readonly callback: boolean;
  readonly delivery: Delivery | null;
  /** URL and signing secret of callbacks. Required for the delivery `webhook`, and allowed only with it. */
  readonly callbackTarget?: { readonly url: string; readonly secret: string } | null;
  readonly settings: CompletionSettings;
  /** Whether prompts of the session tell of the state; yes by default. See `Session`. */
  readonly stateContext?: boolean | undefined;
  readonly stateSummary?: boolean | undefined;
  readonly record?: boolean | undefined;
  readonly demands: Demands;
  /** External sessions only; 0 for never, `null` for the default. */
  readonly heartbeatTimeoutMs?: number | null;
  /** Id of the session that creates it; none for an operator. */
  readonly creator?: string | null;
}

/** The records that `createSession` reads. If they are not loaded, it requests them one by one. */
export function recordsOfCreation(
  command: Pick<SessionCommand, 'parent' | 'sessionId' | 'isNewId' | 'sessionName'>,
  rootSessionId: string | null,
): readonly LoadRequest[] {
  const named = [command.parent, ...chosenBy(command)].filter((one) => one !== null);
  const loads: LoadRequest[] = named.map((idOrName) => ({ load: 'aggregateNamed', idOrName }));
  if (rootSessionId !== null) loads.push({ load: 'sessionCount', rootSessionId });
  return loads;
}

/** The id and the name that the caller chose. */
function chosenBy({
  sessionId,
  isNewId = false,
  sessionName,
}: Pick<SessionCommand, 'sessionId' | 'isNewId' | 'sessionName'>): ReadonlySet<string> {
  return new Set([isNewId ? null : sessionId, sessionName].filter((one) => one !== null));
}

/**
 * Creates a session. A child inherits its root, and with it the state.
 *
 * @returns The session; or, in this order: `session_not_found` (its parent), `tree_too_deep`, `invalid_request`,
 *   `session_exists`, `limit_exceeded`, `forbidden` (the write scope is wider than its givers allow), the failures of
 *   `checkTerms`.
 */
export function createSession(unit: UnitOfWork, command: SessionCommand): Result<Session> {
  unit.need(...recordsOfCreation(command, null));
  const parent = command.parent === null ? null : findSession(unit, command.parent);
  if (command.parent !== null && parent === null) {
    return fail('session_not_found', `There is no session ${command.parent} to be the parent.`, {
      session: command.parent,
    });
  }
  const { treeDepthMax } = unit.context.limits;
  const depth = parent === null ? 0 : parent.depth + 1;
  if (depth > treeDepthMax) {
    return fail('tree_too_deep', `A session may be at most ${String(treeDepthMax)} levels below its root.`, {
      limit: 'treeDepthMax',
      maximum: treeDepthMax,
      actual: depth,
    });
  }
  const chosen = checkChosen(command);
  if (!chosen.ok) return chosen;
  if (command.callback && parent === null) {
    return invalidMember(
      '/callback',
      'a callback needs a parent to go to, and the caller is no session',
      CALLBACK_WAYS,
    );
  }
  if (command.external && command.delivery === 'resume') {
    return invalidMember(
      '/delivery',
      'an external session cannot be resumed',
      'pull, or webhook with a callback_url',
    );
  }
  if (!command.external && command.heartbeatTimeoutMs != null) {
    return invalidMember(
      '/heartbeat_timeout_ms',
      'a session that a runner runs has the lease of its run instead',
      'external: true, or no heartbeat_timeout_ms',
    );
  }
  const sessionName = command.sessionName ?? command.sessionId;
  for (const name of chosenBy(command)) {
    if (findSession(unit, name) !== null || isKnownId(unit, name)) {
      return fail('session_exists', `The session id or name ${name} is taken.`, { session: name });
    }
  }
  const limit = parent === null ? ok(null) : checkSessionLimit(unit, parent.rootSessionId);
  if (!limit.ok) return limit;
  const scope = scopeGiven(command.settings.writeScope, {
    creator: scopeGiver(unit, command.creator ?? null),
    parent: scopeGiver(unit, command.parent),
  });
  if (!scope.ok) return scope;
  const settings = { ...command.settings, writeScope: scope.value };
  const kept =
    parent === null
      ? ok(null)
      : checkTerms(unit, parent.rootSessionId, settings, command.settings.writeScope);
  if (!kept.ok) return kept;
  return ok(putNew(unit, { ...command, settings }, sessionName, parent, depth));
}

/** Other ids and names could be put into no path, no header and no command. @returns Nothing; or `invalid_request`. */
function checkChosen({ sessionId, isNewId = false, sessionName }: SessionCommand): Result<null> {
  if (!isNewId && !SESSION_ID.test(sessionId)) {
    return invalidMember(
      '/session_id',
      'no new session can have this id',
      'ses_ and up to 60 letters, digits, _ and -; or no session_id, and the service makes one',
    );
  }
  if (sessionName !== null && !isName(sessionName))
    return invalidMember('/session_name', 'no session can have this name', NAME_FORM);
  return ok(null);
}

/**
 * The records of deleted sessions stay, so they count, too.
 *
 * @returns Nothing; or `limit_exceeded`.
 */
function checkSessionLimit(unit: UnitOfWork, rootSessionId: string): Result<null> {
  unit.need({ load: 'sessionCount', rootSessionId });
  const { sessionsPerTreeMax: maximum } = unit.context.limits;
  const actual = (unit.records.sessionCounts.get(rootSessionId) ?? 0) + 1;
  if (actual <= maximum) return ok(null);
  return fail(
    'limit_exceeded',
    `A tree has at most ${String(maximum)} sessions, those that were deleted counted. Give new work to a session that is there, or start a tree of its own: a session without a parent.`,
    { limit: 'sessionsPerTreeMax', maximum, actual },
  );
}

function putNew(
  unit: UnitOfWork,
  command: SessionCommand,
  sessionName: string,
  parent: Session | null,
  depth: number,
): Session {
  const session: Session = {
    sessionId: command.sessionId,
    sessionName,
    status: 'pending',
    parentSessionId: parent?.sessionId ?? null,
    parentSessionName: parent?.sessionName ?? null,
    rootSessionId: parent?.rootSessionId ?? command.sessionId,
    depth,
    external: command.external,
    agentName: command.agentName,
    projectDir: command.projectDir ?? parent?.projectDir ?? null,
    executorType: null,
    executorSessionId: null,
    hostname: null,
    callback: command.callback,
    delivery: command.delivery ?? (command.external ? 'pull' : 'resume'),
    callbackUrl: command.callbackTarget?.url ?? null,
    callbackSecret: command.callbackTarget?.secret ?? null,
    settings: command.settings,
    stateContext: command.stateContext ?? true,
    stateSummary: command.stateSummary ?? true,
    recorded: command.record ?? true,
    demands: command.demands,
    heartbeatTimeoutMs: command.heartbeatTimeoutMs ?? null,
    heartbeatAt: null,
    generation: 1,
    createdAt: unit.now,
    updatedAt: unit.now,
    lastResumedAt: null,
    deletedAt: null,
    revision: 0,
  };
  unit.putSession(session);
  if (parent === null) {
    unit.putTree({
      rootSessionId: session.rootSessionId,
      stateId: null,
      failureFingerprint: null,
      failuresInARow: 0,
      revision: 0,
    });
  }
  openGeneration(unit, session, 1, session.settings, session.callback);
  return session;
}

/** A session by id or name; `null` if there is none, or it was deleted. */
export function findSession(unit: UnitOfWork, idOrName: string): Session | null {
  unit.need({ load: 'aggregateNamed', idOrName });
  const sessionId = unit.records.sessionIds.get(idOrName);
  const session = sessionId === undefined ? undefined : unit.findAggregate(sessionId)?.session;
  return session?.deletedAt === null ? session : null;
}

/** What a session may give of the document; `null` if there is no such session. */
export function scopeGiver(unit: UnitOfWork, idOrName: string | null): ScopeGiver | null {
  const session = idOrName === null ? null : findSession(unit, idOrName);
  if (session === null) return null;
  const { sessionId, sessionName } = session;
  return { sessionName, scope: unit.completion(sessionId).settings.writeScope };
}

/** An id is never used twice, not even after its session was deleted. */
function isKnownId(unit: UnitOfWork, sessionId: string): boolean {
  unit.need({ load: 'aggregateNamed', idOrName: sessionId });
  return unit.records.aggregates.has(sessionId);
}

/** The failure for a session that does not exist. */
export function noSession(idOrName: string) {
  return fail('session_not_found', `There is no session with the id or name ${idOrName}.`, {
    session: idOrName,
  });
}
