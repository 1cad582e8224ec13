// JSON Patch and merge patch.
import { each, list, onState, scalars, wide, type Attack } from '../kit.js';

const SCALARS = () => scalars(200_000, 1);
const OBJECT = () => ({ o: wide(60_000, 1) });
const ones = (length: number) => list(length, () => 1);

export const patches: readonly Attack[] = [
  onState('JSON Patch: 1,000 additions at the head of 200,000 items', SCALARS, (state) =>
    state.patch(list(1000, () => ({ op: 'add', path: '/items/0', value: 0 }))),
  ),
  onState('JSON Patch: 1,000 removals at the head of 200,000 items', SCALARS, (state) =>
    state.patch(list(1000, () => ({ op: 'remove', path: '/items/0' }))),
  ),
  onState(
    'JSON Patch: 1,000 tests of a mebibyte, four times',
    () => ({ a: ones(10_000), b: ones(10_000) }),
    (state) => each(4, () => state.patch(list(1000, () => ({ op: 'test', path: '/a', value: ones(1500) })))),
    { before: (state) => state.put({ a: ones(1500), b: ones(1500) }) },
  ),
  onState(
    'JSON Patch: 999 copies and a failing test',
    () => ({ a: ones(500), o: {} }),
    (state) =>
      state.patch([
        ...list(999, (at) => ({ op: 'copy', from: '/a', path: `/o/k${String(at)}` })),
        { op: 'test', path: '/a', value: 0 },
      ]),
  ),
  onState('JSON Patch: copy and change by turns of 60,000 members', OBJECT, (state) =>
    state.patch(
      list(1000, (at) =>
        at % 2 === 0
          ? { op: 'move', from: at % 4 === 0 ? '/o' : '/p', path: at % 4 === 0 ? '/p' : '/o' }
          : { op: 'add', path: at % 4 === 1 ? `/p/x${String(at)}` : `/o/x${String(at)}`, value: 1 },
      ),
    ),
  ),
  onState('JSON Patch: moves inside of 60,000 members', OBJECT, (state) =>
    state.patch(list(1000, (at) => ({ op: 'move', from: `/o/m${String(at)}`, path: `/o/n${String(at)}` }))),
  ),
  onState(
    'JSON Patch: copies that share, each changed',
    () => ({ a: wide(30_000, 1) }),
    (state) =>
      state.patch(
        list(1000, (at) =>
          at % 3 === 0
            ? { op: 'copy', from: '/a', path: '/b' }
            : { op: 'add', path: `/${at % 3 === 1 ? 'a' : 'b'}/m${String(at)}`, value: at },
        ),
      ),
  ),
  onState(
    'merge patch of 100,000 new members',
    () => ({ n: 0 }),
    (state) => state.mergePatch(wide(95_000, 1)),
  ),
  onState(
    'merge patch of 100,000 changed members',
    () => wide(95_000, 1),
    (state) => state.mergePatch(wide(95_000, 2)),
  ),
  onState(
    'merge patch of 300,000 members that are not there',
    () => wide(95_000, 1),
    (state) => state.mergePatch(wide(300_000, null, 'q')),
  ),
];
