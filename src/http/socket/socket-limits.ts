// Limits of open WebSockets: identified ones in total, per tree and per token, and unidentified ones.
import { callerOf, type Actor } from '../../domain/access/actor.js';
import { ok, fail, type Result } from '../../domain/errors.js';
import type { Limits } from '../../domain/limits.js';

type Bounds = Pick<
  Limits,
  'socketsMax' | 'unidentifiedSocketsMax' | 'socketsPerTreeMax' | 'socketsPerCallerMax'
>;

/** The permit of one open connection. */
interface SocketPermit {
  /** Moves the permit to the identified connections, once. @returns `overloaded` if there is none. */
  identify(actor: Actor): Result<null>;
  /** Releases the permit; idempotent. */
  release(): void;
}

export class SocketLimits {
  #identified = 0;
  #unidentified = 0;
  readonly #ofShares = new Map<string, number>();

  constructor(private readonly limits: Bounds) {}

  /** @param actor - `null` if the caller is not identified yet. @returns The permit; or `overloaded`. */
  tryAcquire(actor: Actor | null): Result<SocketPermit> {
    let release: () => void;
    if (actor === null) {
      const { unidentifiedSocketsMax } = this.limits;
      if (this.#unidentified >= unidentifiedSocketsMax)
        return full('unidentifiedSocketsMax', unidentifiedSocketsMax);
      this.#unidentified += 1;
      release = () => (this.#unidentified -= 1);
    } else {
      const permit = this.#acquireIdentified(actor);
      if (!permit.ok) return permit;
      release = permit.value;
    }
    let isHeld = true;
    return ok({
      identify: (known) => {
        if (!isHeld) return ok(null);
        const permit = this.#acquireIdentified(known);
        if (!permit.ok) return permit;
        release();
        release = permit.value;
        return ok(null);
      },
      release: () => {
        if (isHeld) release();
        isHeld = false;
      },
    });
  }

  #acquireIdentified(actor: Actor): Result<() => void> {
    const { socketsMax } = this.limits;
    if (this.#identified >= socketsMax) return full('socketsMax', socketsMax);
    const share = shareOf(actor);
    const ofShare = share === null ? 0 : (this.#ofShares.get(share.owner) ?? 0);
    if (share !== null && ofShare >= this.limits[share.limit])
      return full(share.limit, this.limits[share.limit]);
    this.#identified += 1;
    if (share !== null) this.#ofShares.set(share.owner, ofShare + 1);
    return ok(() => {
      this.#identified -= 1;
      if (share === null) return;
      const rest = (this.#ofShares.get(share.owner) ?? 1) - 1;
      if (rest === 0) this.#ofShares.delete(share.owner);
      else this.#ofShares.set(share.owner, rest);
    });
  }
}

/**
 * The group whose limit applies to a caller: its tree or its token; `null` for operators, who have only the total
 * limit.
 */
function shareOf(actor: Actor) {
  if (actor.kind === 'operator') return null;
  return actor.kind === 'session'
    ? ({ owner: `tree ${actor.rootSessionId}`, limit: 'socketsPerTreeMax' } as const)
    : ({ owner: callerOf(actor), limit: 'socketsPerCallerMax' } as const);
}

function full(limit: keyof Bounds, maximum: number) {
  return fail('overloaded', 'Too many connections are open. Try again later.', { limit, maximum });
}
