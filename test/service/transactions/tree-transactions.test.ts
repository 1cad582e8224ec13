// Decisions whose inputs come late: they are made again, and end as if the inputs had been there from the start.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ok } from '../../../src/domain/errors.js';
import { DEFAULT_LIMITS } from '../../../src/domain/limits.js';
import type { Store } from '../../../src/ports/storage/store.js';
import { Contracts } from '../../../src/service/completion/contracts.js';
import { DocumentTexts } from '../../../src/service/documents/document-texts.js';
import { Documents } from '../../../src/service/documents/documents.js';
import { StateSizes } from '../../../src/service/documents/state-sizes.js';
import { DamageLog } from '../../../src/service/operations/damage-log.js';
import { SchemaCache } from '../../../src/service/schemas/schema-cache.js';
import { STALE } from '../../../src/domain/transactions/decision-context.js';
import { IdempotencyStore } from '../../../src/service/transactions/idempotency-store.js';
import { TreeTransactions } from '../../../src/service/transactions/tree-transactions.js';
import { sharedEngine } from '../../support/shared-engine.js';
import { must, openHarness, silent, type Harness } from '../harness.js';

const CHILDREN = 9;
const terms = { receiptId: 'r', rootSessionId: null, fingerprint: 'f' };
const limits = { ...DEFAULT_LIMITS, preparationsMax: 6 };

describe('a decision whose inputs come late', () => {
  let harness: Harness;
  let store: Store;
  let rootId: string;
  let stateId: string;
  beforeEach(async () => {
    const opened: Store[] = [];
    harness = await openHarness({}, false, {}, undefined, (one) => {
      opened.push(one);
      return one;
    });
    [store] = opened as [Store];
    const { operator } = harness;
    must(await operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
    rootId = must(await operator.sessions.create({ session_name: 'root', external: true })).session_id;
    const root = await harness.as('root');
    stateId = must(await root.states.create({ schema_name: 'any', initial_data: {} })).state_id;
  });
  afterEach(() => harness.close());

  /** Transactions with empty caches. */
  function fresh(): TreeTransactions {
    const engine = sharedEngine(limits);
    const texts = new DocumentTexts();
    const contracts = new Contracts(engine, texts);
    let ids = 0;
    return new TreeTransactions({
      store,
      clock: harness.clock,
      ids: { newId: (prefix) => `${prefix}_late${String((ids += 1))}`, newSecret: () => 'secret' },
      limits,
      logger: silent,
      damageLog: new DamageLog(silent, 10),
      keys: null,
      documents: new Documents(store, limits.stateCacheBytesMax, new StateSizes(limits, silent), texts),
      texts,
      schemas: new SchemaCache(store, limits.compiledSchemasMax),
      // As one that a worker thread validates: the result is never known at once.
      contracts: { contractViolations: async (...of) => contracts.contractViolations(...of) },
      engine,
      webhooks: { enabled: [] },
      recorder: () => ({
        isWorkflow: () => false,
        writesOf: () => [],
        written: () => undefined,
        prepare: () => Promise.resolve(),
        committed: () => undefined,
      }),
    });
  }

  it.each([
    ["update runs set status = 'asleep'", 'run status'],
    ['delete from trees', 'tree null'],
    ["update trees set failures_in_a_row = 'many'", 'tree failures_in_a_row'],
  ])('keeps the list of what it repairs (%s)', async (damage, expected) => {
    const root = await harness.as('root');
    must(await root.runs.create({ type: 'start_session', session_name: 'child', prompt: 'go' }));
    harness.tamper(damage);
    const repaired = { load: 'repaired', kind: 'tree', id: rootId, now: harness.clock.now() } as const;
    let made = 0;
    const result = await fresh().decide(rootId, [repaired], (unit) => {
      made += 1;
      unit.view(rootId);
      return ok(unit.records.repaired.map(({ kind, column }) => `${kind} ${String(column)}`));
    });
    expect(made).toBeGreaterThan(1);
    expect(must(result)).toEqual([expected]);
  });

  it('gets the results of more contracts than it may be prepared for one by one', async () => {
    const { operator } = harness;
    const names = Array.from({ length: CHILDREN }, (_, i) => `child-${String(i)}`);
    const children: string[] = [];
    for (const name of names) {
      const contract = { pointer: `/${name}`, schema: { type: 'integer' } };
      const created = await operator.sessions.create({
        session_name: name,
        parent_session_name: 'root',
        external: true,
        callback: true,
        completion: { contract },
      });
      children.push(must(created).session_id);
      must(await operator.states.patch(stateId, [{ op: 'add', path: `/${name}`, value: 'none' }], {}));
    }
    const result = await fresh().decide(rootId, [], (unit) => {
      const results = children.map((child) => unit.contractViolations(unit.completion(child)));
      return ok(results.map(([first]) => first?.keyword));
    });
    expect(must(result)).toEqual(names.map(() => 'type'));
  });

  it('leaves a record only if it is an effect, and then one', async () => {
    const keyed = fresh().keeping(new IdempotencyStore(store, terms));
    const kept = async () => (await store.read.receiptsOf(terms)).map(({ receiptId }) => receiptId);
    must(await keyed.decideFree([], () => ok('looked up')));
    expect(await kept()).toEqual([]);
    const twice = keyed.effect('stop_run', async (decisions) => {
      const first = await decisions.decideFree([], () => ok('first'));
      expect(await decisions.decideFree([], () => ok('second')).catch(String)).toContain('two decisions');
      return first;
    });
    expect(must(await twice)).toBe('first');
    expect(await kept()).toEqual(['r#stop_run']);
  });

  it('leaves no record while it is stale', async () => {
    const keyed = fresh().keeping(new IdempotencyStore(store, terms));
    const registered = keyed.effect('register_schema', async (decisions) => {
      expect(await decisions.tryFree([], (unit) => unit.stale())).toBe(STALE);
      expect(await store.read.receiptsOf(terms)).toEqual([]);
      return decisions.decideFree([], () => ok('fresh'));
    });
    expect(must(await registered)).toBe('fresh');
  });
});
