// The rules of tokens: creation and revocation, the actor of a token, and the validity of session tokens.
import { ok, fail, type Result } from '../errors.js';
import type { Limits } from '../limits.js';
import type { Completion, Role, Run, Session, Token } from '../records/records.js';
import { isAway, startedAt } from '../sessions/presence.js';
import type { UnitOfWork } from '../transactions/unit-of-work.js';
import type { Actor } from './actor.js';

interface NewToken {
  readonly name: string;
  readonly role: Role;
  /** SHA-256 (hex) of the token. */
  readonly hash: string;
}

/**
 * Creates a token.
 *
 * @returns The token; or `token_exists` if another valid one has the name.
 */
export function createToken(unit: UnitOfWork, command: NewToken): Result<Token> {
  const existing = inForce(unit).some((one) => one.name === command.name);
  if (existing) {
    return fail(
      'token_exists',
      `There is a token named ${command.name} already; revoke it first, or choose another name.`,
      { name: command.name },
    );
  }
  const token: Token = {
    ...command,
    tokenId: unit.context.newId('tok'),
    createdAt: unit.now,
    revokedAt: null,
    revision: 1,
  };
  unit.put('token', token, undefined);
  return ok(token);
}

/**
 * Revokes a token for good.
 *
 * @param named - Its id or name.
 * @returns The token; or `token_not_found`.
 */
export function revokeToken(unit: UnitOfWork, named: string): Result<Token> {
  const token = inForce(unit).find((one) => one.tokenId === named || one.name === named);
  if (token === undefined) return fail('token_not_found', `There is no token ${named} in force.`);
  const revoked = { ...token, revokedAt: unit.now, revision: token.revision + 1 };
  unit.put('token', revoked, token);
  return ok(revoked);
}

function inForce(unit: UnitOfWork): readonly Token[] {
  unit.need({ load: 'tokens' });
  return [...unit.records.tokens.values()].filter((one) => one.revokedAt === null);
}

/** The actor of a token; `null` if the token is unknown or revoked. */
export function actorOf(token: Token | null): Actor | null {
  if (token?.revokedAt !== null) return null;
  return token.role === 'admin'
    ? { kind: 'operator', tokenName: token.name }
    : { kind: 'token', role: token.role, tokenName: token.name };
}

/** When the work of a session token ended; `null` while it lasts. */
export function workEndedAt(session: Session, run: Pick<Run, 'completedAt'> | null): number | null {
  if (run !== null) return run.completedAt;
  // An external session has one token for all its work. The token is valid until the session is stopped or its client
  // is lost.
  return session.status === 'stopped' || session.status === 'failed' ? session.updatedAt : null;
}

/** The stored facts that the validity of a session token depends on. */
interface SessionTokenFacts {
  readonly session: Session;
  /** The start of the session that the token was made for; `null` for a token of a run. */
  readonly startedAt: number | null;
  /** The run that the token names; `null` if it names none, `undefined` if that run is not stored. */
  readonly run: Pick<Run, 'completedAt'> | null | undefined;
  /** The completion of the run's generation, or of the session's present one; `null` if it no longer exists. */
  readonly completion: Pick<Completion, 'releasedAt' | 'status'> | null;
}

/**
 * True if a session token is still valid. It expires once the work has ended and the completion of its generation is
 * released: what remains of the run's process has no more calls to make, except those that are in progress. The token of
 * an external session is valid for one start of it, until its client ends or gives no more signs of life.
 */
export function sessionTokenCounts(
  { session, startedAt: start, run, completion }: SessionTokenFacts,
  now: number,
  limits: Limits,
): boolean {
  if (run === undefined) return false;
  if (run === null && (isAway(session, now, limits) || (start !== null && start !== startedAt(session)))) {
    return false;
  }
  // An operator's retry asks a session that was stopped. It has no other token to answer with.
  if (run === null && completion?.status === 'pending') return true;
  const endedAt = workEndedAt(session, run);
  if (endedAt === null || completion?.releasedAt === null) return true;
  return now <= Math.max(endedAt, completion?.releasedAt ?? endedAt) + limits.sessionTokenGraceMs;
}
