// What one tree, one session or one token may take of what all share: sessions, streams, waits, receipts, read marks.
import { afterEach, describe, expect, it } from 'vitest';
import type { Actor } from '../../../src/domain/access/actor.js';
import { ok } from '../../../src/domain/errors.js';
import type { JsonObject } from '../../../src/domain/json/json.js';
import { DEFAULT_LIMITS, type Limits } from '../../../src/domain/limits.js';
import type { ReadCursor } from '../../../src/domain/records/read-cursor.js';
import { ReadCursors } from '../../../src/service/reads/read-cursors.js';
import { openSqliteStore } from '../../../src/store/sqlite/index.js';
import { eventually, pause } from '../../support/eventually.js';
import { must, openHarness, failure, silent, type Harness } from '../harness.js';

let harness: Harness;
afterEach(() => harness.close());

const open = async (limits: Partial<Limits>) => {
  harness = await openHarness({ retentionStepMs: 1, retentionRoundMs: 5, ...limits });
  for (const root of ['one', 'other']) {
    must(await harness.operator.sessions.create({ session_name: root, external: true }));
  }
};
const unchanged = async (work: () => Promise<unknown>) => {
  const before = harness.dump();
  await work();
  expect(harness.dump()).toBe(before);
};

describe('the sessions of a tree', () => {
  const child = (parent: string, name: string) =>
    harness.operator.sessions.create({ session_name: name, parent_session_name: parent, external: true });

  it('are bounded, those that were deleted counted, and the refusal says what to do', async () => {
    await open({ sessionsPerTreeMax: 3 });
    must(await child('one', 'a'));
    must(await child('a', 'b'));
    must(await harness.operator.sessions.remove('b'));
    await unchanged(async () => {
      const ways = [
        child('one', 'c'),
        harness.operator.runs.create({
          type: 'start_session',
          session_name: 'c',
          parent_session_name: 'a',
          prompt: 'go',
        }),
        (await harness.as('one')).sessions.create({ session_name: 'c', external: true }),
      ];
      for (const way of ways) {
        const rejected = failure(await way);
        expect(rejected).toMatchObject({
          error: 'limit_exceeded',
          members: { limit: 'sessionsPerTreeMax', maximum: 3, actual: 4 },
        });
        expect(rejected.detail).toMatch(/Give new work to a session that is there/);
      }
      // What is there is told as it is.
      expect(failure(await child('one', 'a')).error).toBe('session_exists');
    });
    must(await child('other', 'c'));
    must(await harness.operator.sessions.create({ session_name: 'third', external: true }));
  });
});

describe('the streams and waits of a tree', () => {
  const stateOf = async () => {
    must(await harness.operator.schemas.register({ name: 'plan', json_schema: { type: 'object' } }));
    const body = { schema_name: 'plan', initial_data: {}, root_session_name: 'one' };
    const id = must(await harness.operator.states.create(body)).state_id;
    for (const name of ['a', 'b']) {
      must(
        await harness.operator.sessions.create({
          session_name: name,
          parent_session_name: 'one',
          external: true,
        }),
      );
    }
    return id;
  };

  it('have a share, which its sessions fill together and nobody else', async () => {
    await open({ streamsPerTreeMax: 3, streamsPerCallerMax: 2 });
    const id = await stateOf();
    const over = new AbortController();
    const follow = async (name: string) => {
      const stream = await (await harness.as(name)).streams.state(id, { signal: over.signal });
      if (stream.ok) await stream.value[Symbol.asyncIterator]().next();
      return stream;
    };
    must(await follow('a'));
    must(await follow('a'));
    expect(failure(await follow('a')).members['limit']).toBe('streamsPerCallerMax');
    must(await follow('b'));
    expect(failure(await follow('b'))).toMatchObject({
      error: 'overloaded',
      members: { limit: 'streamsPerTreeMax', maximum: 3 },
    });
    must(await harness.operator.streams.state(id, { signal: over.signal }));
    over.abort();
  });

  it('are refused by name where a condition is waited for once too often', async () => {
    await open({ conditionWaitsPerTreeMax: 1 });
    const id = await stateOf();
    const until: JsonObject = { required: ['done'] };
    const over = new AbortController();
    const first = (await harness.as('a')).states.wait(id, { until, timeout_ms: 60_000 }, over.signal);
    const wait = async (name: string) => (await harness.as(name)).states.wait(id, { until, timeout_ms: 0 });
    await eventually(
      'the first waits',
      async () => (await harness.service.counts())['condition_waits']?.['open'] === 1,
    );
    expect(failure(await wait('b'))).toMatchObject({
      error: 'overloaded',
      members: { limit: 'conditionWaitsPerTreeMax' },
    });
    must(await harness.operator.states.wait(id, { until, timeout_ms: 0 }));
    over.abort();
    await first;
  });
});

describe('requests with an idempotency key', () => {
  const receiptsIn = () => {
    const tables = JSON.parse(harness.dump()) as [string, { receipt_id: string }[]][];
    return tables.find(([name]) => name === 'receipts')?.[1] ?? [];
  };
  const actorOf = async (session: string): Promise<Actor> =>
    must(await harness.service.identify({ bearer: null, sessionId: null, sessionName: session }));
  const send = async (actor: Actor, key: string, tookMs = 0) =>
    must(
      await harness.service.once(actor, { key, fingerprint: 'same' }, async () => {
        if (tookMs > 0) await pause(tookMs);
        return ok({ key });
      }),
    );

  it('leave so many receipts of a tree, and so many of a token; the oldest go, and nobody else pays', async () => {
    await open({ receiptsPerOwnerMax: 3, retentionRowsPerStepMax: 2 });
    const [one, other] = [await actorOf('one'), await actorOf('other')];
    const token: Actor = { kind: 'token', role: 'orchestrator', tokenName: 't' };
    const operator: Actor = { kind: 'operator', tokenName: null };
    for (const actor of [other, operator]) await send(actor, 'first');
    for (let n = 0; n < 8; n += 1) for (const actor of [one, token]) await send(actor, `key ${String(n)}`);
    // Steps of the retention pass while it is under way.
    for (const actor of [one, token]) await send(actor, 'key 8', 100);
    await eventually('only the newest are left', () => receiptsIn().length === 3 + 3 + 1 + 1);
    for (const actor of [one, token]) {
      for (const n of [6, 7, 8]) expect((await send(actor, `key ${String(n)}`)).replayed).toBe(true);
    }
    for (const actor of [other, operator]) expect((await send(actor, 'first')).replayed).toBe(true);
    // A key whose receipt is gone counts as new.
    expect((await send(one, 'key 0')).replayed).toBe(false);
  });

  it('of an operator are kept for their time, however many', async () => {
    await open({ receiptsPerOwnerMax: 1 });
    const operator: Actor = { kind: 'operator', tokenName: null };
    for (let n = 0; n < 5; n += 1) await send(operator, `key ${String(n)}`);
    await harness.pass(10);
    expect(receiptsIn()).toHaveLength(5);
  });
});

describe('what a session has read', () => {
  it('takes a bounded place, whatever the pointers', async () => {
    await open({});
    const store = await openSqliteStore({ path: ':memory:' });
    const limits = { ...DEFAULT_LIMITS, readCursorPartsBytesMax: 100, readCursorCacheBytesMax: 100_000 };
    const marks = new ReadCursors({ store, limits, logger: silent });
    const partsOf = (mark: ReadCursor | null) => mark?.parts.map(({ pointer }) => pointer.length);
    await marks.sawAll('ses', 'wst', 1);
    for (const length of [40, 30, 20, 25]) await marks.sawPart('ses', 'wst', `/${'x'.repeat(length - 1)}`, 2);
    expect(partsOf(await marks.of('ses', 'wst'))).toEqual([30, 20, 25]);
    // One that has no room at all is as if it had not been read: others' changes there are conflicts, not losses.
    await marks.sawPart('ses', 'wst', `/${'y'.repeat(100)}`, 2);
    expect(partsOf(await marks.of('ses', 'wst'))).toEqual([30, 20, 25]);
    await marks.sawPart('new', 'wst', `/${'y'.repeat(100)}`, 2);
    expect(await marks.of('new', 'wst')).toBeNull();
    await marks.close();
    await store.close();
  });
});
