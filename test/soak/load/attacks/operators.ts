// Atomic operators.
import { each, list, many, members, onState, wide, type Attack } from '../kit.js';

const MEMBERS = () => wide(60_000, 1);
const ITEMS = () => ({ items: [] });
const appended = { op: 'append', pointer: '/items', items: list(500, () => 1) };
const set = (pointer: string) => ({ op: 'set', pointer, value: 2 });
const m = (at: number) => `/m${String(at * 7)}`;

export const operators: readonly Attack[] = [
  onState('500 appends of 500 items in one request', ITEMS, (state) => state.ops(list(500, () => appended))),
  onState('500 requests that append 500 items', ITEMS, (state) =>
    many(500, 500, () => state.ops([appended])),
  ),
  onState('1,000 sets on a document of 60,000 members', MEMBERS, (state) =>
    state.ops(list(1000, (at) => set(m(at)))),
  ),
  onState('1,000 new members on a document of 60,000 members', MEMBERS, (state) =>
    state.ops(list(1000, (at) => set(`/new${String(at * 7)}`))),
  ),
  onState('1,000 deletes on a document of 60,000 members', MEMBERS, (state) =>
    state.ops(list(1000, (at) => ({ op: 'delete', pointer: m(at) }))),
  ),
  onState('1,000 deletes that are refused by the last', MEMBERS, (state) =>
    each(3, () => state.ops(list(1000, (at) => ({ op: 'delete', pointer: at === 999 ? '/mx' : m(at) })))),
  ),
  onState('200 requests of one set on a document of 60,000 members', MEMBERS, (state) =>
    many(200, 200, (at) => state.ops([set(m(at))])),
  ),
  onState(
    '1,000 sets across 1,000 wide objects',
    () => members(1000, () => wide(100, 1)),
    (state) => state.ops(list(1000, (at) => set(`/m${String(at)}/m7`))),
  ),
  onState(
    '1,000 merges of 40 members each',
    () => ({ o: wide(50_000, 1) }),
    (state) =>
      state.ops(list(1000, (at) => ({ op: 'merge', pointer: '/o', patch: wide(40, at, `x${String(at)}-`) }))),
  ),
];
