// Pages of streams, kept for the next reader at the same place: followers of one thing are all at its end. What follows
// a place never changes, so that a page that holds something stays true; it may only have become longer. Readers that
// come at the same time share one reading.
import { LRUCache } from 'lru-cache';
import type { Outcome } from '../../domain/errors.js';
import type { StreamEvent } from '../../ports/api/index.js';

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

/** A page that is being read; `order` tells which began before another. */
interface Reading {
  readonly order: number;
  readonly page: Promise<Outcome<Kept>>;
}

export class StreamPages {
  readonly #kept: LRUCache<string, Kept>;
  readonly #reading = new Map<string, Reading>();
  #order = 0;
  #reads = 0;

  constructor(bytesMax: number) {
    this.#kept = new LRUCache({ maxSize: bytesMax, sizeCalculation: ({ bytes }) => bytes });
  }

  /** How often something was read. */
  get reads(): number {
    return this.#reads;
  }

  /**
   * @param key - Names what is read and the place, and with them the type of the page.
   * @param read - Gives the page and about how many bytes it takes.
   */
  async page<P>(
    key: string,
    read: () => Promise<Outcome<StreamPage<P> & { bytes: number }>>,
  ): Promise<Outcome<StreamPage<P>>> {
    const asked = (this.#order += 1);
    for (;;) {
      const kept = this.#kept.get(key);
      if (kept !== undefined) return { ok: true, value: pageOf<P>(kept) };
      const { order, page } = this.#reading.get(key) ?? this.#read(key, read);
      const found = await page;
      // One that began before this one was asked for may have looked too early, and is true only of what it found.
      const isTrue = order > asked || (found.ok && found.value.events.length > 0);
      if (isTrue) return found.ok ? { ok: true, value: pageOf<P>(found.value) } : found;
    }
  }

  #read(key: string, read: () => Promise<Outcome<Kept>>): Reading {
    this.#reads += 1;
    const page = read()
      .then((found) => {
        if (found.ok && found.value.events.length > 0) this.#kept.set(key, found.value);
        return found;
      })
      .finally(() => this.#reading.delete(key));
    const reading = { order: (this.#order += 1), page };
    this.#reading.set(key, reading);
    return reading;
  }
}

/** The key names the type of the place. */
function pageOf<P>({ events, next }: Kept): StreamPage<P> {
  return { events, next: next as P };
}
