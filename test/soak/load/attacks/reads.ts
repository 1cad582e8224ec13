// Reads of one state: whole, in part, of the past, and its differences.
import { each, list, many, onState, scalars, wide, type AttackedState, type Attack } from '../kit.js';

const OBJECTS = () => ({ n: 0, items: list(40_000, (at) => ({ v: at })) });
const SCALARS = () => scalars(200_000, 1);
const replaced = { before: (state: AttackedState) => state.put(scalars(200_000, 2)) };
const at30 = (at: number) => `?at_version=${String((at % 29) + 1)}`;

export const reads: readonly Attack[] = [
  onState(
    'diff of far versions of 200,000 scalars, 5 times',
    SCALARS,
    (state) => many(5, 5, () => state.get('/diff?from=1&to=2')),
    replaced,
  ),
  onState(
    '200 reads of 30 earlier versions',
    OBJECTS,
    (state) => many(200, 200, (at) => state.get(at30(at))),
    {
      before: (state) => each(30, (at) => state.set('/n', at + 1)),
    },
  ),
  onState(
    '200 reads at a pointer of earlier versions',
    OBJECTS,
    (state) => many(200, 200, (at) => state.get(`${at30(at)}&pointer=/n`)),
    {
      before: (state) =>
        each(30, (value) =>
          state.ops(list(500, (n) => ({ op: 'set', pointer: `/items/${String(n * 7)}/v`, value }))),
        ),
    },
  ),
  onState(
    'reverts and migrations of a mebibyte',
    SCALARS,
    async ({ target, path }) => {
      const post = (verb: string, body: object) => target.call('POST', `${path}/${verb}`, body);
      await many(10, 10, (at) => post('revert', { to_version: (at % 2) + 1 }));
      await many(10, 10, () => post('migrate?dry_run=true', { schema_version: 1 }));
    },
    replaced,
  ),
  onState(
    'histories of large patches, 50 at a time',
    () => scalars(100_000, 0),
    (state) => many(100, 50, () => state.get('/events?limit=1000')),
    { before: (state) => each(12, (at) => state.put(scalars(100_000, at + 1))) },
  ),
  onState(
    '200 reads of a mebibyte, whole',
    () => scalars(400_000, 1),
    (state) => many(400, 200, () => state.get()),
  ),
  onState(
    'replays of large answers',
    () => ({ n: 0 }),
    async ({ target, path }) => {
      const send = () =>
        target.call('PUT', path, { data: scalars(200_000, 3) }, { 'idempotency-key': 'one' });
      await send();
      await many(100, 100, send);
    },
  ),
  onState(
    'key view of 60,000 keys: all, events, batch',
    () => wide(60_000, 1),
    async ({ target, root }) => {
      const view = `/sessions/${root}/state`;
      await many(20, 20, () => target.call('GET', view));
      await many(20, 20, () => target.call('GET', `${view}/events?limit=1000`));
      await many(200, 200, (at) => target.call('GET', `${view}/keys/m${String(at * 13)}`));
      await many(4, 2, (value) =>
        target.call('POST', `${view}/batch`, {
          operations: list(1000, (at) => ({ op: 'set', key: `m${String(at)}`, value })),
        }),
      );
    },
    {
      before: (state) =>
        each(10, (at) =>
          state.ops(list(1000, (n) => ({ op: 'set', pointer: `/m${String(n * 50)}`, value: at + 5 }))),
        ),
    },
  ),
];
