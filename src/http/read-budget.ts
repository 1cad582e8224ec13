// Bounds the bytes of bodies that are read in one iteration of the event loop. Node.js reads a socket until it is
// empty: without a bound, hundreds of large bodies are read at once, and nothing else happens meanwhile.

/** Bytes of one iteration. They are read in a few milliseconds. */
const BYTES_PER_ITERATION = 4 * 1024 * 1024;

/** This many of the waiting readers go on in an iteration. Each reads at least one piece of 64 KiB. */
const READERS_PER_ITERATION = 16;

export class ReadBudget {
  readonly #waiting = new Set<() => void>();
  #left: number;
  #isOpen = false;

  /** @param bytesPerIteration - Bytes that are read in one iteration of the event loop. */
  constructor(private readonly bytesPerIteration = BYTES_PER_ITERATION) {
    this.#left = bytesPerIteration;
  }

  /**
   * Counts bytes that were read.
   *
   * @param resume - Called in a later iteration if the budget is used up.
   * @returns Whether the reader may read on now. Otherwise it waits for `resume`.
   */
  spend(bytes: number, resume: () => void): boolean {
    this.#open();
    this.#left -= bytes;
    if (this.#left > 0) return true;
    this.#waiting.add(resume);
    return false;
  }

  /** Starts the budget of the next iteration. The readers that have waited longest go on. */
  #next(): void {
    this.#isOpen = false;
    this.#left = this.bytesPerIteration;
    for (const resume of [...this.#waiting].slice(0, READERS_PER_ITERATION)) {
      this.#waiting.delete(resume);
      resume();
    }
    if (this.#waiting.size > 0) this.#open();
  }

  #open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    setImmediate(() => this.#next());
  }
}
