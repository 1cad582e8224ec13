// The state of the stop hook for each session: refusals in a row, and the callbacks that the last refusal handed
// over. In memory only. If it is lost, callbacks are handed over again, and a client with its own cap still
// limits refusals.
import type { LRUCache } from 'lru-cache';
import { boundedCache } from '../../lib/bounded-cache.js';

export interface StopHookState {
  readonly refusals: number;
  /** The callbacks that the last refusal handed over. The turn's next stop acknowledges them. */
  readonly handed: readonly string[];
  /** How many refusals in a row handed over callbacks that no later stop acknowledged. */
  readonly unconfirmed: number;
}

/** A session's last stop: the state before it, and the state after it. */
interface LastStop {
  readonly invocation: string | null;
  readonly before: StopHookState;
  readonly after: StopHookState;
}

const FRESH: StopHookState = { refusals: 0, handed: [], unconfirmed: 0 };

export class StopHookStates {
  readonly #last: LRUCache<string, LastStop>;

  constructor(sessionsMax: number) {
    this.#last = boundedCache(sessionsMax);
  }

  /**
   * The state before a stop. A repeated request for the same stop gets the same state.
   *
   * @param repeated - True if a refused stop precedes this one in the same turn.
   * @param invocation - Identifies the stop; `null` if the client does not identify it.
   */
  of(sessionId: string, repeated: boolean, invocation: string | null): StopHookState {
    const last = this.#last.get(sessionId);
    if (last === undefined) return FRESH;
    if (invocation !== null && last.invocation === invocation) return last.before;
    if (!repeated) return { ...FRESH, unconfirmed: last.after.unconfirmed };
    return last.after.handed.length > 0 ? { ...last.after, unconfirmed: 0 } : last.after;
  }

  refused(
    sessionId: string,
    invocation: string | null,
    before: StopHookState,
    handed: readonly string[],
  ): void {
    const unconfirmed = before.unconfirmed + (handed.length > 0 ? 1 : 0);
    const after = { refusals: before.refusals + 1, handed, unconfirmed };
    this.#last.set(sessionId, { invocation, before, after });
  }

  /**
   * Records that callbacks woke a session. If its next stop says that it continues a turn, that stop acknowledges
   * them, together with those of a refusal that the turn already follows.
   */
  woken(sessionId: string, handed: readonly string[]): void {
    const last = this.#last.get(sessionId) ?? { invocation: null, before: FRESH, after: FRESH };
    const { after } = last;
    const fresh = handed.filter((id) => !after.handed.includes(id));
    if (fresh.length === 0) return;
    const now = { refusals: 0, handed: [...after.handed, ...fresh], unconfirmed: after.unconfirmed + 1 };
    this.#last.set(sessionId, { ...last, after: now });
  }

  over(sessionId: string, invocation: string | null, before: StopHookState): void {
    this.#last.set(sessionId, { invocation, before, after: { ...FRESH, unconfirmed: before.unconfirmed } });
  }
}
