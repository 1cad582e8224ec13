// Records signs of life: every hook and every request of an external session is one. The request does not wait for the record.
// Most signs are skipped: the rule says how soon the next one counts.
import type { LRUCache } from 'lru-cache';
import { boundedCache } from '../../lib/bounded-cache.js';
import type { Actor } from '../../domain/access/actor.js';
import { ok, type Result } from '../../domain/errors.js';
import type { Session } from '../../domain/records/records.js';
import { noteSignOfLife, signStepMs } from '../../domain/sessions/signs-of-life.js';
import type { Clock, Logger } from '../../ports/runtime.js';
import type { Limits } from '../../domain/limits.js';
import type { TreeTransactions } from '../transactions/tree-transactions.js';
import { InFlight } from '../scheduling/in-flight.js';

interface Parts {
  readonly clock: Clock;
  readonly limits: Limits;
  readonly logger: Logger;
  /** Whether requests need a token. Without it, headers identify the session of a caller on the loopback address. */
  readonly auth: boolean;
  readonly transactions: TreeTransactions;
}

export class SignsOfLife {
  /** The time from which a session's next sign of life counts. */
  readonly #next: LRUCache<string, number>;
  readonly #noting = new InFlight();

  constructor(private readonly parts: Parts) {
    this.#next = boundedCache(parts.limits.hookFactsMax);
  }

  /** A session that begins has given its first sign of life, which is on record with it. */
  begun(session: Session): void {
    this.#skipUntil(session.sessionId, session.createdAt, signStepMs(session, { context: this.parts }));
  }

  /** Records a sign of life of an identified caller. Never throws. */
  of(actor: Actor): void {
    if (actor.kind === 'session') this.ofSession(actor.sessionId, actor.rootSessionId);
  }

  /** Records a sign of life of a session. Never throws. */
  ofSession(sessionId: string, rootSessionId: string): void {
    const { clock, logger, auth } = this.parts;
    // A root is never lost: its signs of life only keep its token valid.
    if (!auth && sessionId === rootSessionId) return;
    const next = this.#next.get(sessionId);
    if (next !== undefined && clock.now() < next) return;
    this.#next.set(sessionId, Infinity);
    void this.#noting.run(() =>
      this.note(sessionId, rootSessionId, false).catch((error: unknown) => {
        this.#next.delete(sessionId);
        logger.warn({ session: sessionId, err: error }, 'a sign of life could not be noted');
      }),
    );
  }

  /** @param regular - True for a heartbeat. */
  async note(sessionId: string, rootSessionId: string, regular: boolean): Promise<void> {
    const { transactions, clock } = this.parts;
    const loads = [{ load: 'aggregate', sessionId }] as const;
    const step = await transactions.decide(rootSessionId, loads, (unit): Result<number | null> => {
      if (unit.findAggregate(sessionId) === null) return ok(null);
      noteSignOfLife(unit, sessionId, regular);
      return ok(signStepMs(unit.aggregate(sessionId).session, unit));
    });
    this.#skipUntil(sessionId, clock.now(), step.ok ? step.value : null);
  }

  /** @param stepMs - `null` if no sign of life of the session is stored. */
  #skipUntil(sessionId: string, at: number, stepMs: number | null): void {
    this.#next.set(sessionId, stepMs === null ? Infinity : at + stepMs);
  }

  async close(): Promise<void> {
    await this.#noting.ended();
  }
}
