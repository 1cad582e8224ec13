// A process of its own that uses the store, so that it can be killed. Bundled and started by processes.ts.
import { writeSync } from 'node:fs';
import { holdDatabase, openSqliteStore } from '../../src/store/sqlite/index.js';
import { aRunner } from './records.js';

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
  holdDatabase(path);
  say('held');
  setInterval(() => undefined, 1000);
}

const [, , task, path = ''] = process.argv;
if (task === 'write') await writeOn(path);
else if (task === 'open') await open(path);
else hold(path);
