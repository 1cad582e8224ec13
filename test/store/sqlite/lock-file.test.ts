// What a start leaves beside a database that it refuses.
import { mkdtempSync, readFileSync, readdirSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, describe, expect, it } from 'vitest';
import { lockDatabase, openSqliteStore } from '../../../src/store/sqlite/index.js';
import { keepStatements } from '../../../src/store/sqlite/kept-statements.js';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-lock-'));
  folders.push(folder);
  return folder;
}

function edit(path: string, sql: string): void {
  const client = keepStatements(new Database(path));
  client.exec(sql);
  client.close();
}

describe('a hold on a database', () => {
  it.each<[string, (path: string) => void, RegExp]>([
    [
      "another program's database",
      (path) => {
        rmSync(path);
        edit(path, 'create table notes (text); pragma journal_mode = wal');
      },
      /belongs to another program/,
    ],
    [
      'a newer version',
      (path) =>
        edit(path, "insert into __drizzle_migrations (hash, created_at) values ('x', 99999999999999)"),
      /newer version/,
    ],
    [
      'an edited list of migrations',
      (path) => edit(path, 'delete from __drizzle_migrations'),
      /list of migrations was edited/,
    ],
    ['a file that was cut off', (path) => truncateSync(path, 40_000), /it is damaged/],
  ])('is refused without a trace: %s', async (_, spoil, why) => {
    const folder = newFolder();
    const path = join(folder, 'test.db');
    await (await openSqliteStore({ path })).close();
    spoil(path);
    const before = readFileSync(path);
    expect(() => lockDatabase(path)).toThrow(why);
    expect(readdirSync(folder)).toEqual(['test.db']);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it('is had beside a program that locks the database', async () => {
    const path = join(newFolder(), 'test.db');
    await (await openSqliteStore({ path })).close();
    const other = keepStatements(new Database(path));
    other.exec('pragma locking_mode = exclusive; begin exclusive');
    lockDatabase(path).release();
    other.close();
  });
});
