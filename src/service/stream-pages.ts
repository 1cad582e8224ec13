// Pages of streams, kept for the next reader at the same place: followers of one thing are all at its end. What follows
// a place never changes, so that a page that holds something stays true; it may only have become longer.
import { LRUCache } from 'lru-cache';
import type { Outcome } from '../domain/errors.js';
import type { StreamEvent } from '../ports/api/index.js';

export interface StreamPage<P> {
  readonly events: readonly StreamEvent[];
  /** Where to go on. */
  readonly next: P;
}

interface Kept {
  readonly events: readonly StreamEvent[];
  readonly next: unknown;
  readonly bytes: number;
}

export class StreamPages {
  readonly #kept: LRUCache<string, Kept>;

  constructor(bytesMax: number) {
    this.#kept = new LRUCache({ maxSize: bytesMax, sizeCalculation: ({ bytes }) => bytes });
  }

  /**
   * @param key - Names what is read and the place, and with them the type of the page.
   * @param read - Gives the page and about how many bytes it takes.
   */
  async page<P>(
    key: string,
    read: () => Promise<Outcome<StreamPage<P> & { bytes: number }>>,
  ): Promise<Outcome<StreamPage<P>>> {
    const kept = this.#kept.get(key);
    if (kept !== undefined) return { ok: true, value: { events: kept.events, next: kept.next as P } };
    const page = await read();
    if (page.ok && page.value.events.length > 0) this.#kept.set(key, page.value);
    return page;
  }
}
