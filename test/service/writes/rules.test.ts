// Rules of change on every form of write, over the service on a real database.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { must, openHarness, failure, type Harness } from '../harness.js';

const SCHEMA = {
  type: 'object',
  properties: {
    owner: { type: 'string', 'x-immutable': true },
    log: { type: 'array', 'x-append-only': true },
    spent: { type: 'integer', 'x-monotonic': true },
    phase: { enum: ['plan', 'work', 'done'], 'x-transitions': { plan: ['work'], work: ['done'], done: [] } },
    tasks: {
      type: 'array',
      'x-key': 'id',
      items: {
        type: 'object',
        properties: { id: { type: 'string' }, by: { 'x-immutable': true } },
        required: ['id'],
      },
    },
  },
};
const FIRST = { owner: 'ann', log: ['a'], spent: 5, phase: 'plan', tasks: [{ id: 't1', by: 'x' }] };

describe('a state whose schema has rules of change', () => {
  let harness: Harness;
  let id: string;
  beforeEach(async () => {
    harness = await openHarness();
    must(await harness.operator.schemas.register({ name: 'ruled', json_schema: SCHEMA }));
    id = must(await harness.operator.states.create({ schema_name: 'ruled', initial_data: FIRST })).state_id;
  });
  afterEach(() => harness.close());
  const states = () => harness.operator.states;

  it('takes a write that keeps them', async () => {
    const next = {
      ...FIRST,
      log: ['a', 'b'],
      spent: 6,
      phase: 'work',
      tasks: [{ id: 't2' }, { id: 't1', by: 'x', note: 1 }],
    };
    expect(must(await states().replace(id, next, {}))).toMatchObject({ version: 2, changed: true });
  });

  it.each<[string, (states: Harness['operator']['states'], id: string) => Promise<unknown>, string, string]>([
    ['a whole document', (s, i) => s.replace(i, { ...FIRST, owner: 'bob' }, {}), '/owner', 'x-immutable'],
    ['a patch', (s, i) => s.patch(i, [{ op: 'remove', path: '/log/0' }], {}), '/log', 'x-append-only'],
    ['a merge patch', (s, i) => s.mergePatch(i, { spent: 4 }, {}), '/spent', 'x-monotonic'],
    ['a dry run', (s, i) => s.mergePatch(i, { phase: 'done' }, { dryRun: true }), '/phase', 'x-transitions'],
    [
      'a move within an array',
      (s, i) => s.patch(i, [{ op: 'remove', path: '/tasks/0' }], {}),
      '/tasks/0/by',
      'x-immutable',
    ],
    [
      'an identity given twice',
      (s, i) => s.patch(i, [{ op: 'add', path: '/tasks/-', value: { id: 't1' } }], {}),
      '/tasks/1/id',
      'x-key',
    ],
  ])('refuses %s that breaks one, and stays as it is', async (_form, write, pointer, keyword) => {
    const before = harness.dump();
    const found = failure((await write(states(), id)) as never);
    expect(found).toMatchObject({
      error: 'transition_refused',
      members: { errors: [{ pointer, keyword, message: expect.any(String), expected: expect.anything() }] },
    });
    expect(found.detail).toContain('Nothing was written');
    expect(harness.dump()).toBe(before);
  });

  it('holds operators and restored versions to them too', async () => {
    must(await states().mergePatch(id, { spent: 9, phase: 'work' }, {}));
    const before = harness.dump();
    const fallen = await states().ops(id, [{ op: 'increment', pointer: '/spent', delta: -1 }], {});
    expect(failure(fallen)).toMatchObject({
      error: 'transition_refused',
      members: { errors: [{ pointer: '/spent', keyword: 'x-monotonic' }] },
    });
    const restored = failure(await states().revert(id, 1, {}));
    expect(restored.error).toBe('transition_refused');
    expect(restored.members['errors']).toMatchObject([
      { pointer: '/spent', keyword: 'x-monotonic' },
      { pointer: '/phase', keyword: 'x-transitions' },
    ]);
    expect(harness.dump()).toBe(before);
  });

  it('tells of an invalid document before it tells of a broken rule', async () => {
    expect(failure(await states().mergePatch(id, { owner: 7 }, {})).error).toBe('validation_failed');
  });

  it('is not created with an identity given twice', async () => {
    const initial_data = { tasks: [{ id: 'a' }, { id: 'a' }] };
    const result = await states().create({ schema_name: 'ruled', initial_data });
    expect(failure(result).error).toBe('transition_refused');
  });

  it('holds each of many writers to the document that the one before left', async () => {
    const results = await Promise.all([7, 6, 9, 8].map((spent) => states().mergePatch(id, { spent }, {})));
    expect(results.map((one) => one.ok)).toEqual([true, false, true, false]);
    expect(must(await states().get(id)).current_data).toMatchObject({ spent: 9 });
  });
});

it('a schema with a rule on a place that cannot be matched is not registered', async () => {
  const harness = await openHarness();
  const before = harness.dump();
  const result = await harness.operator.schemas.register({
    name: 'bad',
    json_schema: { type: 'object', properties: { list: { type: 'array', items: { 'x-immutable': true } } } },
  });
  expect(failure(result)).toMatchObject({
    error: 'invalid_schema',
    members: { errors: [{ pointer: '/properties/list/items/x-immutable', keyword: 'x-immutable' }] },
  });
  expect(harness.dump()).toBe(before);
  await harness.close();
});
