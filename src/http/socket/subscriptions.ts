// The open subscriptions of one connection, by their names.

export class Subscriptions {
  readonly #open = new Map<string, AbortController>();
  #count = 0;

  get size(): number {
    return this.#open.size;
  }

  get names(): readonly string[] {
    return [...this.#open.keys()];
  }

  has(name: string): boolean {
    return this.#open.has(name);
  }

  /** A name for a subscription that its caller gave none. */
  newName(): string {
    for (;;) {
      const name = `sub_${String((this.#count += 1))}`;
      if (!this.has(name)) return name;
    }
  }

  /** @returns What aborts when the subscription ends. */
  begin(name: string): AbortController {
    const stop = new AbortController();
    this.#open.set(name, stop);
    return stop;
  }

  /** Ends a subscription. Its name may be used again. */
  end(name: string): void {
    this.#open.get(name)?.abort();
    this.#open.delete(name);
  }

  endAll(): void {
    for (const name of this.names) this.end(name);
  }

  /** A subscription is over. Its name may be that of another one by now. */
  ended(name: string, stop: AbortController): void {
    stop.abort();
    if (this.#open.get(name) === stop) this.#open.delete(name);
  }
}
