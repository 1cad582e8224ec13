// A process of its own that uses the store, so that it can be killed. Bundled and started by processes.ts.
import { writeSync } from 'node:fs';
import { StorageError } from '../../../src/ports/storage/storage.js';
import { lockDatabase, openSqliteStore } from '../../../src/store/sqlite/index.js';
import { aRunner } from '../records.js';

/** So that a test need not wait for long. */
const SHORT_LEASE_MS = 300;

const say = (line: string) => writeSync(1, `${line}\n`);

/** Writes for ever, many at once, and says what is acknowledged. */
async function writeOn(path: string): Promise<void> {
  const store = await openSqliteStore({ path });
  const lane = async (name: string) => {
    for (let i = 0; ; i++) {
      const runnerId = `${name}-${i}`;
      await store.transact([], () => ({
        changes: [{ put: 'runner', record: aRunner({ runnerId }) }],
        value: null,
      }));
      say(runnerId);
    }
  };
  await Promise.all(['a', 'b', 'c', 'd', 'e'].map(lane));
}

async function open(path: string): Promise<void> {
  const store = await openSqliteStore({ path });
  await store.close();
  say('opened');
}

function hold(path: string): void {
  lockDatabase(path);
  say('held');
  setInterval(() => undefined, 1000);
}

/** Coordinates with a short lease, writes now and then, and says what it is told, where that changes. */
async function coordinate(path: string): Promise<void> {
  const limits = { leaseMs: SHORT_LEASE_MS, watchMs: 20 };
  const store = await openSqliteStore({ path, limits, coordinate: { now: () => Date.now() } });
  say('held');
  let last = '';
  for (let i = 0; ; i += 1) {
    const runnerId = `of ${String(process.pid)} ${String(i)}`;
    const found = await store
      .transact([], () => ({ changes: [{ put: 'runner', record: aRunner({ runnerId }) }], value: 'taken' }))
      .catch((error: unknown) => (error instanceof StorageError ? error.code : String(error)));
    if (found !== last) say(found);
    last = found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const [, , task, path = ''] = process.argv;
if (task === 'write') await writeOn(path);
else if (task === 'open') await open(path);
else if (task === 'coordinate') await coordinate(path);
else hold(path);
