// Which writes count as a child's own result, and what its parent is told where it was not asked to the end.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/domain/json/json.js';
import type { Limits } from '../../../src/domain/limits.js';
import type { Countersign } from '../../../src/ports/service.js';
import { must, openHarness, type Harness } from '../harness.js';

let harness: Harness;
let stateId: string;
let kid: Countersign;

async function open(limits: Partial<Limits> = {}): Promise<void> {
  harness = await openHarness(limits);
  const { operator } = harness;
  must(await operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
  must(await operator.sessions.create({ session_name: 'root', external: true }));
  const initial_data = { tasks: [{ n: 0 }, { n: 1 }], other: 0 };
  const created = { schema_name: 'any', initial_data, root_session_name: 'root' };
  stateId = must(await operator.states.create(created)).state_id;
}
beforeEach(() => open());
afterEach(() => harness.close());

async function child(
  pointer: string,
  mode: 'always' | 'unless_satisfied' = 'unless_satisfied',
): Promise<void> {
  const schema = { type: 'object', required: ['done'] };
  must(
    await harness.operator.sessions.create({
      session_name: 'kid',
      parent_session_name: 'root',
      external: true,
      callback: true,
      completion: { mode, contract: { pointer, schema } },
    }),
  );
  kid = await harness.as('kid');
}
const say = async (type: 'session_start' | 'session_stop') =>
  must(await harness.operator.sessions.report('kid', { type }));
const status = async () => must(await harness.operator.sessions.completion('kid')).state_update_status;
const patch = async (by: Countersign, ...operations: JsonObject[]) =>
  must(await by.states.patch(stateId, operations, {}));
const FINISHED = { op: 'add', path: '/tasks/0/done', value: true };

describe('a child that is asked unless it has recorded its result', () => {
  it.each<[string, JsonObject[]]>([
    ['appends to the list', [{ op: 'add', path: '/tasks/-', value: { n: 2 } }]],
    ['adds an item behind its own', [{ op: 'add', path: '/tasks/1', value: { n: 2 } }]],
    [
      'writes there what is there, and something elsewhere',
      [
        { op: 'replace', path: '/tasks/0/done', value: true },
        { op: 'replace', path: '/other', value: 7 },
      ],
    ],
    [
      'moves its place away and back',
      [
        { op: 'move', from: '/tasks/0', path: '/moved' },
        { op: 'add', path: '/tasks/0', value: { n: 0, done: true } },
        { op: 'remove', path: '/moved' },
        { op: 'replace', path: '/other', value: 7 },
      ],
    ],
  ])('is asked where another has written there, and it %s', async (_how, operations) => {
    await child('/tasks/0');
    await patch(harness.operator, FINISHED);
    await patch(kid, ...operations);
    await say('session_stop');
    expect(await status()).toBe('pending');
  });

  it.each<[string, JsonObject[]]>([
    ['adds to what is there', [{ op: 'add', path: '/tasks/0/by', value: 'kid' }]],
    ['replaces the whole list', [{ op: 'replace', path: '/tasks', value: [{ done: 1 }] }]],
    ['shifts another item there', [{ op: 'add', path: '/tasks/0', value: { done: 2 } }]],
  ])('is not asked where it %s', async (_how, operations) => {
    await child('/tasks/0');
    await patch(harness.operator, FINISHED);
    await patch(kid, ...operations);
    await say('session_stop');
    expect(await status()).toBe('completed');
  });
});

/** With the mode `always` the child is asked whatever it has written. */
async function askedChild(value: JsonObject): Promise<void> {
  await child('/tasks/0', 'always');
  await patch(kid, { op: 'replace', path: '/tasks/0', value });
}
const ELSEWHERE = { op: 'replace', path: '/other', value: 7 };
const again = (value: JsonObject) => patch(kid, { op: 'replace', path: '/tasks/0', value });

describe('a child that is asked, and writes once more what stands there', () => {
  const value = { done: 'mine' };

  it.each<[string, JsonObject, () => Promise<unknown>]>([
    ['it has written elsewhere since', value, () => patch(kid, ELSEWHERE)],
    [
      'what it has written is too long for the callback',
      { done: 'x'.repeat(5000) },
      () => patch(kid, ELSEWHERE),
    ],
    [
      'another has written the same there',
      value,
      () => patch(harness.operator, { op: 'replace', path: '/tasks/0/done', value: 'mine' }, ELSEWHERE),
    ],
    [
      'another has changed it, and changed it back',
      value,
      async () => {
        await patch(harness.operator, { op: 'remove', path: '/tasks/0/done' });
        await patch(harness.operator, { op: 'add', path: '/tasks/0/done', value: 'mine' });
      },
    ],
    [
      'others have written much',
      value,
      async () => {
        for (let n = 0; n < 50; n += 1)
          await patch(harness.operator, { op: 'replace', path: '/other', value: n + 1 });
      },
    ],
  ])('has recorded its result where %s', async (_what, own, meanwhile) => {
    await harness.close();
    await open({ eventsPerSnapshotMax: 4, historyVersionsMax: 10, retentionRoundMs: 1 });
    await askedChild(own);
    await meanwhile();
    await say('session_stop');
    expect(await status()).toBe('pending');
    await again(own);
    expect(await status()).toBe('completed');
  });

  it.each<[string, JsonObject[]]>([
    ['nothing', []],
    [
      'the same, and something elsewhere',
      [{ op: 'replace', path: '/tasks/0/done', value: 'theirs' }, ELSEWHERE],
    ],
  ])(
    'has not where another has written something else there since, and it has written %s',
    async (_what, own) => {
      await askedChild(value);
      await patch(harness.operator, { op: 'replace', path: '/tasks/0', value: { done: 'theirs' } });
      await say('session_stop');
      if (own.length > 0) {
        must(await harness.operator.sessions.skip('kid', { reason: 'Enough.' }));
        await patch(kid, ...own);
        must(await harness.operator.sessions.retry('kid', {}));
      }
      await again({ done: 'theirs' });
      expect(await status()).toBe('pending');
    },
  );
});

describe('a child that is not asked to the end', () => {
  it('is not called one that was not asked', async () => {
    await child('/tasks/0');
    await say('session_stop');
    must(await harness.operator.sessions.skip('kid', { reason: 'Enough.' }));
    const { items } = must(await (await harness.as('root')).sessions.pullCallbacks('root', 0));
    expect(items[0]?.message).toContain('It was asked to record its result, and then no longer. Enough.');
  });

  it('stays stopped where it reports its end later', async () => {
    await child('/tasks/0');
    await say('session_start');
    must(await harness.operator.sessions.stop('kid', {}));
    await say('session_stop');
    expect(must(await harness.operator.sessions.get('kid')).status).toBe('stopped');
  });
});
