// Writes of whole documents, on a base and without.
import { list, onState, scalars, wide, type Attack } from '../kit.js';

/** A write on version 1, where version 2 is another one. */
function merge(name: string, [first, second, third]: readonly (() => unknown)[], more: object = {}): Attack {
  return onState(
    name,
    () => first?.(),
    (state) => state.put(third?.(), { base_version: 1, ...more }),
    {
      before: (state) => state.put(second?.()),
    },
  );
}

const numbers = [1, 2, 3].map((value) => () => scalars(200_000, value));
const shuffled = [0, 17, 4242].map((from) => () => ({
  items: list(90_000, (at) => (at * 7919 + from) % 90_001),
}));
const objects = [0, 17, 42].map((from) => () => ({
  items: list(20_000, (at) => ({ id: at, v: (at + from) % 977 })),
}));
const overwrite = { on_conflict: 'overwrite' };

export const merges: readonly Attack[] = [
  merge('PUT with base_version over 200,000 changed scalars', numbers, overwrite),
  merge('PUT with base_version over 200,000 changed scalars, refused', numbers),
  merge('PUT with base_version over 60,000 members', [
    () => wide(60_000, 1),
    () => ({ ...wide(60_000, 1), m0: 5 }),
    () => ({ ...wide(60_000, 2), m0: 1 }),
  ]),
  merge('PUT with base_version over shuffled items', shuffled),
  merge('PUT with base_version over 20,000 objects', objects, overwrite),
  onState(
    'PUT of 200,000 changed scalars',
    () => scalars(200_000, 1),
    (state) => state.put(scalars(200_000, 2)),
  ),
  onState(
    'PUT that reverses 200,000 scalars and puts one before them',
    () => ({ items: list(130_000, (at) => at) }),
    (state) => state.put({ items: [-1, ...list(130_000, (at) => at).reverse()] }),
  ),
  onState(
    'PUT of 60,000 other members',
    () => wide(60_000, 1),
    (state) => state.put(wide(60_000, 2, 'k')),
  ),
];
