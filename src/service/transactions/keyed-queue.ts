// A mutex per key. Tasks of one key run one at a time, in the order of arrival; different keys do not wait
// for each other.

export class KeyedQueue {
  /** The waiters of each key that is held; `null` if nobody waits. */
  readonly #waiting = new Map<string, (() => void)[] | null>();

  /** Runs the task after all earlier tasks of the key have ended. */
  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    if (!this.take(key)) await this.turn(key);
    try {
      return await task();
    } finally {
      this.leave(key);
    }
  }

  /**
   * Acquires the key if it is free. The holder must release it with `leave`.
   *
   * @returns False if the key is held.
   */
  take(key: string): boolean {
    if (this.#waiting.has(key)) return false;
    this.#waiting.set(key, null);
    return true;
  }

  /** Waits for a key that is held, behind all earlier waiters. The holder must release it with `leave`. */
  turn(key: string): Promise<void> {
    return new Promise((resolve) => {
      const line = this.#waiting.get(key);
      if (line == null) this.#waiting.set(key, [resolve]);
      else line.push(resolve);
    });
  }

  /** Releases the key, and passes it to the first waiter. */
  leave(key: string): void {
    const next = this.#waiting.get(key)?.shift();
    if (next === undefined) this.#waiting.delete(key);
    else next();
  }

  /** The number of keys that are held. */
  get size(): number {
    return this.#waiting.size;
  }
}
