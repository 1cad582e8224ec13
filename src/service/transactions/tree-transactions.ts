// Decisions on a tree of sessions, made on the records as they are. Decisions that wait at the same time share a
// commit; work that changes the document outside of them holds the tree's lock exclusively. If a decision needs an
// input that is not in memory, the input is prepared and the decision is made again.
import { deciding, type Rule } from '../../domain/decisions/decide.js';
import { STALE, type DecisionContext } from '../../domain/transactions/decision-context.js';
import type { UnitOfWork } from '../../domain/transactions/unit-of-work.js';
import type { SigningKeys } from '../../domain/evidence/keys.js';
import { RecordDamagedError, whyGivenUp } from '../../domain/damage/damage.js';
import { isOfTree, setAside, type GivenUp } from '../../domain/scheduling/set-aside.js';
import { ok, type Result } from '../../domain/errors.js';
import { recordWork, type RecordingInputs } from '../../domain/states/record-work.js';
import type { LoadRequest } from '../../domain/transactions/loaded-records.js';
import type { Limits } from '../../domain/limits.js';
import { loadReceipt, type IdempotencyTerms } from '../../domain/transactions/idempotency.js';
import type { Webhook } from '../../domain/records/records.js';
import type { Clock, IdSource, Logger } from '../../ports/runtime.js';
import type { SchemaEngine } from '../../ports/schema-engine.js';
import type { SessionOfTree } from '../../ports/storage/reader.js';
import type { Store } from '../../ports/storage/store.js';
import { DecisionInputs, type DecisionInputsParts } from './decision-inputs.js';
import type { DamageLog } from '../operations/damage-log.js';
import { KeyedQueue } from './keyed-queue.js';
import type { EffectName, IdempotencyStore } from './idempotency-store.js';
import type { MaybePromise } from '../../lib/maybe-promise.js';

interface Parts extends DecisionInputsParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly limits: Limits;
  readonly logger: Logger;
  readonly damageLog: DamageLog;
  readonly keys: SigningKeys | null;
  readonly engine: Pick<SchemaEngine, 'ruledOut' | 'exampleOf'>;
  readonly webhooks: { readonly enabled: readonly Webhook[] };
  /** What recording in workflow records needs, for one decision. */
  readonly recorder: () => Recorder;
  /** Gets the error of each decision that could not be made or written. */
  readonly onFailed?: (error: unknown) => void;
}

interface Recorder extends RecordingInputs {
  /** Loads and prepares what the decision asked for. */
  prepare(): Promise<void>;
  /** Call when the decision is on disk. */
  committed(): void;
}

/** Enough to prepare each input once: the document, results of contracts, and entries of a workflow record. */
const TRIES_BESIDE_OTHERS = 5;

function withReceipt(
  loads: readonly LoadRequest[],
  once: IdempotencyTerms | undefined,
): readonly LoadRequest[] {
  return once === undefined ? loads : [...loads, loadReceipt(once)];
}

const nothing = () => undefined;

/** The record of an effect is that of one decision: a second one would take it for its own. */
class OneDecision {
  #isMade = false;

  constructor(
    private readonly name: EffectName,
    private readonly once: IdempotencyTerms,
  ) {}

  begin(): IdempotencyTerms {
    if (this.#isMade) throw new Error(`the effect ${this.name} has two decisions`);
    return this.once;
  }

  end(): void {
    this.#isMade = true;
  }
}

/** Makes decisions. */
export type Decisions = Pick<TreeTransactions, 'decide' | 'decideOnSession' | 'decideFree' | 'tryFree'>;

export class TreeTransactions {
  readonly #newId = (prefix: string) => this.parts.ids.newId(prefix);
  readonly #webhooks = () => this.parts.webhooks.enabled;

  constructor(
    private readonly parts: Parts,
    readonly queue = new KeyedQueue(),
    private readonly receipts: IdempotencyStore | null = null,
    private readonly oneDecision: OneDecision | null = null,
  ) {}

  /** The same, for one request with an idempotency key: it has each of its effects once. */
  keeping(receipts: IdempotencyStore): TreeTransactions {
    return new TreeTransactions(this.parts, this.queue, receipts);
  }

  /**
   * Lets the present request have an effect. With an idempotency key it has it once, and a repeated request gets the
   * stored result before anything is checked. All other decisions of a request leave no record.
   *
   * @param work - Checks, and makes the decision that is the effect. Returns the decision's result, without a change:
   *   what the answer shows has to be in it, because all else may be different when the request is repeated.
   */
  effect<T>(
    name: EffectName,
    work: (decisions: Decisions) => MaybePromise<Result<T>>,
  ): MaybePromise<Result<T>> {
    const { receipts } = this;
    if (receipts === null) return work(this);
    return receipts.once(
      name,
      (once) => work(new TreeTransactions(this.parts, this.queue, null, new OneDecision(name, once))),
      (stored) => ok(stored as T),
    );
  }

  /**
   * Decides about one tree, beside other decisions. The store makes them one after the other. A decision whose inputs
   * were out of date several times, because others changed the document, is made while it holds the tree's lock
   * exclusively. One that needs a damaged record of the tree is made again once the record is set aside.
   */
  decide<T>(rootSessionId: string, loads: readonly LoadRequest[], rule: Rule<T>): Promise<Result<T>> {
    return this.repairing(rootSessionId, () => this.decideIfIntact(rootSessionId, loads, rule));
  }

  /**
   * Sets aside the damaged records of a tree, and what is given up. Never throws.
   *
   * @param facts - For the log. Their error is the reason.
   */
  async setAside(
    rootSessionId: string,
    what: GivenUp | null,
    facts: Readonly<Record<string, unknown>> & { readonly err: unknown },
  ): Promise<void> {
    const { clock, logger, damageLog } = this.parts;
    if (facts.err instanceof RecordDamagedError) damageLog.note(facts.err.damage);
    const repaired = { load: 'repaired', kind: 'tree', id: rootSessionId, now: clock.now() } as const;
    // It is no effect of the present request.
    const own = new TreeTransactions(this.parts, this.queue);
    try {
      const done = await own.decideIfIntact(rootSessionId, [repaired], (unit) =>
        setAside(unit, rootSessionId, what, whyGivenUp(facts.err)),
      );
      if (done.ok && done.value) logger.error(facts, 'a record is set aside');
    } catch (cause) {
      logger.error({ ...facts, cause }, 'a record could be neither processed nor set aside');
    }
  }

  /**
   * Works on a tree. Work that needs a damaged record of it is done again once the record is set aside.
   *
   * @param rootSessionId - That of the damaged record by default.
   */
  async repairing<T>(rootSessionId: string | undefined, work: () => MaybePromise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof RecordDamagedError) || !isOfTree(error.damage)) throw error;
      const { kind, id, rootSessionId: ownRoot } = error.damage;
      const root = rootSessionId ?? ownRoot;
      if (root === undefined) throw error;
      await this.setAside(root, null, { [kind]: id, err: error });
      return work();
    }
  }

  /** The same, without setting anything aside. @throws RecordDamagedError */
  async decideIfIntact<T>(
    rootSessionId: string,
    loads: readonly LoadRequest[],
    rule: Rule<T>,
  ): Promise<Result<T>> {
    const once = this.oneDecision?.begin();
    // After a request `repaired`, which repairs the tree.
    const all = withReceipt([...loads, { load: 'treeState', rootSessionId }], once);
    const inputs = new DecisionInputs(this.parts, rootSessionId);
    const recorder = this.parts.recorder();
    const make = async (triesMax: number) => {
      for (let tries = 0; tries < triesMax; tries += 1) {
        const context = this.#contextOf(inputs, once);
        const result = await this.attempt(all, context, rule, recorder);
        if (result !== STALE) {
          if (result.ok) {
            recorder.committed();
            this.oneDecision?.end();
          }
          return result;
        }
        await inputs.prepare();
        await recorder.prepare();
      }
      return STALE;
    };
    const shared = await this.queue.runShared(rootSessionId, () => make(TRIES_BESIDE_OTHERS));
    if (shared !== STALE) return shared;
    const alone = await this.queue.run(rootSessionId, () => make(this.parts.limits.preparationsMax));
    if (alone !== STALE) return alone;
    throw new Error(`a decision about the tree ${rootSessionId} cannot be made: it is stale every time`);
  }

  /** Decides about one session, beside other decisions on its tree. */
  decideOnSession<T>(
    { sessionId, rootSessionId }: SessionOfTree,
    rule: (unit: UnitOfWork, sessionId: string) => ReturnType<Rule<T>>,
  ): Promise<Result<T>> {
    const loads = [{ load: 'aggregateNamed', idOrName: sessionId }] as const;
    return this.decide(rootSessionId, loads, (unit) => rule(unit, sessionId));
  }

  /** Makes a decision once. With a damaged state it is stale: the next inputs name the damage instead. */
  private async attempt<T>(
    loads: readonly LoadRequest[],
    context: DecisionContext,
    rule: Rule<T>,
    recorder: Recorder,
  ) {
    const record = (unit: UnitOfWork) => {
      recordWork(unit, recorder);
    };
    try {
      return await this.parts.store.transact(loads, deciding(context, rule, loads, record));
    } catch (error) {
      const isOfState = error instanceof RecordDamagedError && error.damage.kind === 'state';
      if (isOfState && context.documentDamage === undefined) return STALE;
      this.parts.onFailed?.(error);
      throw error;
    }
  }

  /** Decides about something that belongs to no tree, or to one that is not known yet. */
  async decideFree<T>(loads: readonly LoadRequest[], rule: Rule<T>): Promise<Result<T>> {
    const result = await this.tryFree(loads, rule);
    if (result === STALE) throw new Error('a decision outside of a tree cannot be stale');
    return result;
  }

  /** The same, once: `STALE` if the records differ from those that the caller has prepared it on. */
  tryFree<T>(loads: readonly LoadRequest[], rule: Rule<T>): Promise<Result<T> | typeof STALE> {
    return this.repairing(undefined, () => this.#tryFree(loads, rule));
  }

  async #tryFree<T>(loads: readonly LoadRequest[], rule: Rule<T>): Promise<Result<T> | typeof STALE> {
    const once = this.oneDecision?.begin();
    const all = withReceipt(loads, once);
    try {
      const result = await this.parts.store.transact(all, deciding(this.#contextOf(null, once), rule, all));
      if (result !== STALE && result.ok) this.oneDecision?.end();
      return result;
    } catch (error) {
      this.parts.onFailed?.(error);
      throw error;
    }
  }

  /** A context without documents: enough wherever no completion is asked for or released. */
  context(): DecisionContext {
    return this.#contextOf(null, undefined);
  }

  #contextOf(inputs: DecisionInputs | null, once: IdempotencyTerms | undefined): DecisionContext {
    const { clock, limits, keys, engine } = this.parts;
    return {
      now: clock.now(),
      limits,
      newId: this.#newId,
      keys,
      documentOf: inputs?.documentOf ?? nothing,
      documentDamage: inputs?.damage,
      contractViolationsOf: inputs?.contractViolationsOf ?? nothing,
      ruledOut: engine.ruledOut,
      exampleOf: engine.exampleOf,
      webhooks: this.#webhooks,
      once,
    };
  }
}
