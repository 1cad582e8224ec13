// Streams: readers that take nothing, and readers that come back again and again.
import { each, many, onState, pause, silentReaders, text, type Attack } from '../kit.js';

const EMPTY = () => ({ text: '' });

export const streams: readonly Attack[] = [
  onState(
    '600 streams of a state that never read, one write of 900 KB',
    EMPTY,
    (state) => state.put(text(0)),
    { before: ({ target, path }) => silentReaders(target, 600, `${path}/stream`) },
  ),
  onState(
    '600 streams of everything that never read, 10 writes of 900 KB',
    EMPTY,
    (state) => each(10, (at) => state.put(text(at))),
    { before: ({ target }) => silentReaders(target, 600, '/stream') },
  ),
  onState(
    '600 streams from the past that never read',
    EMPTY,
    ({ target, path }) => silentReaders(target, 600, `${path}/stream?since=1`),
    { before: (state) => each(4, (at) => state.put(text(at))) },
  ),
  onState(
    '600 streams with a snapshot of 900 KB that never read',
    () => text(0),
    ({ target, path }) => silentReaders(target, 600, `${path}/stream?snapshot=true`),
  ),
  onState(
    '600 streams of a state, 1,000 small writes',
    () => ({ n: 0 }),
    (state) => many(1000, 50, () => state.ops([{ op: 'increment', pointer: '/n', delta: 1 }])),
    { before: ({ target, path }) => silentReaders(target, 600, `${path}/stream`) },
  ),
  ...(
    [
      ['of a state', ({ path }: { path: string }) => `${path}/stream`, () => '1'],
      ['of everything', () => '/stream', () => '1-0'],
    ] as const
  ).map(([what, pathOf, idOf]) =>
    onState(
      `10 times 300 streams ${what} that come back with an old Last-Event-ID and go at once`,
      EMPTY,
      async (state) => {
        await each(10, async () => {
          await silentReaders(state.target, 300, pathOf(state), `Last-Event-ID: ${idOf()}\r\n`);
          state.target.hangUp();
        });
        await pause(500);
      },
      {
        before: async (state) => {
          await each(6, (at) => state.put(text(at)));
          await many(500, 20, (at) => state.set('/n', at));
        },
      },
    ),
  ),
];
