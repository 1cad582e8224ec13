// Applies the generated migrations in drizzle/postgres to a database.
import { fileURLToPath } from 'node:url';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { DatabaseUnusableError } from '../errors.js';
import { editedList, missingMigrations } from '../missing-migrations.js';
import type { Connection } from './connection/connections.js';
import { codeOf } from './connection/faults.js';
import type { PostgresLimits } from './limits.js';
import { openingTransaction } from './opening.js';

/** The folder at the root of the package. The relative path is the same from src/store/postgres and dist/store/postgres. */
const FOLDER = fileURLToPath(new URL('../../../drizzle/postgres', import.meta.url));

const TABLE = 'countersign_migrations';

/** The key of the lock under which one coordinator at a time migrates. Any number that other programs do not use. */
const LOCK_KEY = 7_226_418_115;

/** A table or an index, and a column. */
const THERE_ALREADY: ReadonlySet<unknown> = new Set(['42P07', '42701']);

/**
 * Applies missing migrations in one transaction, under a lock. Coordinators that start together wait for each other,
 * and each migration is applied once.
 *
 * @param name - The database, for errors.
 * @throws DatabaseNewerError - It has migrations that this program does not know. Nothing was changed.
 * @throws DatabaseUnusableError - Its list of migrations was edited. Nothing was changed.
 */
export async function migrate(connection: Connection, name: string, limits: PostgresLimits): Promise<void> {
  await openingTransaction(connection, limits, async () => {
    await connection.query('select pg_advisory_xact_lock($1)', [LOCK_KEY]);
    const applied = await appliedMigrations(connection);
    if (applied === null) {
      await connection.query(`create table ${TABLE} (created_at bigint primary key, hash text not null)`);
    }
    const missing = missingMigrations(applied ?? new Set(), knownMigrations(), name);
    // Coordinators of the version before go on: their commits wait, and no two of us wait for each other.
    if (applied !== null && applied.size > 0 && missing.length > 0) await lockCommits(connection);
    for (const { sql, hash, folderMillis } of missing) {
      for (const statement of sql) {
        await connection.query(statement).catch((error: unknown) => {
          throw applied !== null && THERE_ALREADY.has(codeOf(error)) ? editedList(name, error) : error;
        });
      }
      await connection.query(`insert into ${TABLE} (created_at, hash) values ($1, $2)`, [folderMillis, hash]);
    }
  });
}

/** Every commit begins with a row of this table, or of the one that an earlier version had instead. */
async function lockCommits(connection: Connection): Promise<void> {
  for (const table of ['commit_positions', 'tree_commits']) {
    const { rows } = await connection.query<{ found: boolean }>(
      'select to_regclass($1) is not null as found',
      [table],
    );
    if (rows[0]?.found === true) await connection.query(`lock table ${table} in exclusive mode`);
  }
}

/**
 * Checks, without writing, that the database has the tables of this version.
 *
 * @throws DatabaseUnusableError - It has none, or those of an older version.
 * @throws DatabaseNewerError - It has those of a newer version.
 */
export async function requireMigrated(connection: Connection, name: string): Promise<void> {
  const applied = await appliedMigrations(connection);
  if (applied === null)
    throw new DatabaseUnusableError(
      `The database ${name} cannot be used: it has no tables of Countersign; start the service on it first`,
    );
  if (missingMigrations(applied, knownMigrations(), name).length > 0)
    throw new DatabaseUnusableError(
      `The database ${name} cannot be used: an older version of Countersign wrote it; start the service on it first`,
    );
}

export const knownMigrations = () => readMigrationFiles({ migrationsFolder: FOLDER });

/** The creation times of the applied migrations, which identify them; `null` for a database without tables. */
async function appliedMigrations(connection: Connection): Promise<ReadonlySet<number> | null> {
  const { rows: tables } = await connection.query('select 1 where to_regclass($1) is not null', [TABLE]);
  if (tables.length === 0) return null;
  const { rows } = await connection.query<{ created_at: string }>(`select created_at from ${TABLE}`);
  return new Set(rows.map((row) => Number(row.created_at)));
}
