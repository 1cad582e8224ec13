// What the coordinator remembers of a session's turn: refusals in a row, and the callbacks that the last one handed
// over. In memory only: a client that has a cap of its own keeps to it, and callbacks are handed over once more,
// whatever is forgotten here.
import { LRUCache } from 'lru-cache';

export interface StopHookState {
  readonly refusals: number;
  /** Callbacks that the last refusal carried; the agent has them once the turn's next stop is heard of. */
  readonly handed: readonly string[];
  /** Refusals in a row that carried callbacks and were not heard to have arrived. */
  readonly unheard: number;
}

/** The last stop of a session: how it found the turn, and how it left it. */
interface LastStop {
  readonly invocation: string | null;
  readonly before: StopHookState;
  readonly after: StopHookState;
}

const FRESH: StopHookState = { refusals: 0, handed: [], unheard: 0 };

export class StopHookStates {
  readonly #last: LRUCache<string, LastStop>;

  constructor(sessionsMax: number) {
    this.#last = new LRUCache({ max: sessionsMax });
  }

  /**
   * The turn as a stop finds it. One that is asked about again finds what it found the first time.
   *
   * @param repeated - A refused stop came before it in the same turn.
   * @param invocation - What tells the stop from others; `null` where nothing does.
   */
  of(sessionId: string, repeated: boolean, invocation: string | null): StopHookState {
    const last = this.#last.get(sessionId);
    if (last === undefined) return FRESH;
    if (invocation !== null && last.invocation === invocation) return last.before;
    if (!repeated) return { ...FRESH, unheard: last.after.unheard };
    return last.after.handed.length > 0 ? { ...last.after, unheard: 0 } : last.after;
  }

  refused(
    sessionId: string,
    invocation: string | null,
    before: StopHookState,
    handed: readonly string[],
  ): void {
    const unheard = before.unheard + (handed.length > 0 ? 1 : 0);
    const after = { refusals: before.refusals + 1, handed, unheard };
    this.#last.set(sessionId, { invocation, before, after });
  }

  /** The idle session was woken with callbacks: its next stop, which says that the turn went on, shows that it has them. */
  woken(sessionId: string, handed: readonly string[]): void {
    const { unheard } = this.#last.get(sessionId)?.after ?? FRESH;
    const after = { refusals: 0, handed, unheard: unheard + 1 };
    this.#last.set(sessionId, { invocation: null, before: FRESH, after });
  }

  over(sessionId: string, invocation: string | null, before: StopHookState): void {
    this.#last.set(sessionId, { invocation, before, after: { ...FRESH, unheard: before.unheard } });
  }
}
