import { AsyncLocalStorage } from 'node:async_hooks';
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { newFolder } from '../../support/database-file.js';

type OneAtATime = typeof import('../../../src/cli/connect/one-at-a-time.js');
let withLock: OneAtATime['withLock'];

/** Runs after a command has looked at a file, before it knows what it saw. */
let looked: (file: string) => Promise<void>;
beforeAll(async () => {
  vi.resetModules();
  vi.doMock('node:fs/promises', async (original) => {
    const fs = await original<typeof import('node:fs/promises')>();
    const stat = async (file: string) => {
      const seen = await fs.stat(file);
      await looked(file);
      return seen;
    };
    return { ...fs, stat };
  });
  ({ withLock } = await import('../../../src/cli/connect/one-at-a-time.js'));
});
afterAll(() => {
  vi.doUnmock('node:fs/promises');
  vi.resetModules();
});

let folder = '';
let changing = 0;
let most = 0;
beforeEach(() => {
  [folder, changing, most] = [newFolder(), 0, 0];
  looked = () => Promise.resolve();
});

/** Starts commands that change something at once. */
async function commands(count: number, change: () => Promise<void>): Promise<void> {
  const counted = async () => {
    most = Math.max(most, (changing += 1));
    await change();
    changing -= 1;
  };
  const io = { env: { XDG_STATE_HOME: folder } };
  await Promise.all(Array.from({ length: count }, (_, i) => command.run(i, () => withLock(io, counted))));
}
/** Which of the commands runs. */
const command = new AsyncLocalStorage<number>();
const left = () => readdirSync(path.join(folder, 'countersign'));
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

it('lets one command at a time change files, and leaves nothing behind', async () => {
  await commands(10, nextTurn);
  expect(most).toBe(1);
  expect(left()).toEqual([]);
});

it('takes the lock of a command that was killed away once, whoever saw it', async () => {
  const lock = path.join(folder, 'countersign', 'connecting.lock');
  mkdirSync(path.dirname(lock));
  writeFileSync(lock, '');
  const longAgo = new Date(Date.now() - 60_000);
  utimesSync(lock, longAgo, longAgo);
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  // The second command learns that the lock is old when the first one has made its own, and looks at that one too.
  let looks = 0;
  let going: () => void = () => undefined;
  const on = new Promise<void>((resolve) => (going = resolve));
  looked = async () => {
    if (command.getStore() !== 1) return;
    looks += 1;
    if (looks === 1) await begun;
    else if (looks > 3) going();
  };
  await commands(2, async () => {
    begin();
    if (changing > 1) going();
    await on;
  });
  expect(most).toBe(1);
  expect(left()).toEqual([]);
});
