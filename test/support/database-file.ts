// Files of databases for tests of what works on a database, and not of how it keeps its file.
import { copyFileSync, existsSync, mkdtempSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from '../../src/store/sqlite/index.js';

/** Where Linux keeps files in memory: nobody waits for a disk there. */
const IN_MEMORY = '/dev/shm';
const ROOM_BYTES_MIN = 2 ** 31;

/** A new folder for files that may be lost with the machine. */
export function newFolder(): string {
  return mkdtempSync(join(hasRoom() ? IN_MEMORY : tmpdir(), 'countersign-'));
}

function hasRoom(): boolean {
  if (!existsSync(IN_MEMORY)) return false;
  const { bavail, bsize } = statfsSync(IN_MEMORY);
  return bavail * bsize > ROOM_BYTES_MIN;
}

let migrated: Promise<string> | undefined;

/** Puts a database with all tables and no records at the path, as an opened store leaves it. */
export async function createDatabase(path: string): Promise<void> {
  migrated ??= migrate(join(newFolder(), 'migrated.db'));
  copyFileSync(await migrated, path);
}

/** The same in a folder. @returns The path. */
export async function databaseIn(folder: string): Promise<string> {
  const path = join(folder, 'test.db');
  await createDatabase(path);
  return path;
}

async function migrate(path: string): Promise<string> {
  const store = await openSqliteStore({ path });
  await store.close();
  return path;
}
