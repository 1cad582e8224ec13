// The idempotency records of one request with an idempotency key: one of its answer, and one of each of its effects.
// The record of an effect bears the name of the effect, so that no other decision takes it for its own.
import type { Result } from '../../domain/errors.js';
import type { JsonValue } from '../../domain/json/json.js';
import { replay, type IdempotencyTerms } from '../../domain/transactions/idempotency.js';
import type { Receipt, ReceiptKey } from '../../domain/records/records.js';
import { afterOk, type MaybePromise } from '../../lib/maybe-promise.js';
import type { Store } from '../../ports/storage/store.js';

/** What a request does. A decision that only reads, or that many requests share, is no effect. */
export type EffectName =
  | 'acknowledge_callback'
  | 'create_run'
  | 'create_session'
  | 'create_state'
  | 'create_webhook'
  | 'delete_runner'
  | 'delete_schema'
  | 'delete_session'
  | 'delete_state'
  | 'delete_webhook'
  | 'heartbeat'
  /** Of one run. */
  | `heartbeat ${string}`
  | 'redeliver_callback'
  | 'redeliver_webhook'
  | 'register_runner'
  | 'register_schema'
  | 'report_run'
  | 'report_session'
  | 'retry_completion'
  | 'skip_completion'
  | 'stop_run'
  | 'stop_session'
  | 'switch_webhook'
  | 'write_state';

/** Earlier versions of the service numbered the records of decisions. Such a record does not name its effect. */
const NUMBERED = /#\d+$/;

export class IdempotencyStore {
  readonly #found: ReadonlyMap<string, Receipt>;
  readonly #begun = new Set<EffectName>();
  #hadEffect = false;

  /**
   * @param answer - The record that holds the request's answer.
   * @param found - The records that an earlier attempt of the request has left.
   */
  constructor(
    private readonly store: Pick<Store, 'read'>,
    private readonly answer: IdempotencyTerms,
    found: readonly Receipt[] = [],
  ) {
    this.#found = new Map(found.map((receipt) => [receipt.receiptId, receipt]));
  }

  /** True once the request has had an effect now, not at an earlier attempt: the record of it is on disk. */
  get hadEffect(): boolean {
    return this.#hadEffect;
  }

  /** The record of an effect. A repeated request has the same one. */
  of(name: EffectName): IdempotencyTerms {
    return { ...this.answer, receiptId: `${this.answer.receiptId}#${name}` };
  }

  /**
   * Lets the request have an effect once. If it has had the effect, nothing is checked again: the effect itself may be
   * why a check fails now.
   *
   * @param work - Checks, and has the effect in a decision that writes the record.
   * @param again - The result, from the stored one.
   */
  async once<T>(
    name: EffectName,
    work: (once: IdempotencyTerms) => MaybePromise<Result<T>>,
    again: (stored: JsonValue) => MaybePromise<Result<T>>,
  ): Promise<Result<T>> {
    if (this.#begun.has(name)) throw new Error(`a request has the effect ${name} twice`);
    this.#begun.add(name);
    const terms = this.of(name);
    const found = this.#found.get(terms.receiptId);
    if (found !== undefined) return afterOk(replay(found, terms.fingerprint), again);
    const result = await work(terms);
    if (result.ok) {
      this.#hadEffect = true;
      return result;
    }
    // Another coordinator may have carried the request out since its records were read.
    const late = await this.store.read.receipt(terms);
    if (late !== null) return afterOk(replay(late, terms.fingerprint), again);
    // A refused effect is none: the request may try it in another form.
    this.#begun.delete(name);
    return result;
  }
}

/** The records that a request and its effects have left. */
export async function receiptsOf(
  { read }: Pick<Store, 'read'>,
  key: ReceiptKey,
): Promise<readonly Receipt[]> {
  return (await read.receiptsOf(key)).filter((receipt) => !NUMBERED.test(receipt.receiptId));
}
