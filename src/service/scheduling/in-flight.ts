// Work under way that the service finishes before it stops.

export class InFlight {
  readonly #all = new Set<Promise<unknown>>();

  async run<T>(work: () => Promise<T>): Promise<T> {
    const running = work();
    this.#all.add(running);
    try {
      return await running;
    } finally {
      this.#all.delete(running);
    }
  }

  /** Resolves when all of it has ended, whatever its result. */
  async ended(): Promise<void> {
    while (this.#all.size > 0) await Promise.allSettled(this.#all);
  }
}
