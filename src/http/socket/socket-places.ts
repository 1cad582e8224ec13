// How many WebSockets are open: of callers who are known, of each tree, and of those who have yet to say who they are.
import type { Actor } from '../../domain/actor.js';
import { accepted, refused, type Outcome } from '../../domain/errors.js';
import type { Limits } from '../../domain/limits.js';

type Bounds = Pick<Limits, 'socketsMax' | 'unidentifiedSocketsMax' | 'socketsPerTreeMax'>;

export interface SocketPlace {
  /** Moves the place to those who are known, once. @returns `overloaded` where there is none. */
  settle(actor: Actor): Outcome<null>;
  /** Gives the place back; once more changes nothing. */
  leave(): void;
}

export class SocketPlaces {
  #known = 0;
  #unknown = 0;
  readonly #ofTrees = new Map<string, number>();

  constructor(private readonly limits: Bounds) {}

  /** @param actor - `null` where nobody has said who it is. @returns The place; or `overloaded`. */
  take(actor: Actor | null): Outcome<SocketPlace> {
    let release: () => void;
    if (actor === null) {
      const { unidentifiedSocketsMax } = this.limits;
      if (this.#unknown >= unidentifiedSocketsMax)
        return full('unidentifiedSocketsMax', unidentifiedSocketsMax);
      this.#unknown += 1;
      release = () => (this.#unknown -= 1);
    } else {
      const place = this.#takeKnown(actor);
      if (!place.ok) return place;
      release = place.value;
    }
    let held = true;
    return accepted({
      settle: (known) => {
        if (!held) return accepted(null);
        const place = this.#takeKnown(known);
        if (!place.ok) return place;
        release();
        release = place.value;
        return accepted(null);
      },
      leave: () => {
        if (held) release();
        held = false;
      },
    });
  }

  #takeKnown(actor: Actor): Outcome<() => void> {
    const { socketsMax, socketsPerTreeMax } = this.limits;
    if (this.#known >= socketsMax) return full('socketsMax', socketsMax);
    const tree = actor.kind === 'session' ? actor.rootSessionId : null;
    const ofTree = tree === null ? 0 : (this.#ofTrees.get(tree) ?? 0);
    if (ofTree >= socketsPerTreeMax) return full('socketsPerTreeMax', socketsPerTreeMax);
    this.#known += 1;
    if (tree !== null) this.#ofTrees.set(tree, ofTree + 1);
    return accepted(() => {
      this.#known -= 1;
      if (tree === null) return;
      const rest = (this.#ofTrees.get(tree) ?? 1) - 1;
      if (rest === 0) this.#ofTrees.delete(tree);
      else this.#ofTrees.set(tree, rest);
    });
  }
}

function full(limit: keyof Bounds, maximum: number) {
  return refused('overloaded', 'Too many connections are open. Try again later.', { limit, maximum });
}
