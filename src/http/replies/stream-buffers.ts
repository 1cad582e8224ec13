// Accounts for the bytes that readers of streams have not taken yet. Bytes that several readers share count
// once, for each caller and in total. Above a limit, the reader that has waited the longest is dropped.
import type { Limits } from '../../domain/limits.js';

/** Bytes in transit to one reader. */
interface Held {
  readonly bytes: Uint8Array;
  readonly caller: string;
  readonly drop: () => void;
}

/** Counts how many readers wait for the same bytes. */
class Shared {
  readonly #readers = new Map<Uint8Array, number>();
  size = 0;

  add(bytes: Uint8Array): void {
    const readers = this.#readers.get(bytes) ?? 0;
    this.#readers.set(bytes, readers + 1);
    if (readers === 0) this.size += bytes.length;
  }

  /** @returns True if nothing is left. */
  remove(bytes: Uint8Array): boolean {
    const readers = this.#readers.get(bytes) ?? 0;
    if (readers > 1) this.#readers.set(bytes, readers - 1);
    else if (this.#readers.delete(bytes)) this.size -= bytes.length;
    return this.#readers.size === 0;
  }
}

export class StreamBuffers {
  /** In the order of their start: the first has waited the longest. */
  readonly #held = new Set<Held>();
  readonly #all = new Shared();
  readonly #callers = new Map<string, Shared>();
  #droppedCount = 0;

  constructor(private readonly limits: Pick<Limits, 'streamBufferBytesMax' | 'streamBytesPerCallerMax'>) {}

  /** Bytes that are held now. */
  get bytes(): number {
    return this.#all.size;
  }

  /** Readers that were dropped because they took no data, or too much was held for them. */
  get dropped(): number {
    return this.#droppedCount;
  }

  countDropped(): void {
    this.#droppedCount += 1;
  }

  /**
   * Counts bytes until the reader has taken them.
   *
   * @param drop - Disconnects the reader. Called at most once, possibly before this returns.
   * @returns A function to call when the reader has the bytes or is gone.
   */
  hold(bytes: Uint8Array, caller: string, drop: () => void): () => void {
    const held = { bytes, caller, drop };
    const own = this.#callers.get(caller) ?? new Shared();
    this.#callers.set(caller, own);
    own.add(bytes);
    this.#all.add(bytes);
    this.#held.add(held);
    const { streamBufferBytesMax, streamBytesPerCallerMax } = this.limits;
    if (own.size > streamBytesPerCallerMax) this.#shrink(own, streamBytesPerCallerMax, caller);
    if (this.#all.size > streamBufferBytesMax) this.#shrink(this.#all, streamBufferBytesMax, null);
    return () => this.#release(held);
  }

  #shrink(of: Shared, bytesMax: number, caller: string | null): void {
    for (const held of this.#held) {
      if (of.size <= bytesMax) return;
      if (caller !== null && held.caller !== caller) continue;
      this.#release(held);
      held.drop();
    }
  }

  #release(held: Held): void {
    if (!this.#held.delete(held)) return;
    const { bytes, caller } = held;
    this.#all.remove(bytes);
    if (this.#callers.get(caller)?.remove(bytes) === true) this.#callers.delete(caller);
  }
}
