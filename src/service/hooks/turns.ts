// What the coordinator remembers of a session's turn: refusals in a row, and the callbacks that the last one handed
// over. In memory only: a client that has a cap of its own keeps to it, whatever is forgotten here.
import { LRUCache } from 'lru-cache';

export interface Turn {
  readonly refusals: number;
  /** Callbacks that the last refusal carried; the agent has them once its next stop is heard of. */
  readonly handed: readonly string[];
}

const FRESH: Turn = { refusals: 0, handed: [] };

export class HookTurns {
  readonly #turns: LRUCache<string, Turn>;

  constructor(sessionsMax: number) {
    this.#turns = new LRUCache({ max: sessionsMax });
  }

  /** The turn that a stop belongs to. @param repeated - A refused stop came before it in the same turn. */
  of(sessionId: string, repeated: boolean): Turn {
    return (repeated ? this.#turns.get(sessionId) : undefined) ?? FRESH;
  }

  refused(sessionId: string, turn: Turn, handed: readonly string[]): void {
    this.#turns.set(sessionId, { refusals: turn.refusals + 1, handed });
  }

  over(sessionId: string): void {
    this.#turns.delete(sessionId);
  }
}
