// Checks whether a database can grow. SQLite reports an I/O error for a used-up quota, a file at its maximum
// size, and a shared memory file that does not fit on a full disk.
import { closeSync, openSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type Database from 'better-sqlite3';

const PROBE_BYTES = 64 * 1024;
const NO_SPACE = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/**
 * @param path - The database file; `:memory:` always has space.
 * @param freeBytesMin - Minimum free space on its file system.
 * @returns True also if this cannot be determined.
 */
export function hasFreeSpace(path: string, freeBytesMin: number): boolean {
  if (path === ':memory:') return true;
  try {
    return freeBytes(path) >= freeBytesMin && canGrow(path);
  } catch (error) {
    return !isNoSpace(error);
  }
}

/** @throws Error - The file system does not say it. */
export function freeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(dirname(path));
  return bavail * bsize;
}

/** True for an error of the file system that says that there is no space. */
export function isNoSpace(error: unknown): boolean {
  return error instanceof Error && 'code' in error && NO_SPACE.has(String(error.code));
}

/**
 * Writes and rolls back. This costs no disk write, but still claims the space.
 *
 * @throws SqliteError - Why the database cannot be written.
 */
export function probe(client: Database.Database): true {
  try {
    client.exec('BEGIN IMMEDIATE');
    client.exec(`insert into settings (name, value) values ('probe', zeroblob(65536))`);
    return true;
  } finally {
    if (client.inTransaction) client.exec('ROLLBACK');
  }
}

/**
 * Writes to a sparse file next to the database, at an offset as large as the larger database file. The file
 * is removed before it reaches the disk.
 */
function canGrow(path: string): boolean {
  const probe = `${path}.probe`;
  const file = openSync(probe, 'w', 0o600);
  try {
    const size = Math.max(sizeOf(path), sizeOf(`${path}-wal`));
    return writeSync(file, Buffer.alloc(PROBE_BYTES, 1), 0, PROBE_BYTES, size) === PROBE_BYTES;
  } finally {
    closeSync(file);
    rmSync(probe, { force: true });
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
