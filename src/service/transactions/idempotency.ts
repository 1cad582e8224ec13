// Requests with an idempotency key. Each is executed once, however often it is sent, and has one answer.
import { treeOf, type Actor } from '../../domain/access/actor.js';
import { damaged } from '../../domain/damage/damage.js';
import { ok, fail, type Result } from '../../domain/errors.js';
import type { JsonValue } from '../../domain/json/json.js';
import type { Receipt } from '../../domain/records/records.js';
import {
  loadReceipt,
  receiptOf,
  replay,
  type IdempotencyTerms,
} from '../../domain/transactions/idempotency.js';
import type { KeyedRequest } from '../../ports/host.js';
import type { Countersign } from '../../ports/service.js';
import type { MaybePromise } from '../../lib/maybe-promise.js';
import type { Clock } from '../../ports/runtime.js';
import type { Store } from '../../ports/storage/store.js';
import { contentHash } from '../../document/index.js';
import { IdempotencyStore, receiptsOf } from './idempotency-store.js';
import { receiptOwner, type ReceiptOwners } from './receipt-owners.js';

/** Keys are scoped to their sender, so no caller can get another's answer. */
function senderOf(actor: Actor): string {
  if (actor.kind === 'session') return `session ${actor.sessionId}`;
  return `${actor.kind} ${actor.tokenName ?? ''}`;
}

interface Parts {
  readonly store: Store;
  readonly clock: Clock;
  readonly receiptOwners: ReceiptOwners;
  /** The service for one request, whose effects keep their records in `receipts`. */
  readonly serviceKeeping: (receipts: IdempotencyStore, actor: Actor) => Countersign;
}

export class IdempotentRequests {
  /** Requests that are carried out, by the record of their answer. */
  readonly #underWay = new Set<string>();
  /** Those that are answered, while the record of the answer is written. */
  readonly #answered = new Map<string, Promise<void>>();

  constructor(private readonly parts: Parts) {}

  /** @see Host.once */
  async run<T extends JsonValue>(
    actor: Actor,
    request: KeyedRequest,
    work: (service: Countersign) => MaybePromise<Result<T>>,
  ): Promise<Result<{ answer: T; replayed: boolean }>> {
    const { store, serviceKeeping } = this.parts;
    const owner = receiptOwner(actor);
    const receiptId = `${owner ?? ''}${contentHash(`${senderOf(actor)}\n${request.key}`)}`;
    const { fingerprint } = request;
    const once: IdempotencyTerms = { receiptId, rootSessionId: treeOf(actor), fingerprint };
    await this.#answered.get(receiptId);
    if (this.#underWay.has(receiptId)) {
      return fail(
        'idempotency_in_flight',
        'The first request with this Idempotency-Key is still under way. Wait a moment, and send it again.',
      );
    }
    this.#underWay.add(receiptId);
    try {
      const known = await receiptsOf(store, once);
      for (const receipt of known) {
        const replayed = replay(receipt, fingerprint);
        if (!replayed.ok) return replayed;
        if (receipt.receiptId !== receiptId) continue;
        if (request.isAnswer?.(replayed.value) === false)
          throw damaged('receipt', receiptId, 'is no stored answer');
        return ok({ answer: replayed.value as T, replayed: true });
      }
      const receipts = new IdempotencyStore(store, once, known);
      const result = await work(serviceKeeping(receipts, actor));
      if (!result.ok) return result;
      const earlier = this.#keepAnswer(owner, once, result.value);
      // The record of the effect already makes a repeated request safe: the caller need not wait for that of the answer.
      const before = known.length === 0 && receipts.hadEffect ? null : await earlier;
      if (before === null) return ok({ answer: result.value, replayed: false });
      const replayed = replay(before, fingerprint);
      return replayed.ok ? ok({ answer: replayed.value as T, replayed: true }) : replayed;
    } finally {
      this.#wrote(owner);
      this.#underWay.delete(receiptId);
    }
  }

  /** Resolves when the records of all answers that were given are on disk. */
  async answersKept(): Promise<void> {
    await Promise.all(this.#answered.values());
  }

  /**
   * Writes the record of an answer.
   *
   * @returns The record of another coordinator that has carried out the same request: it had each of its effects once.
   */
  #keepAnswer(owner: string | null, once: IdempotencyTerms, answer: JsonValue): Promise<Receipt | null> {
    const { store, clock } = this.parts;
    const { receiptId } = once;
    const record = receiptOf(once, answer, clock.now());
    const kept = store.transact<Receipt | null>([loadReceipt(once)], ({ receipts }) => {
      const before = receipts.get(receiptId);
      return before === undefined
        ? { changes: [{ put: 'receipt', record }], value: null }
        : { changes: [], value: before };
    });
    // If it fails, a repeated request gets its answer from the records of its effects.
    const settled = () => {
      this.#answered.delete(receiptId);
      this.#wrote(owner);
    };
    this.#answered.set(receiptId, kept.then(settled, settled));
    return kept;
  }

  /** Call after records were written: before, their bound could be checked too early. */
  #wrote(owner: string | null): void {
    if (owner !== null) this.parts.receiptOwners.note(owner);
  }
}
