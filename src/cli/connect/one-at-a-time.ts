// Lets one command at a time change the files of clients, by a lock file in the user's state folder. Knows nothing of
// the files.
import { open, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { sleep } from '../../lib/backoff.js';
import { stateFolder } from '../files/state-folder.js';
import type { CliIo } from '../io/io.js';
import { UsageError } from '../usage-error.js';
import { madeFolders, removeFolders } from './folders.js';
import { codeOf } from './replace-file.js';

const NAME = 'connecting.lock';
const LOOK_MS = 20;
const WAIT_MS = 10_000;
/** A change takes milliseconds: a lock of this age belongs to a command that was killed. */
const STALE_MS = 5_000;

/**
 * A state folder that cannot be written has no lock. A change that needs no record there is made without one. A change
 * that fails leaves no folder.
 *
 * @throws UsageError If another command keeps the lock.
 */
export async function withLock<T>(io: Pick<CliIo, 'env'>, change: () => Promise<T>): Promise<T> {
  const lock = path.join(stateFolder(io), NAME);
  const folders: string[] = [];
  let made: number;
  try {
    made = await acquire(lock, folders);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    return change();
  }
  try {
    // A folder with the lock in it could not be removed.
    return await change().finally(() => release(lock, made).catch(() => undefined));
  } catch (error) {
    await removeFolders(folders);
    throw error;
  }
}

/**
 * @param folders - Receives the folders that are created.
 * @returns When the lock was made, which distinguishes it from a later one of the same name.
 */
async function acquire(lock: string, folders: string[]): Promise<number> {
  const deadline = performance.now() + WAIT_MS;
  for (;;) {
    // Another command that failed may have removed it meanwhile.
    folders.push(...(await madeFolders(path.dirname(lock), 0o700)));
    const own = await createLock(lock);
    if (own !== null) return own;
    const made = await createdAt(lock);
    if (made !== null && Date.now() - made > STALE_MS) await removeStale(lock, made);
    if (performance.now() > deadline) {
      throw new UsageError(`Another command changes the settings of clients. If none runs, remove ${lock}`);
    }
    await sleep(LOOK_MS);
  }
}

/** Only the command that makes the claim removes the lock: two would remove each other's new one. */
async function removeStale(lock: string, made: number): Promise<void> {
  const claim = `${lock}.${String(made)}`;
  const claimed = await createLock(claim);
  if (claimed === null) return;
  try {
    await release(lock, made);
  } finally {
    await release(claim, claimed);
  }
}

async function release(lock: string, made: number): Promise<void> {
  if ((await createdAt(lock)) === made) await rm(lock, { force: true });
}

/** @returns `null` if it is there, or its folder is not. */
async function createLock(lock: string): Promise<number | null> {
  try {
    const file = await open(lock, 'wx', 0o600);
    try {
      return (await file.stat()).mtimeMs;
    } finally {
      await file.close();
    }
  } catch (error) {
    if (codeOf(error) === 'EEXIST' || codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** @returns `null` if it was released meanwhile. */
async function createdAt(lock: string): Promise<number | null> {
  return stat(lock).then(
    ({ mtimeMs }) => mtimeMs,
    () => null,
  );
}
