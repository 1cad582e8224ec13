// Decisions on a tree of sessions: one at a time for each tree, prepared on the tree's document as it is, made on the
// records as they are, and made again where something moved in between.
import { deciding, type Rule } from '../../domain/transactions/decide.js';
import {
  STALE,
  verdictKey,
  type DecisionContext,
  type DocumentView,
  type Verdict,
} from '../../domain/transactions/unit-of-work.js';
import { missing, RecordDamagedError } from '../../domain/damage/damage.js';
import type { Outcome } from '../../domain/errors.js';
import type { LoadedRecords, LoadRequest } from '../../domain/transactions/loaded-records.js';
import type { JsonObject } from '../../domain/json/json.js';
import type { Limits } from '../../domain/limits.js';
import type { Once } from '../../domain/transactions/idempotency.js';
import type { Completion, StateHead, Webhook, WorkflowSchema } from '../../domain/records/records.js';
import type { Clock, IdSource } from '../../ports/runtime.js';
import type { SchemaEngine } from '../../ports/schema-engine.js';
import type { Store } from '../../ports/store.js';
import type { Documents } from '../documents/documents.js';
import { bareContext } from './bare-context.js';
import { KeyedQueue } from './keyed-queue.js';
import type { IdempotencyStore } from './idempotency-store.js';
import type { DocumentTexts } from '../documents/document-texts.js';

interface Parts {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly limits: Limits;
  readonly documents: Documents;
  readonly texts: DocumentTexts;
  /** The registered schemas. */
  readonly schemas: { byId(schemaId: string): Promise<WorkflowSchema | null> };
  /** Validates a document against a completion's contract. */
  readonly contracts: { verdict(completion: Completion, view: DocumentView): Promise<Verdict> };
  readonly engine: Pick<SchemaEngine, 'ruledOut' | 'exampleOf'>;
  readonly webhooks: { readonly enabled: readonly Webhook[] };
}

function withReceipt(loads: readonly LoadRequest[], once: Once | undefined): readonly LoadRequest[] {
  return once === undefined ? loads : [...loads, { load: 'receipt', receiptId: once.receiptId }];
}

export class TreeTransactions {
  constructor(
    private readonly parts: Parts,
    readonly queue = new KeyedQueue(),
    private readonly receipts: IdempotencyStore | null = null,
  ) {}

  /** The same, for one request with an idempotency key: each decision is found where it was made before. */
  keeping(receipts: IdempotencyStore): TreeTransactions {
    return new TreeTransactions(this.parts, this.queue, receipts);
  }

  /** Decides about one tree, in its turn. */
  async decide<T>(rootSessionId: string, loads: readonly LoadRequest[], rule: Rule<T>): Promise<Outcome<T>> {
    const once = this.receipts?.next();
    const all = withReceipt(loads, once);
    return this.queue.run(rootSessionId, async () => {
      let context: DecisionContext = { ...this.context(), once };
      for (let tries = 0; tries < this.parts.limits.preparationsMax; tries += 1) {
        const outcome = await this.attempt(all, context, rule);
        if (outcome !== STALE) return outcome;
        context = { ...(await this.prepare(rootSessionId)), once };
      }
      throw new Error(`a decision about the tree ${rootSessionId} cannot be made: it is stale every time`);
    });
  }

  /** Makes a decision once. With a damaged state it is stale: the next context names the damage instead. */
  private async attempt<T>(loads: readonly LoadRequest[], context: DecisionContext, rule: Rule<T>) {
    try {
      return await this.parts.store.transact(loads, deciding(context, rule, loads));
    } catch (error) {
      const isOfState = error instanceof RecordDamagedError && error.damage.kind === 'state';
      if (isOfState && context.documentDamage === undefined) return STALE;
      throw error;
    }
  }

  /** Decides about something that belongs to no tree, or to one that is not known yet. */
  async decideFree<T>(loads: readonly LoadRequest[], rule: Rule<T>): Promise<Outcome<T>> {
    const once = this.receipts?.next();
    const all = withReceipt(loads, once);
    const outcome = await this.parts.store.transact(all, deciding({ ...this.context(), once }, rule, all));
    if (outcome === STALE) throw new Error('a decision outside of a tree cannot be stale');
    return outcome;
  }

  /** A context without a document: enough wherever no completion is asked for or released. */
  context(): DecisionContext {
    const { webhooks, engine } = this.parts;
    return {
      ...bareContext(this.parts),
      ruledOut: engine.ruledOut,
      exampleOf: engine.exampleOf,
      webhooks: () => webhooks.enabled,
    };
  }

  private async prepare(rootSessionId: string): Promise<DecisionContext> {
    const { store, documents, texts, schemas } = this.parts;
    const bare = this.context();
    const stateId = (await store.read.tree(rootSessionId))?.stateId ?? null;
    if (stateId === null) return bare;
    let head: StateHead | null;
    let document: JsonObject | null;
    let schema: WorkflowSchema | null;
    try {
      head = await store.read.state(stateId);
      if (head === null) throw missing('state', stateId);
      document = await documents.at(head.stateId, head.version);
      schema = await schemas.byId(head.schemaId);
      if (document === null) throw missing('snapshot', `${head.stateId}@${String(head.version)}`);
      if (schema === null) throw missing('schema', head.schemaId);
    } catch (error) {
      if (!(error instanceof RecordDamagedError)) throw error;
      // The tree goes on: its completions end as failed, with this for a reason.
      return { ...bare, documentDamage: `${error.message}.` };
    }
    const view = {
      stateId: head.stateId,
      version: head.version,
      document,
      text: texts.text(document),
      schema: schema.jsonSchema,
      schemaName: schema.name,
      schemaHash: schema.hash,
    };
    const contractResults = new Map<string, Verdict>();
    for (const completion of await this.openContracts(rootSessionId)) {
      contractResults.set(verdictKey(completion), await this.parts.contracts.verdict(completion, view));
    }
    return { ...bare, document: view, contractResults };
  }

  /** Completions whose contract may be looked at by a decision. */
  private async openContracts(rootSessionId: string): Promise<readonly Completion[]> {
    const records = await this.load([{ load: 'openAggregates', rootSessionId }]);
    return [...records.aggregates.values()].flatMap(({ completions, session }) =>
      completions.filter(
        (one) =>
          one.generation === session.generation &&
          one.releasedAt === null &&
          one.settings.contract !== null &&
          (one.status === 'completed' || one.wrote),
      ),
    );
  }

  private load(loads: readonly LoadRequest[]): Promise<LoadedRecords> {
    return this.parts.store.transact(loads, (records) => ({ changes: [], value: records }));
  }
}
