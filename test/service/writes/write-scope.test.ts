// A write scope holds whatever form a write has: it is held against what the document becomes.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Countersign } from '../../../src/ports/service.js';
import { must, openHarness, failure, type Harness } from '../harness.js';

let harness: Harness;
let id: string;
let child: Countersign;
const FIRST = { mine: { a: 1 }, other: { b: 1 }, list: [1, 2, 3] };
beforeEach(async () => {
  harness = await openHarness();
  must(await harness.operator.sessions.create({ session_name: 'root', external: true }));
  const root = await harness.as('root');
  id = must(await root.keys.open('root', { initial_state: FIRST })).state_id;
  must(
    await root.sessions.create({
      session_name: 'child',
      external: true,
      completion: { write_scope: ['/mine', '/list/1'] },
    }),
  );
  child = await harness.as('child');
});
afterEach(() => harness.close());

const patch = (...operations: object[]) => child.states.patch(id, operations as never, {});

describe('a write within its scope is taken', () => {
  it.each([
    ['a copy from outside', () => patch({ op: 'copy', from: '/other/b', path: '/mine/b' }), { a: 1, b: 1 }],
    ['a move within', () => patch({ op: 'move', from: '/mine/a', path: '/mine/z' }), { z: 1 }],
    [
      'an operator',
      () => child.states.ops(id, [{ op: 'increment', pointer: '/mine/a', delta: 1 }], {}),
      { a: 2 },
    ],
    ['a key', () => child.keys.set('child', 'mine', { k: 1 }, {}), { k: 1 }],
    ['a whole document', () => child.states.replace(id, { ...FIRST, mine: {} }, {}), {}],
  ] as const)('%s', async (_title, write, mine) => {
    must<unknown>(await write());
    expect(must(await child.states.get(id)).current_data).toEqual({ ...FIRST, mine });
  });
  it('an item in its place', async () => {
    must(await patch({ op: 'replace', path: '/list/1', value: 9 }));
    must(await child.states.ops(id, [{ op: 'set', pointer: '/list/1', value: 8 }], {}));
    expect(must(await child.states.get(id)).current_data).toEqual({ ...FIRST, list: [1, 8, 3] });
  });
});

describe('a write outside of its scope is refused with the place', () => {
  it.each([
    ['a move from outside', () => patch({ op: 'move', from: '/other/b', path: '/mine/b' }), '/other/b'],
    ['a copy to outside', () => patch({ op: 'copy', from: '/mine/a', path: '/other/a' }), '/other/a'],
    ['an inserted item that moves others', () => patch({ op: 'add', path: '/list/1', value: 9 }), '/list/'],
    ['a removed item that moves others', () => patch({ op: 'remove', path: '/list/1' }), '/list/'],
    ['a whole document', () => child.states.replace(id, { ...FIRST, other: {} }, {}), '/other/b'],
    ['a merge patch', () => child.states.mergePatch(id, { other: null }, {}), '/other'],
    [
      'operators',
      () => child.states.ops(id, [{ op: 'append', pointer: '/list', items: [4] }], {}),
      '/list/3',
    ],
    ['a key', () => child.keys.remove('child', 'other', {}), '/other'],
    [
      'a batch',
      () =>
        child.keys.batch('child', {
          operations: [
            { op: 'set', key: 'mine', value: 1 },
            { op: 'set', key: 'x', value: 1 },
          ],
        }),
      '/x',
    ],
    [
      'a merge that overwrites',
      () => child.states.replace(id, { ...FIRST, other: 5 }, { baseVersion: 1, onConflict: 'overwrite' }),
      '/other',
    ],
  ] as const)('%s', async (_title, write, pointer) => {
    const found = failure(await write());
    expect(found.error).toBe('write_scope_violation');
    expect(found.members['pointer']).toContain(pointer);
    expect(must(await child.states.get(id))).toMatchObject({ version: 1, current_data: FIRST });
  });
  it('a revert of what others wrote', async () => {
    must(await harness.operator.states.mergePatch(id, { other: { b: 2 } }, {}));
    expect(failure(await child.states.revert(id, 1, {})).error).toBe('write_scope_violation');
  });
});

describe('the missing parents of a place of the scope', () => {
  const place = { write_scope: ['/reviews/by area/api', '/reviews/0'] };
  const value = { verdict: 'pass' };
  let nested: Countersign;
  beforeEach(async () => {
    const child = { session_name: 'nested', parent_session_name: 'root', external: true };
    must(await harness.operator.sessions.create({ ...child, completion: place }));
    nested = await harness.as('nested');
  });
  const add = (path: string, value: unknown) => [{ op: 'add', path, value }] as never;

  it.each([
    ['a patch', () => nested.states.patch(id, add('/reviews', { 'by area': { api: value } }), {})],
    [
      'a patch, one by one',
      () =>
        nested.states.patch(
          id,
          [
            ...add('/reviews', {}),
            ...add('/reviews/by area', {}),
            ...add('/reviews/by area/api', value),
          ] as never,
          {},
        ),
    ],
    ['a merge patch', () => nested.states.mergePatch(id, { reviews: { 'by area': { api: value } } }, {})],
    ['a document', () => nested.states.replace(id, { ...FIRST, reviews: { 'by area': { api: value } } }, {})],
    ['a key', () => nested.keys.set('nested', 'reviews', { 'by area': { api: value } }, {})],
  ] as const)('come with it by %s', async (_title, write) => {
    must<unknown>(await write());
    expect(must(await nested.states.get(id)).current_data).toEqual({
      ...FIRST,
      reviews: { 'by area': { api: value } },
    });
  });

  it.each([
    ['with a further member', { 'by area': { api: value }, more: 1 }],
    ['with a further member deep within', { 'by area': { api: value, more: 1 } }],
    ['with nothing', {}],
    ['with nothing deep within', { 'by area': {}, 0: value }],
    ['that is no container', 7],
  ])('are refused %s', async (_title, parent) => {
    const before = harness.dump();
    for (const write of [
      () => nested.states.patch(id, add('/reviews', parent), {}),
      () => nested.states.mergePatch(id, { reviews: parent as never }, {}),
    ]) {
      const found = failure(await write());
      expect(found).toMatchObject({ error: 'write_scope_violation', members: { pointer: '/reviews' } });
    }
    expect(harness.dump()).toBe(before);
  });

  it('are not what stands in their place', async () => {
    must(await harness.operator.states.mergePatch(id, { reviews: { others: 1 } }, {}));
    const before = harness.dump();
    const found = failure(await nested.states.patch(id, add('/reviews', { 'by area': { api: value } }), {}));
    expect(found).toMatchObject({ error: 'write_scope_violation', members: { pointer: '/reviews/others' } });
    expect(harness.dump()).toBe(before);
    must(await nested.states.patch(id, add('/reviews/by area', { api: value }), {}));
  });
});

describe('a session hands on no more than its own scope', () => {
  const start = (by: Countersign, name: string, more: object = {}) =>
    by.sessions.create({ session_name: name, external: true, ...more });
  const writesOther = async (name: string) =>
    (await harness.as(name)).states.mergePatch(id, { other: { b: 2 } }, {});

  it('which a child without one of its own inherits, and its children too', async () => {
    must(await start(child, 'grandchild'));
    must(await start(await harness.as('grandchild'), 'great-grandchild'));
    must(await child.runs.create({ type: 'start_session', session_name: 'runs', prompt: 'p' }));
    for (const name of ['grandchild', 'great-grandchild', 'runs']) {
      expect(failure(await writesOther(name))).toMatchObject({
        error: 'write_scope_violation',
        members: { allowed: ['/mine', '/list/1'] },
      });
    }
    expect(must(await child.states.get(id)).version).toBe(1);
  });

  it('and a wider one is refused with its place, at a start and at a resume', async () => {
    must(await child.runs.create({ type: 'start_session', session_name: 'made', prompt: 'p' }));
    const before = harness.dump();
    const wide = { completion: { write_scope: ['/mine/a', '/other'] } };
    const expected = {
      error: 'forbidden',
      detail: expect.stringContaining('/mine, /list/1'),
      members: { pointer: '/completion/write_scope/1', allowed: ['/mine', '/list/1'] },
    };
    expect(failure(await start(child, 'grandchild', wide))).toMatchObject(expected);
    const run = { session_name: 'made', prompt: 'p', ...wide };
    expect(failure(await child.runs.create({ type: 'resume_session', ...run }))).toMatchObject(expected);
    expect(harness.dump()).toBe(before);
  });

  it('while a narrower one is taken, and an operator may give any', async () => {
    must(await start(child, 'narrow', { completion: { write_scope: ['/mine/a'] } }));
    must(
      await start(harness.operator, 'free', {
        parent_session_name: 'child',
        completion: { write_scope: ['/other'] },
      }),
    );
    must(await writesOther('free'));
    expect(
      failure(await (await harness.as('narrow')).states.mergePatch(id, { mine: { b: 1 } }, {})).error,
    ).toBe('write_scope_violation');
  });

  it('which is the one of its present work, where a resume has changed it', async () => {
    const run = { prompt: 'p', session_name: 'worker' } as const;
    must(await (await harness.as('root')).runs.create({ type: 'start_session', ...run }));
    const worker = await harness.as('worker');
    const resume = (...write_scope: string[]) =>
      harness.operator.runs.create({ type: 'resume_session', ...run, completion: { write_scope } });
    must(await resume('/mine'));
    expect(failure(await worker.states.mergePatch(id, { other: { b: 2 } }, {})).error).toBe(
      'write_scope_violation',
    );
    must(await start(worker, 'below'));
    expect(failure(await writesOther('below'))).toMatchObject({ members: { allowed: ['/mine'] } });
    const wide = { completion: { write_scope: ['/other'] } };
    expect(failure(await start(worker, 'wide', wide))).toMatchObject({
      error: 'forbidden',
      members: { allowed: ['/mine'] },
    });
    const below = { type: 'start_session', prompt: 'p', session_name: 'runs' } as const;
    must(await worker.runs.create(below));
    const again = { ...below, type: 'resume_session', ...wide } as const;
    expect(failure(await worker.runs.create(again)).error).toBe('forbidden');
    must(await resume('/other'));
    must(await start(worker, 'wide', wide));
    must(await writesOther('wide'));
  });

  it('and starts no sessions beside itself, only below', async () => {
    must(await start(child, 'grandchild'));
    must(await start(child, 'below', { parent_session_name: 'grandchild' }));
    const before = harness.dump();
    const found = failure(await start(child, 'sibling', { parent_session_name: 'root' }));
    expect(found).toMatchObject({ error: 'forbidden', detail: expect.stringContaining('descendants') });
    const run = {
      type: 'start_session',
      session_name: 'sibling',
      prompt: 'p',
      parent_session_name: 'root',
    } as const;
    expect(failure(await child.runs.create(run)).error).toBe('forbidden');
    expect(harness.dump()).toBe(before);
  });
});
