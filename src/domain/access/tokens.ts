// The rules of tokens: how one is made and revoked, whom it stands for, and how long that of a session counts.
import { accepted, refused, type Outcome } from '../errors.js';
import type { Limits } from '../limits.js';
import type { Completion, Role, Run, Session, Token } from '../records/records.js';
import { isSilentRoot } from '../sessions/signs-of-life.js';
import type { UnitOfWork } from '../transactions/unit-of-work.js';
import { isTokenAlive } from './access.js';
import type { Actor } from './actor.js';

export interface NewToken {
  readonly name: string;
  readonly role: Role;
  /** SHA-256 (hex) of the token. */
  readonly hash: string;
}

/** Makes a token. @returns It; or `token_exists` if another one in force has the name. */
export function createToken(draft: UnitOfWork, command: NewToken): Outcome<Token> {
  const taken = inForce(draft).some((one) => one.name === command.name);
  if (taken) {
    return refused(
      'token_exists',
      `There is a token named ${command.name} already; revoke it first, or choose another name.`,
      { name: command.name },
    );
  }
  const token: Token = {
    ...command,
    tokenId: draft.context.newId('tok'),
    createdAt: draft.now,
    revokedAt: null,
    revision: 1,
  };
  draft.put('token', token, undefined);
  return accepted(token);
}

/** Ends a token for good. @param named - Its id or name. @returns It; or `token_not_found`. */
export function revokeToken(draft: UnitOfWork, named: string): Outcome<Token> {
  const token = inForce(draft).find((one) => one.tokenId === named || one.name === named);
  if (token === undefined) return refused('token_not_found', `There is no token ${named} in force.`);
  const revoked = { ...token, revokedAt: draft.now, revision: token.revision + 1 };
  draft.put('token', revoked, token);
  return accepted(revoked);
}

function inForce(draft: UnitOfWork): readonly Token[] {
  draft.need({ want: 'tokens' });
  return [...draft.family.tokens.values()].filter((one) => one.revokedAt === null);
}

/** Whom a token stands for; `null` if it is unknown or revoked. */
export function actorOf(token: Token | null): Actor | null {
  if (token?.revokedAt !== null) return null;
  return token.role === 'admin'
    ? { kind: 'operator', tokenName: token.name }
    : { kind: 'token', role: token.role, tokenName: token.name };
}

/** When the work ended that a session token was minted for; `null` while it lasts. */
export function workEndedAt(session: Session, run: Run | null): number | null {
  if (run !== null) return run.completedAt;
  // An external session has one token for all its work. The token is valid until the session is stopped or its client
  // is lost.
  return session.status === 'stopped' || session.status === 'failed' ? session.updatedAt : null;
}

/** What bears on a session token, as it is stored now. */
export interface SessionTokenFacts {
  readonly session: Session;
  /** The run that it names; `null` if it names none, `undefined` if that is not stored. */
  readonly run: Run | null | undefined;
  /** The completion of the run's generation, or of the session's present one. */
  readonly completion: Pick<Completion, 'releasedAt'> | null;
}

/** Whether a session token still counts. That of a root ends also once its heartbeats have stopped. */
export function sessionTokenCounts(
  { session, run, completion }: SessionTokenFacts,
  now: number,
  limits: Limits,
): boolean {
  if (run === undefined) return false;
  if (run === null && isSilentRoot(session, now, limits)) return false;
  const endedAt = workEndedAt(session, run);
  return isTokenAlive({ endedAt, completion }, now, limits.sessionTokenGraceMs);
}
