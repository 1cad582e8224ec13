// A bounded number of places for what lasts, such as waits and streams: who finds none free is told to come later.
import { accepted, refused, type Outcome } from '../domain/errors.js';

export class Places {
  #taken = 0;

  /**
   * @param limit - Name of the bound, for the refusal.
   * @param max - How many may be taken at a time.
   */
  constructor(
    private readonly limit: string,
    private readonly max: number,
  ) {}

  get taken(): number {
    return this.#taken;
  }

  /** @returns How to give the place back (once more changes nothing); or `overloaded`. */
  take(): Outcome<() => void> {
    if (this.#taken >= this.max) {
      return refused('overloaded', `There are ${String(this.max)} of these already. Try again later.`, {
        limit: this.limit,
        maximum: this.max,
      });
    }
    this.#taken += 1;
    let held = true;
    return accepted(() => {
      if (held) this.#taken -= 1;
      held = false;
    });
  }
}
