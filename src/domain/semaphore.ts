// A semaphore with permits per service, tree and caller, for long-lasting operations such as waits and streams.
// If no permit is free, the caller is asked to retry later.
import { callerOf, type Actor } from './access/actor.js';
import { ok, fail, type Result } from './errors.js';
import type { Limits } from './limits.js';

/** A bound and its name, for the failure. */
interface PermitLimit {
  readonly limit: string;
  readonly max: number;
}

interface PermitLimits {
  /** Permits in use at a time. */
  readonly all: PermitLimit;
  /** Permits of one session, or of one non-operator token. */
  readonly perCaller: PermitLimit;
  /** Permits of the sessions of one tree together. */
  readonly perTree: PermitLimit;
}

/** A bound that applies to an owner's permits. */
interface Share {
  readonly owner: string;
  readonly bound: PermitLimit;
  readonly who: string;
}

export class Semaphore {
  #inUse = 0;
  readonly #byOwner = new Map<string, number>();

  constructor(private readonly limits: PermitLimits) {}

  get inUse(): number {
    return this.#inUse;
  }

  /**
   * Acquires a permit.
   *
   * @returns A function that releases the permit (a second call changes nothing); or `overloaded`.
   */
  tryAcquire(actor: Actor): Result<() => void> {
    const { all } = this.limits;
    if (this.#inUse >= all.max) return full(all, 'There are');
    const shares = this.#sharesOf(actor);
    const used = shares.find(({ owner, bound }) => (this.#byOwner.get(owner) ?? 0) >= bound.max);
    if (used !== undefined) return full(used.bound, used.who);
    this.#inUse += 1;
    for (const { owner } of shares) this.#byOwner.set(owner, (this.#byOwner.get(owner) ?? 0) + 1);
    let isHeld = true;
    return ok(() => {
      if (isHeld) this.#release(shares);
      isHeld = false;
    });
  }

  #sharesOf(actor: Actor): readonly Share[] {
    if (actor.kind === 'operator') return [];
    const { perCaller, perTree } = this.limits;
    const own = { owner: callerOf(actor), bound: perCaller, who: 'You have' };
    if (actor.kind !== 'session') return [own];
    return [
      own,
      { owner: `tree ${actor.rootSessionId}`, bound: perTree, who: 'The sessions of your tree have' },
    ];
  }

  #release(shares: readonly Share[]): void {
    this.#inUse -= 1;
    for (const { owner } of shares) {
      const rest = (this.#byOwner.get(owner) ?? 0) - 1;
      if (rest > 0) this.#byOwner.set(owner, rest);
      else this.#byOwner.delete(owner);
    }
  }
}

function full({ limit, max }: PermitLimit, who: string) {
  return fail('overloaded', `${who} ${String(max)} of these already. Try again later.`, {
    limit,
    maximum: max,
  });
}

/** A semaphore with these limits of the service. */
export function semaphoreOf(
  limits: Limits,
  all: keyof Limits,
  perCaller: keyof Limits,
  perTree: keyof Limits,
): Semaphore {
  const bound = (limit: keyof Limits) => ({ limit, max: limits[limit] });
  return new Semaphore({ all: bound(all), perCaller: bound(perCaller), perTree: bound(perTree) });
}
