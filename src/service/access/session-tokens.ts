// Session tokens: short-lived JWTs signed with HS256. One is minted for a run or for an external session, and it
// identifies the session that makes a request.
import { subtle } from 'node:crypto';
import { SignJWT, jwtVerify } from 'jose';
import { boundedCache } from '../../lib/bounded-cache.js';
import { after, type MaybePromise } from '../../lib/maybe-promise.js';
import type { Clock } from '../../ports/runtime.js';

const ISSUER = 'countersign';

export interface SessionClaims {
  readonly sessionId: string;
  readonly rootSessionId: string;
  /** `null` for an external session. */
  readonly runId: string | null;
  /** The start of an external session that the token is valid for, milliseconds; `null` for a run. */
  readonly startedAt: number | null;
}

/** What a token with a valid signature says, and until when. */
interface Verified {
  readonly claims: SessionClaims;
  /** Seconds since 1970. */
  readonly expiresAt: number;
}

/** Tokens whose signature is not verified again: an agent sends the same one with each of its requests. */
const VERIFIED_MAX = 10_000;

export class SessionTokens {
  /** Imported once: each import takes a turn of the thread pool. */
  #key: ReturnType<typeof hmacKey> | undefined;
  /** By the token. The key that signs them is in memory too, so nobody gains by reading them here. */
  readonly #verified = boundedCache<string, Verified>(VERIFIED_MAX);

  constructor(
    private readonly secret: string,
    private readonly clock: Clock,
    private readonly lifetimeMs: number,
  ) {}

  async mint(claims: SessionClaims): Promise<string> {
    const now = Math.floor(this.clock.wall() / 1000);
    const run = claims.runId === null ? {} : { run: claims.runId };
    const start = claims.startedAt === null ? {} : { start: claims.startedAt };
    return new SignJWT({ root: claims.rootSessionId, ...run, ...start })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer(ISSUER)
      .setSubject(claims.sessionId)
      .setIssuedAt(now)
      .setExpirationTime(now + Math.ceil(this.lifetimeMs / 1000))
      .sign(await this.#signingKey());
  }

  /** @returns The claims, or `null` if the token is forged, malformed or expired. */
  verify(token: string): MaybePromise<SessionClaims | null> {
    return after(this.#verified.get(token) ?? this.#verify(token), (verified) =>
      verified === null || verified.expiresAt <= Math.floor(this.clock.wall() / 1000)
        ? null
        : verified.claims,
    );
  }

  #signingKey() {
    return (this.#key ??= hmacKey(this.secret));
  }

  async #verify(token: string): Promise<Verified | null> {
    const key = await this.#signingKey();
    try {
      const { payload } = await jwtVerify(token, key, {
        issuer: ISSUER,
        algorithms: ['HS256'],
        currentDate: new Date(this.clock.wall()),
      });
      const { sub, exp, root, run, start } = payload as Readonly<Record<string, unknown>>;
      if (typeof sub !== 'string' || typeof root !== 'string' || typeof exp !== 'number') return null;
      if (run !== undefined && typeof run !== 'string') return null;
      if (start !== undefined && typeof start !== 'number') return null;
      const claims = { sessionId: sub, rootSessionId: root, runId: run ?? null, startedAt: start ?? null };
      const verified = { claims, expiresAt: exp };
      this.#verified.set(token, verified);
      return verified;
    } catch {
      return null;
    }
  }
}

const hmacKey = (secret: string) =>
  subtle.importKey('raw', Buffer.from(secret, 'utf8'), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
    'verify',
  ]);
