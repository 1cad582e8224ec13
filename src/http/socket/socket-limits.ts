// Limits of open WebSockets: identified ones in total, per tree and per token, and unidentified ones.
import { callerOf, type Actor } from '../../domain/access/actor.js';
import { ok, fail, type Result } from '../../domain/errors.js';
import type { Limits } from '../../domain/limits.js';

type Bounds = Pick<
  Limits,
  'socketsMax' | 'unidentifiedSocketsMax' | 'socketsPerTreeMax' | 'socketsPerCallerMax'
>;

/** The permit of one open connection. */
interface SocketPlace {
  /** Moves the permit to the identified connections, once. @returns `overloaded` if there is none. */
  settle(actor: Actor): Result<null>;
  /** Releases the permit; idempotent. */
  leave(): void;
}

export class SocketLimits {
  #known = 0;
  #unknown = 0;
  readonly #ofShares = new Map<string, number>();

  constructor(private readonly limits: Bounds) {}

  /** @param actor - `null` if the caller is not identified yet. @returns The permit; or `overloaded`. */
  take(actor: Actor | null): Result<SocketPlace> {
    let release: () => void;
    if (actor === null) {
      const { unidentifiedSocketsMax } = this.limits;
      if (this.#unknown >= unidentifiedSocketsMax)
        return full('unidentifiedSocketsMax', unidentifiedSocketsMax);
      this.#unknown += 1;
      release = () => (this.#unknown -= 1);
    } else {
      const place = this.#takeKnown(actor);
      if (!place.ok) return place;
      release = place.value;
    }
    let held = true;
    return ok({
      settle: (known) => {
        if (!held) return ok(null);
        const place = this.#takeKnown(known);
        if (!place.ok) return place;
        release();
        release = place.value;
        return ok(null);
      },
      leave: () => {
        if (held) release();
        held = false;
      },
    });
  }

  #takeKnown(actor: Actor): Result<() => void> {
    const { socketsMax } = this.limits;
    if (this.#known >= socketsMax) return full('socketsMax', socketsMax);
    const share = shareOf(actor);
    const ofShare = share === null ? 0 : (this.#ofShares.get(share.owner) ?? 0);
    if (share !== null && ofShare >= this.limits[share.limit])
      return full(share.limit, this.limits[share.limit]);
    this.#known += 1;
    if (share !== null) this.#ofShares.set(share.owner, ofShare + 1);
    return ok(() => {
      this.#known -= 1;
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
