// Applies the generated migrations in drizzle/sqlite to a database.
import { fileURLToPath } from 'node:url';
import { readMigrationFiles, type MigrationMeta } from 'drizzle-orm/migrator';
import { DatabaseNewerError, DatabaseUnusableError } from '../errors.js';
import type { Client } from './connection.js';

/** The folder at the root of the package. The relative path is the same from src/store/sqlite and dist/store/sqlite. */
const FOLDER = fileURLToPath(new URL('../../../drizzle/sqlite', import.meta.url));

/** Drizzle's own table, so that its tools understand the database. */
const TABLE = '__drizzle_migrations';

/** The migrations that this program knows. */
export function knownMigrations(): readonly MigrationMeta[] {
  return readMigrationFiles({ migrationsFolder: FOLDER });
}

/** The creation times of the applied migrations, which identify them; `null` for a database without tables. */
function appliedMigrations(client: Client): ReadonlySet<number> | null {
  const names = client.prepare("select name from sqlite_schema where type = 'table'").pluck().all();
  if (names.length === 0) return null;
  if (!names.includes(TABLE)) return new Set();
  return new Set(client.prepare(`select created_at from ${TABLE}`).pluck().all().map(Number));
}

/**
 * Checks, without writing, whether a database is new, Countersign's, or another program's.
 *
 * @throws DatabaseNewerError - It has migrations that this program does not know.
 * @throws DatabaseUnusableError - It belongs to another program.
 */
export function inspect(
  client: Client,
  path: string,
  known: readonly MigrationMeta[],
): { readonly missing: readonly MigrationMeta[] } {
  const applied = appliedMigrations(client);
  if (applied === null) return { missing: known };
  if (applied.size === 0) {
    throw new DatabaseUnusableError(`The database ${path} cannot be used: it belongs to another program`);
  }
  const times = new Set(known.map((migration) => migration.folderMillis));
  if ([...applied].some((time) => !times.has(time))) {
    throw new DatabaseNewerError(
      `The database ${path} was written by a newer version of Countersign; start that version, or restore a backup`,
    );
  }
  return { missing: known.filter((migration) => !applied.has(migration.folderMillis)) };
}

/**
 * Applies missing migrations under an exclusive lock, so that two programs that open the database do not both
 * apply them.
 *
 * @param acquire - Runs in the same transaction. If it throws, nothing is changed.
 * @returns The result of `acquire`.
 */
export function migrate<T>(
  client: Client,
  path: string,
  known: readonly MigrationMeta[],
  acquire: () => T,
): T {
  return client
    .transaction(() => {
      const { missing } = inspect(client, path, known);
      client.exec(
        `create table if not exists ${TABLE} (id integer primary key, hash text not null, created_at numeric)`,
      );
      const note = client.prepare(`insert into ${TABLE} (hash, created_at) values (?, ?)`);
      for (const migration of missing) {
        for (const statement of migration.sql) client.exec(statement);
        note.run(migration.hash, migration.folderMillis);
      }
      return acquire();
    })
    .exclusive();
}
