// Owners of idempotency records, for bounds: the sessions of a tree share one bound, and each token that is not
// an operator's has its own. The ids of an owner's records share a prefix, so that they can be found together.
import type { LRUCache } from 'lru-cache';
import { boundedCache } from '../../lib/bounded-cache.js';
import { callerOf, type Actor } from '../../domain/access/actor.js';
import { contentHash } from '../../document/index.js';

/** Length of the prefix. If the prefixes of two owners collide, the owners share a bound, but never answers. */
const CHARACTERS = 16;

/** The id prefix of an owner's records; `null` for operators, whose records only expire. */
export function receiptOwner(actor: Actor): string | null {
  if (actor.kind === 'operator') return null;
  const owner = actor.kind === 'session' ? `tree ${actor.rootSessionId}` : callerOf(actor);
  return `${contentHash(owner).slice(0, CHARACTERS)}.`;
}

/** Owners that have stored records since their bound was last checked. */
export class ReceiptOwners {
  readonly #owners: LRUCache<string, true>;

  constructor(ownersMax: number) {
    this.#owners = boundedCache(ownersMax);
  }

  note(owner: string): void {
    this.#owners.set(owner, true);
  }

  get size(): number {
    return this.#owners.size;
  }

  /** Removes and returns the owner that was noted first; `null` if there is none. */
  next(): string | null {
    const found = this.#owners.rkeys().next();
    if (found.done === true) return null;
    this.#owners.delete(found.value);
    return found.value;
  }
}
