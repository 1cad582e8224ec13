// Writes of many states that come at the same time: they share a decision, and each is answered for itself.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LoadedRecords } from '../../../src/domain/transactions/loaded-records.js';
import { CommitUnknownError } from '../../../src/ports/storage/storage.js';
import type { Store } from '../../../src/ports/storage/store.js';
import { must, openHarness, failure, type Harness } from '../harness.js';

const SCHEMA = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
/** As many as one decision takes. */
const STATES = 16;

/** The store itself, but that decisions are counted, fail, or find a state that has moved. */
class Watched {
  decisions = 0;
  /** To be found a version further on, by one decision. */
  moved: string | null = null;
  fail: Error | null = null;
  isSoleCoordinator = true;
  /** A state that no decision can be made about. */
  spoilt: string | null = null;

  wrap = (store: Store): Store =>
    new Proxy(store, {
      get: (target, name) => {
        if (name === 'transact') {
          const transact: Store['transact'] = (loads, decide, gathered) => {
            this.decisions += 1;
            if (this.fail !== null) return Promise.reject(this.fail);
            const spoilt = loads.some(
              (request) => request.load === 'state' && request.stateId === this.spoilt,
            );
            if (spoilt) return Promise.reject(new Error('no decision can be made'));
            const moved = this.moved;
            this.moved = null;
            return target.transact(loads, (records) => decide(movedOn(records, moved)), gathered);
          };
          return transact;
        }
        const value: unknown =
          name === 'isSoleCoordinator' ? this.isSoleCoordinator : Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
}

function movedOn(records: LoadedRecords, stateId: string | null): LoadedRecords {
  const head = stateId === null ? undefined : records.states.get(stateId);
  if (head === undefined) return records;
  const states = new Map(records.states).set(head.stateId, { ...head, version: head.version + 1 });
  return new Proxy(records, {
    get: (target, name) => (name === 'states' ? states : (Reflect.get(target, name, target) as unknown)),
  });
}

describe('writes of many states', () => {
  let harness: Harness;
  let watched: Watched;
  let ids: string[];
  beforeEach(async () => {
    watched = new Watched();
    harness = await openHarness({}, false, {}, undefined, watched.wrap);
    must(await harness.operator.schemas.register({ name: 'plan', json_schema: SCHEMA }));
    ids = [];
    for (let i = 0; i < STATES; i += 1) {
      const made = await harness.operator.states.create({ schema_name: 'plan', initial_data: { n: 0 } });
      ids.push(must(made).state_id);
    }
    // From here on all that a write takes is at hand.
    await Promise.all(ids.map((id) => setN(id, 1)));
    watched.decisions = 0;
  });
  afterEach(async () => {
    watched.fail = null;
    expect(must(await harness.operator.operations.doctor()).findings).toEqual([]);
    await harness.close();
  });
  const states = () => harness.operator.states;
  const setN = (id: string, n: unknown) =>
    states().patch(id, [{ op: 'replace', path: '/n', value: n as number }], {});

  it('share a decision', async () => {
    const answers = await Promise.all(ids.map((id, i) => setN(id, 100 + i)));
    expect(watched.decisions).toBe(1);
    for (const [i, answer] of answers.entries()) {
      expect(must(answer)).toMatchObject({ state_id: ids[i], version: 3, current_data: { n: 100 + i } });
      expect(must(await states().get(ids[i] ?? ''))).toMatchObject({
        version: 3,
        current_data: { n: 100 + i },
      });
    }
  });

  it('share several decisions where they are more than one takes', async () => {
    const more = { schema_name: 'plan', initial_data: { n: 0 } };
    ids.push(must(await harness.operator.states.create(more)).state_id);
    await setN(ids.at(-1) ?? '', 1);
    watched.decisions = 0;
    const answers = await Promise.all(ids.map((id, i) => setN(id, 100 + i)));
    expect(watched.decisions).toBe(2);
    for (const [i, answer] of answers.entries()) {
      expect(must(answer)).toMatchObject({ state_id: ids[i], version: 3, current_data: { n: 100 + i } });
    }
  });

  it('are refused, unchanged or tried out one by one', async () => {
    const [a = '', b = '', c = '', d = ''] = ids;
    const answers = await Promise.all([
      setN(a, 'x'),
      setN(b, 1),
      states().patch(c, [{ op: 'replace', path: '/n', value: 7 }], { dryRun: true }),
      setN(d, 9),
      setN('st_none', 1),
      setN(a, 2),
    ]);
    expect(failure(answers[0]).error).toBe('validation_failed');
    expect(must(answers[1])).toMatchObject({ version: 2, changed: false });
    expect(must(answers[2])).toMatchObject({ version: 3, current_data: { n: 7 }, changed: true });
    expect(must(answers[3])).toMatchObject({ version: 3, current_data: { n: 9 } });
    expect(failure(answers[4]).error).toBe('state_not_found');
    expect(must(answers[5])).toMatchObject({ version: 3, current_data: { n: 2 } });
    expect(must(await states().get(c))).toMatchObject({ version: 2 });
  });

  it('are made ready again, all of them, where one was prepared on what has moved', async () => {
    watched.moved = ids[7] ?? null;
    const answers = await Promise.all(ids.map((id, i) => setN(id, 200 + i)));
    expect(watched.decisions).toBe(1 + STATES);
    for (const [i, answer] of answers.entries()) {
      expect(must(answer)).toMatchObject({ version: 3, current_data: { n: 200 + i } });
    }
    const next = await Promise.all(ids.map((id) => setN(id, 1)));
    expect(next.map((answer) => must(answer).version)).toEqual(ids.map(() => 4));
  });

  it('are decided each alone beside other coordinators: only the one that has moved is made ready again', async () => {
    watched.isSoleCoordinator = false;
    await Promise.all(ids.map((id) => setN(id, 2)));
    expect(watched.decisions).toBe(STATES);
    watched.moved = ids[0] ?? null;
    const answers = await Promise.all(ids.map((id, i) => setN(id, 200 + i)));
    expect(watched.decisions).toBe(STATES + STATES + 1);
    for (const [i, answer] of answers.entries()) {
      expect(must(answer)).toMatchObject({ version: 4, current_data: { n: 200 + i } });
    }
  });

  it('are told apart where one spoils the decision', async () => {
    watched.spoilt = ids[4] ?? null;
    const settled = await Promise.allSettled(ids.map((id, i) => setN(id, 300 + i)));
    watched.spoilt = null;
    expect(settled.map(({ status }) => status)).toEqual(
      ids.map((_id, i) => (i === 4 ? 'rejected' : 'fulfilled')),
    );
    const next = await Promise.all(ids.map((id) => setN(id, 6)));
    expect(next.map((answer) => must(answer).version)).toEqual(ids.map((_id, i) => (i === 4 ? 3 : 4)));
  });

  it('are not tried again where they may have been written', async () => {
    watched.fail = new CommitUnknownError('the thread is gone');
    watched.decisions = 0;
    const failed = await Promise.allSettled(ids.map((id) => setN(id, 5)));
    expect(new Set(failed.map(({ status }) => status))).toEqual(new Set(['rejected']));
    expect(watched.decisions).toBe(1);
  });

  it('are told to a webhook of one schema, whatever schemas the others have', async () => {
    const other: string[] = [];
    for (let i = 0; i < 12; i += 1) {
      const name = `other-${String(i)}`;
      must(await harness.operator.schemas.register({ name, json_schema: { ...SCHEMA, title: name } }));
      const made = await harness.operator.states.create({ schema_name: name, initial_data: { n: 0 } });
      other.push(must(made).state_id);
    }
    await Promise.all(other.map((id) => setN(id, 1)));
    const webhook = must(
      await harness.operator.webhooks.create({
        url: 'https://hooks.example/in',
        events: ['workflow_state_updated'],
        schema_name: 'other-3',
      }),
    );
    const written = await Promise.all(other.map((id) => setN(id, 2)));
    expect(written.map((answer) => must(answer).version)).toEqual(other.map(() => 3));
    const deliveries = must(await harness.operator.webhooks.deliveries(webhook.webhook_id, {}));
    expect(deliveries.items).toHaveLength(1);
  });

  it('fail with the decision, and the next ones go on', async () => {
    watched.fail = new Error('the disk is away');
    const failed = await Promise.allSettled(ids.map((id) => setN(id, 5)));
    expect(new Set(failed.map(({ status }) => status))).toEqual(new Set(['rejected']));
    watched.fail = null;
    const next = await Promise.all(ids.map((id) => setN(id, 6)));
    expect(next.map((answer) => must(answer).version)).toEqual(ids.map(() => 3));
  });

  it('are made in the order in which they came, whichever way each has to go', async () => {
    const [id = ''] = ids;
    const writes: ReturnType<typeof setN>[] = [];
    for (let i = 0; i < 30; i += 1) {
      writes.push(setN(id, 1000 + i));
      // Some come with other turns of the event loop.
      if (i % 7 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    const answers = await Promise.all(writes);
    const versions = answers.map((answer) => must(answer).version);
    expect(versions).toEqual(Array.from({ length: 30 }, (_, i) => 3 + i));
    expect(must(await states().get(id))).toMatchObject({ version: 32, current_data: { n: 1029 } });
  });

  it('are all made where each takes long to prepare, and more come meanwhile', async () => {
    const text = 'x'.repeat(100);
    const members = Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`m${String(i)}`, text]));
    for (const id of ids) must(await states().replace(id, { n: 1, ...members }, {}));
    const writeOften = async (id: string) => {
      for (let n = 0; n < 8; n += 1) must(await setN(id, n));
    };
    await Promise.all(ids.map(writeOften));
    for (const id of ids) expect(must(await states().get(id)).current_data).toMatchObject({ n: 7 });
  });

  it('take whole documents as they are, whatever they share with the one before', async () => {
    const [id = ''] = ids;
    const documents = [
      { n: 1, list: [{ a: 1 }, { b: [1, 2] }], 'ö/~': null },
      { 'ö/~': null, list: [{ b: [1, 2] }, { a: 1 }], n: 1 },
      { n: 2, list: [], deep: { x: { y: { z: [[]] } } } },
      { n: 2, deep: { x: { y: { z: [[], {}] } } }, list: { 0: 'a' } },
      { n: 3, ...Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`m${String(i)}`, i])) },
      { n: 0 },
    ];
    for (const document of documents) {
      const written = must(await states().replace(id, document, {}));
      expect(written.current_data).toEqual(JSON.parse(JSON.stringify(document)));
    }
    await harness.restart();
    expect(must(await states().get(id)).current_data).toEqual({ n: 0 });
  });
});
