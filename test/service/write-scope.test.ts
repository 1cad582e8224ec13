// A write scope holds whatever form a write has: it is held against what the document becomes.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Countersign } from '../../src/ports/service.js';
import { must, openHarness, refusal, type Harness } from './harness.js';

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
    const found = refusal(await write());
    expect(found.error).toBe('write_scope_violation');
    expect(found.members['pointer']).toContain(pointer);
    expect(must(await child.states.get(id))).toMatchObject({ version: 1, current_data: FIRST });
  });
  it('a revert of what others wrote', async () => {
    must(await harness.operator.states.mergePatch(id, { other: { b: 2 } }, {}));
    expect(refusal(await child.states.revert(id, 1, {})).error).toBe('write_scope_violation');
  });
});
