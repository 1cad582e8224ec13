// Counts the requests that are being answered. A caller who has gone closes its connection, but what it asked for is
// still decided: a server that stops waits for that too, so that the store outlives it.

export class RequestsInProgress {
  #count = 0;
  #whenNone: (() => void) | null = null;

  /** @param answered - Settles once the request is answered. */
  add(answered: PromiseLike<unknown>): void {
    this.#count += 1;
    answered.then(this.#ended, this.#ended);
  }

  /** Resolves once none is left. One call at a time. */
  none(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#count === 0) resolve();
      else this.#whenNone = resolve;
    });
  }

  readonly #ended = (): void => {
    this.#count -= 1;
    if (this.#count === 0) this.#whenNone?.();
  };
}
