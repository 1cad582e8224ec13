// Lets one command at a time change the files of clients, by a lock file in the user's state folder. Knows nothing of
// the files.
import { mkdir, open, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { sleep } from '../../ports/backoff.js';
import { stateFolder } from '../files/state-folder.js';
import type { CliIo } from '../io/io.js';
import { UsageError } from '../usage-error.js';
import { codeOf } from './replace-file.js';

const NAME = 'connecting.lock';
const LOOK_MS = 20;
const WAIT_MS = 10_000;
/** A change takes milliseconds: a lock of this age belongs to a command that was killed. */
const STALE_MS = 5_000;

/**
 * A state folder that cannot be written has no lock, and keeps nobody from a change that needs no record there.
 *
 * @throws UsageError If another command keeps the lock.
 */
export async function oneAtATime<T>(io: CliIo, change: () => Promise<T>): Promise<T> {
  const lock = path.join(stateFolder(io), NAME);
  try {
    await mkdir(path.dirname(lock), { recursive: true, mode: 0o700 });
    await acquired(lock);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    return change();
  }
  try {
    return await change();
  } finally {
    await rm(lock, { force: true }).catch(() => undefined);
  }
}

async function acquired(lock: string): Promise<void> {
  const deadline = performance.now() + WAIT_MS;
  while (!(await isMade(lock))) {
    if (await isStale(lock)) await rm(lock, { force: true });
    else if (performance.now() > deadline) {
      throw new UsageError(`Another command changes the settings of clients. If none runs, remove ${lock}`);
    } else await sleep(LOOK_MS);
  }
}

async function isMade(lock: string): Promise<boolean> {
  try {
    await (await open(lock, 'wx', 0o600)).close();
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

async function isStale(lock: string): Promise<boolean> {
  try {
    return Date.now() - (await stat(lock)).mtimeMs > STALE_MS;
  } catch {
    return false; // it was released meanwhile
  }
}
