// Authentication. Finds the actor of a request from a bearer token, a session token, or the session headers. The
// headers only count on a loopback address without authentication.
import { OPEN_LOOPBACK, type Actor } from '../../domain/access/actor.js';
import { actorOf, sessionTokenCounts, workEndedAt } from '../../domain/access/tokens.js';
import { ok, invalidMember, fail, type Result } from '../../domain/errors.js';
import { isIdOrName } from '../../domain/names.js';
import type { Completion, Run, Session } from '../../domain/records/records.js';
import type { Credentials } from '../../ports/host.js';
import { after, type MaybePromise } from '../../lib/maybe-promise.js';
import type { Store } from '../../ports/storage/store.js';
import type { Clock } from '../../ports/runtime.js';
import type { Limits } from '../../domain/limits.js';
import type { KnownRecords } from '../known-records.js';
import { secretHash } from './secrets.js';
import type { SessionClaims, SessionTokens } from './session-tokens.js';

interface Parts {
  readonly store: Store;
  readonly known: KnownRecords;
  readonly clock: Clock;
  readonly limits: Limits;
  /** Whether requests need a token. Without it, headers identify the session of a caller on the loopback address. */
  readonly auth: boolean;
  readonly tokens: SessionTokens;
  /** True if the token of a run is valid for its whole lifetime, not only until the work has ended. */
  readonly tokensOutliveRuns: boolean;
}

const ID_HEADER = 'x-agent-session-id';
const NAME_HEADER = 'x-agent-session-name';

const UNKNOWN_TOKEN =
  'The bearer token is unknown, revoked or expired; that of a run ends with its work, that of a client with its session.';
const NO_TOKEN = 'The Authorization header says Bearer without a token: was a variable not set?';

const anyone = ok(OPEN_LOOPBACK);

/** @see Host.identify */
export function identify(parts: Parts, credentials: Credentials): MaybePromise<Result<Actor>> {
  if (!parts.auth && credentials.bearer === null) {
    return hasHeaders(credentials) ? byHeaders(parts, credentials) : anyone;
  }
  return identifyBy(parts, credentials);
}

function identifyBy(parts: Parts, credentials: Credentials): MaybePromise<Result<Actor>> {
  const { bearer } = credentials;
  return bearer === null
    ? withoutToken(parts, credentials)
    : after(byToken(parts, bearer), (actor) => {
        if (actor !== null) return ok(actor);
        if (!parts.auth && hasHeaders(credentials)) return withoutToken(parts, credentials);
        return fail('unauthorized', bearer === '' ? NO_TOKEN : UNKNOWN_TOKEN);
      });
}

function withoutToken(parts: Parts, credentials: Credentials): MaybePromise<Result<Actor>> {
  if (!parts.auth) return byHeaders(parts, credentials);
  return fail(
    'unauthorized',
    'A bearer token is needed (Authorization: Bearer …). Make one with: countersign token create',
  );
}

function hasHeaders(credentials: Credentials): boolean {
  return credentials.sessionId !== null || credentials.sessionName !== null;
}

function byToken(parts: Parts, bearer: string): MaybePromise<Actor | null> {
  // Only signed tokens contain dots. Other tokens are looked up by their hash.
  if (!bearer.includes('.')) return parts.store.read.tokenByHash(secretHash(bearer)).then(actorOf);
  return after(parts.tokens.verify(bearer), (claims) =>
    claims === null
      ? null
      : after(parts.known.session(claims.sessionId), (session) => byClaims(parts, claims, session)),
  );
}

function byClaims(parts: Parts, claims: SessionClaims, session: Session | null): MaybePromise<Actor | null> {
  const { sessionId, rootSessionId, runId } = claims;
  if (session?.rootSessionId !== rootSessionId) return null;
  return after(counts(parts, session, claims), (valid) =>
    valid ? { kind: 'session', sessionId, rootSessionId, runId } : null,
  );
}

/**
 * Whether a session token is still valid: that of a run until the work has ended plus a grace period, or for its whole
 * lifetime if the operator configured that.
 */
function counts(parts: Parts, session: Session, { runId, startedAt }: SessionClaims): MaybePromise<boolean> {
  if (parts.tokensOutliveRuns && runId !== null) return true;
  const { clock, limits, known, store } = parts;
  const validWith = (run: Run | null | undefined, completion: Completion | null) =>
    sessionTokenCounts({ session, startedAt, run, completion }, clock.now(), limits);
  if (runId === null) return afterRun(null);
  return after(known.run(session.sessionId, runId), (run) => afterRun(run ?? undefined));

  function afterRun(run: Run | null | undefined): MaybePromise<boolean> {
    const ended = run !== undefined && workEndedAt(session, run) !== null;
    if (!ended) return validWith(run, null);
    return after(store.read.completion(session.sessionId, run?.generation), (completion) =>
      validWith(run, completion),
    );
  }
}

function byHeaders(parts: Parts, credentials: Credentials): MaybePromise<Result<Actor>> {
  const { sessionId, sessionName } = credentials;
  const named = { [ID_HEADER]: sessionId, [NAME_HEADER]: sessionName };
  const odd = Object.entries(named).find(([, value]) => value !== null && !isIdOrName(value));
  if (odd !== undefined) return notAName(...odd);
  return after(parts.known.session(sessionId ?? sessionName ?? ''), (session) =>
    actorNamed(session, credentials),
  );
}

function actorNamed(session: Session | null, { sessionId, sessionName }: Credentials): Result<Actor> {
  if (session === null) {
    const missing = sessionId ?? sessionName ?? '';
    return fail('session_not_found', `The session header names ${missing}, and there is no such session.`, {
      session: missing,
    });
  }
  // The two headers name different sessions: one was probably set on purpose and the other inherited. Choosing
  // one could act for the wrong session.
  if (sessionId !== null && sessionName !== null && session.sessionName !== sessionName) {
    return invalidMember(
      `/headers/${NAME_HEADER}`,
      `names ${sessionName}, and the session that ${ID_HEADER} names is called ${session.sessionName}`,
      `one of the two headers, or ${session.sessionName}`,
    );
  }
  return ok({
    kind: 'session',
    sessionId: session.sessionId,
    rootSessionId: session.rootSessionId,
    runId: null,
  });
}

/** The failure for a header value that cannot be a name, such as an unset or unexpanded shell variable. */
function notAName(header: string, value: string | null) {
  const problem = value === null || value === '' ? 'is empty' : `is ${value}, which no session can be called`;
  return invalidMember(
    `/headers/${header}`,
    `${problem}: was a variable not set?`,
    'the name or id of a session, or no such header',
  );
}
