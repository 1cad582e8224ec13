// A bounded number of places for what lasts, such as waits and streams: who finds none free is told to come later.
import { callerOf, type Actor } from '../domain/actor.js';
import { accepted, refused, type Outcome } from '../domain/errors.js';

/** A bound with its name, for the refusal. */
export interface PlacesLimit {
  readonly limit: string;
  readonly max: number;
}

export class Places {
  #taken = 0;
  readonly #byCaller = new Map<string, number>();

  /**
   * @param all - How many may be taken at a time.
   * @param perCaller - How many of them by one session, or by one token that is no operator's.
   */
  constructor(
    private readonly all: PlacesLimit,
    private readonly perCaller: PlacesLimit,
  ) {}

  get taken(): number {
    return this.#taken;
  }

  /** @returns How to give the place back (once more changes nothing); or `overloaded`. */
  take(actor: Actor): Outcome<() => void> {
    if (this.#taken >= this.all.max) return full(this.all, 'There are');
    const caller = actor.kind === 'operator' ? null : callerOf(actor);
    if (caller !== null) {
      const own = this.#byCaller.get(caller) ?? 0;
      if (own >= this.perCaller.max) return full(this.perCaller, 'You have');
      this.#byCaller.set(caller, own + 1);
    }
    this.#taken += 1;
    let held = true;
    return accepted(() => {
      if (held) this.#release(caller);
      held = false;
    });
  }

  #release(caller: string | null): void {
    this.#taken -= 1;
    if (caller === null) return;
    const own = this.#byCaller.get(caller) ?? 0;
    if (own > 1) this.#byCaller.set(caller, own - 1);
    else this.#byCaller.delete(caller);
  }
}

function full({ limit, max }: PlacesLimit, who: string) {
  return refused('overloaded', `${who} ${String(max)} of these already. Try again later.`, {
    limit,
    maximum: max,
  });
}
