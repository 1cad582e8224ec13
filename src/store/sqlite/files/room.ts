// Whether a database can grow. SQLite calls it an I/O error where a quota is used up, a file is as large as may be, or
// the shared memory of its log does not fit on a full disk.
import { closeSync, openSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Client } from '../connection.js';

const PROBE_BYTES = 64 * 1024;
const NO_ROOM = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/**
 * @param path - The database file; `:memory:` has all the room there is.
 * @param freeBytesMin - The least that has to be free where it lies.
 * @returns True also where that cannot be told.
 */
export function hasRoom(path: string, freeBytesMin: number): boolean {
  if (path === ':memory:') return true;
  try {
    const { bavail, bsize } = statfsSync(dirname(path));
    return bavail * bsize >= freeBytesMin && canGrow(path);
  } catch (error) {
    return !(error instanceof Error && 'code' in error && NO_ROOM.has(String(error.code)));
  }
}

/**
 * Tries a write, and takes it back, so that asking costs no write to the disk; the room is claimed all the same.
 *
 * @throws SqliteError - What keeps the database from being written.
 */
export function probe(client: Client): true {
  try {
    client.exec('BEGIN IMMEDIATE');
    client.exec(`insert into settings (name, value) values ('probe', zeroblob(65536))`);
    return true;
  } finally {
    if (client.inTransaction) client.exec('ROLLBACK');
  }
}

/** Tried beside the database, behind a hole as large as the larger of its files, and taken back before it reaches the disk. */
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
