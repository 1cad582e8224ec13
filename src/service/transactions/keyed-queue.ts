// A lock per key, exclusive or shared. Holders of a shared lock run at the same time. Waiters get the lock in the order
// of arrival; different keys do not wait for each other.

interface Waiter {
  readonly shared: boolean;
  readonly start: () => void;
}

interface Held {
  readonly shared: boolean;
  holders: number;
  /** `null` if nobody waits. */
  waiting: Waiter[] | null;
}

export class KeyedQueue {
  readonly #locks = new Map<string, Held>();

  /** Runs the task after all earlier tasks of the key have ended. */
  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    if (!this.tryAcquire(key)) await this.acquire(key);
    try {
      return await task();
    } finally {
      this.release(key);
    }
  }

  /** Runs the task beside other shared tasks of the key, after all earlier tasks that are not shared. */
  async runShared<T>(key: string, task: () => Promise<T>): Promise<T> {
    const lock = this.#locks.get(key);
    if (lock === undefined) this.#locks.set(key, { shared: true, holders: 1, waiting: null });
    else if (lock.shared && lock.waiting === null) lock.holders += 1;
    else await this.#wait(lock, true);
    try {
      return await task();
    } finally {
      this.release(key);
    }
  }

  /**
   * Acquires the key if it is free. The holder must release it.
   *
   * @returns False if the key is held.
   */
  tryAcquire(key: string): boolean {
    if (this.#locks.has(key)) return false;
    this.#locks.set(key, { shared: false, holders: 1, waiting: null });
    return true;
  }

  /** Waits for a key that is held, behind all earlier waiters. The holder must release it. */
  acquire(key: string): Promise<void> {
    const lock = this.#locks.get(key);
    if (lock !== undefined) return this.#wait(lock, false);
    this.tryAcquire(key);
    return Promise.resolve();
  }

  #wait(held: Held, shared: boolean): Promise<void> {
    return new Promise((resolve) => (held.waiting ??= []).push({ shared, start: resolve }));
  }

  /** Releases the key. The last holder passes it to the first waiter; a shared waiter gets it with those behind it. */
  release(key: string): void {
    const lock = this.#locks.get(key);
    if (lock === undefined) return;
    lock.holders -= 1;
    if (lock.holders > 0) return;
    const waiting = lock.waiting ?? [];
    const exclusive = waiting.findIndex(({ shared }) => !shared);
    const count = exclusive === 0 ? 1 : exclusive < 0 ? waiting.length : exclusive;
    const next = waiting.splice(0, count);
    if (next.length === 0) {
      this.#locks.delete(key);
      return;
    }
    const rest = waiting.length === 0 ? null : waiting;
    this.#locks.set(key, { shared: exclusive !== 0, holders: next.length, waiting: rest });
    for (const { start } of next) start();
  }

  /** The number of keys that are held. */
  get size(): number {
    return this.#locks.size;
  }
}
