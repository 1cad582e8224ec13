// Copies a database while others write to it, with SQLite's online backup.
import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, linkSync, lstatSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseUnusableError } from '../errors.js';
import { unusable, type Client } from './connection.js';
import { createPrivate } from './files/file-modes.js';

/** How much of the copy is done, from 0 to 1. */
export type OnProgress = (done: number) => void;

/** Pages per step: between two steps the process does other work. */
const STEP_PAGES = 500;

/**
 * Copies a database as it is at this moment into a new file that only its owner can read. The file appears when it is
 * whole and on disk.
 *
 * @throws DatabaseUnusableError - The target exists, or cannot be written.
 */
export async function copyDatabase(client: Client, target: string, onProgress: OnProgress): Promise<void> {
  if (target === '') throw new DatabaseUnusableError('The name of the copy is empty; name a new file');
  for (const path of [target, `${target}-wal`, `${target}-shm`]) if (isTaken(path)) throw isThere(path);
  if (!existsSync(dirname(target)))
    throw new DatabaseUnusableError(`${target} cannot be written: there is no folder ${dirname(target)}`);
  // A name of its own: another copy to the same target may be under way.
  const partial = `${target}.${randomUUID()}.partial`;
  try {
    createPrivate(partial);
    // A write of another process would restart the backup. The copy reads one version for all its steps.
    client.exec('BEGIN');
    try {
      client.prepare('select count(*) from sqlite_schema').get();
      await client.backup(partial, {
        progress: ({ totalPages, remainingPages }) => {
          onProgress(totalPages === 0 ? 0 : 1 - remainingPages / totalPages);
          return STEP_PAGES;
        },
      });
    } finally {
      client.exec('COMMIT');
    }
    flush(partial);
    putInPlace(partial, target);
    flush(dirname(target));
    onProgress(1);
  } catch (error) {
    throw error instanceof DatabaseUnusableError ? error : unusable(target, error);
  } finally {
    rmSync(partial, { force: true });
  }
}

/** Never replaces a file: unlike a rename, a link fails if the target was created meanwhile. */
function putInPlace(partial: string, target: string): void {
  try {
    linkSync(partial, target);
  } catch {
    if (isTaken(target)) throw isThere(target);
    // The file system has no links.
    renameSync(partial, target);
  }
}

/** Also by a link that leads nowhere. */
function isTaken(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function isThere(path: string): DatabaseUnusableError {
  return new DatabaseUnusableError(`${path} exists already; name a file that does not`);
}

function flush(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
