// One thing at a time for each key, in the order of arrival; different keys do not wait for each other.

export class KeyedQueue {
  readonly #tails = new Map<string, Promise<void>>();

  /** Runs the task when everything that came before it for this key has ended. */
  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key);
    let done: () => void = () => undefined;
    const tail = new Promise<void>((resolve) => (done = resolve));
    this.#tails.set(key, tail);
    if (before !== undefined) await before;
    try {
      return await task();
    } finally {
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
      done();
    }
  }

  /** Keys that have something to do. */
  get size(): number {
    return this.#tails.size;
  }
}
