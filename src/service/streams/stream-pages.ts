// Caches pages of streams, because most followers of a source read at its end. The events after a position never
// change, so a cached page with events stays valid; but after the last page more may have come by now, so that one is
// cached for a short time. Concurrent readers share one read.
import { LRUCache } from 'lru-cache';
import { boundedCache } from '../../lib/bounded-cache.js';
import type { Result } from '../../domain/errors.js';
import type { StreamEvent } from '../../ports/api/index.js';

export interface StreamPage<P> {
  readonly events: readonly StreamEvent[];
  /** The position after the page. */
  readonly next: P;
  /** Whether there was more to read after the page. */
  readonly hasMore: boolean;
}

interface CachedPage extends StreamPage<unknown> {
  readonly bytes: number;
}

/** A position after which nothing was found, at that number of commits and that time. */
interface Ended {
  readonly commits: number;
  readonly at: number;
}

/** How long the end of a source is remembered: another process may write to the database, and more may have come. */
const ENDED_MS = 50;
const ENDED_MAX = 1000;

/** A read in progress. `order` says which of two reads began first. */
interface Reading {
  readonly order: number;
  readonly page: Promise<Result<CachedPage>>;
}

export class StreamPages {
  readonly #pages: LRUCache<string, CachedPage>;
  readonly #ended = boundedCache<string, Ended>(ENDED_MAX);
  readonly #reading = new Map<string, Reading>();
  #order = 0;
  /** Reads that began before a `clear` are not cached. */
  #epoch = 0;
  #reads = 0;

  /** @param commits - Gives the number of commits that this process has made. */
  constructor(
    bytesMax: number,
    private readonly commits: () => number,
  ) {
    this.#pages = new LRUCache({ maxSize: bytesMax, sizeCalculation: ({ bytes }) => bytes });
  }

  /** The estimated memory of what is cached. */
  get bytes(): number {
    return this.#pages.calculatedSize;
  }

  /** How many reads were done. */
  get reads(): number {
    return this.#reads;
  }

  /** Discards all pages: the database may have another history now. */
  clear(): void {
    this.#epoch += 1;
    this.#pages.clear();
    this.#ended.clear();
    this.#reading.clear();
  }

  /**
   * @param key - Identifies the source and the position, and thereby the type of the page.
   * @param position - The position.
   * @param read - Reads the page, and estimates its size in bytes.
   */
  async page<P>(
    key: string,
    position: P,
    read: () => Promise<Result<StreamPage<P> & { bytes: number }>>,
  ): Promise<Result<StreamPage<P>>> {
    const asked = (this.#order += 1);
    for (;;) {
      const cached = this.#pages.get(key);
      if (cached !== undefined) return { ok: true, value: pageOf<P>(cached) };
      if (this.#hasEnded(key)) return { ok: true, value: { events: [], next: position, hasMore: false } };
      const { order, page } = this.#reading.get(key) ?? this.#read(key, read);
      const found = await page;
      // An empty page of a read that began before this request may have missed a commit. Read again.
      const isTrue = order > asked || (found.ok && found.value.events.length > 0);
      if (isTrue) return found.ok ? { ok: true, value: pageOf<P>(found.value) } : found;
    }
  }

  #hasEnded(key: string): boolean {
    const ended = this.#ended.get(key);
    return ended?.commits === this.commits() && performance.now() - ended.at < ENDED_MS;
  }

  #read(key: string, read: () => Promise<Result<CachedPage>>): Reading {
    this.#reads += 1;
    const ended = { commits: this.commits(), at: performance.now() };
    const epoch = this.#epoch;
    const page = read()
      .then((found) => {
        if (epoch !== this.#epoch) return found;
        if (found.ok && found.value.events.length > 0) {
          this.#pages.set(key, found.value, found.value.hasMore ? {} : { ttl: ENDED_MS });
        } else if (found.ok) this.#ended.set(key, ended);
        return found;
      })
      .finally(() => {
        if (this.#reading.get(key) === reading) this.#reading.delete(key);
      });
    const reading = { order: (this.#order += 1), page };
    this.#reading.set(key, reading);
    return reading;
  }
}

/** Casts a cached page: its key determines the type `P`. */
function pageOf<P>({ events, next, hasMore }: CachedPage): StreamPage<P> {
  return { events, next: next as P, hasMore };
}
