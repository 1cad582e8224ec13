// One thing at a time for each key, in the order of arrival; different keys do not wait for each other.

export class KeyedQueue {
  /** Whoever waits for each key that is taken; `null` for nobody. */
  readonly #waiting = new Map<string, (() => void)[] | null>();

  /** Runs the task when everything that came before it for this key has ended. */
  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    if (!this.take(key)) await this.turn(key);
    try {
      return await task();
    } finally {
      this.leave(key);
    }
  }

  /**
   * Takes the turn where nobody has it. Who has it has to `leave`.
   *
   * @returns False where somebody has it.
   */
  take(key: string): boolean {
    if (this.#waiting.has(key)) return false;
    this.#waiting.set(key, null);
    return true;
  }

  /** Waits for the turn that somebody has, behind all who wait already. */
  turn(key: string): Promise<void> {
    return new Promise((resolve) => {
      const line = this.#waiting.get(key);
      if (line == null) this.#waiting.set(key, [resolve]);
      else line.push(resolve);
    });
  }

  /** Gives the turn to whoever has waited longest. */
  leave(key: string): void {
    const next = this.#waiting.get(key)?.shift();
    if (next === undefined) this.#waiting.delete(key);
    else next();
  }

  /** Keys that have something to do. */
  get size(): number {
    return this.#waiting.size;
  }
}
