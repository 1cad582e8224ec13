// Whose receipts are whose: the sessions of a tree share a bound, and a token that is no operator's has one of its own. An
// owner's receipts begin with the same characters, so that they are found together.
import { LRUCache } from 'lru-cache';
import { callerOf, type Actor } from '../../domain/access/actor.js';
import { contentHash } from '../../document/index.js';

/** Enough to tell owners apart: two that are taken for one share a bound, and no answers. */
const CHARACTERS = 16;

/** What the ids of an owner's receipts begin with; `null` for operators, whose receipts only time takes away. */
export function receiptOwner(actor: Actor): string | null {
  if (actor.kind === 'operator') return null;
  const owner = actor.kind === 'session' ? `tree ${actor.rootSessionId}` : callerOf(actor);
  return `${contentHash(owner).slice(0, CHARACTERS)}.`;
}

/** Owners that have left receipts since somebody last looked whether they have too many. */
export class ReceiptOwners {
  readonly #owners: LRUCache<string, true>;

  constructor(ownersMax: number) {
    this.#owners = new LRUCache({ max: ownersMax });
  }

  note(owner: string): void {
    this.#owners.set(owner, true);
  }

  get size(): number {
    return this.#owners.size;
  }

  /** The owner that was noted first of those that are left, which is one no longer; `null` for none. */
  next(): string | null {
    const found = this.#owners.rkeys().next();
    if (found.done === true) return null;
    this.#owners.delete(found.value);
    return found.value;
  }
}
