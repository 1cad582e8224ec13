// Which migrations a database lacks, by its list of those that were applied. Each has its creation time as its name.
import type { MigrationMeta } from 'drizzle-orm/migrator';
import { DatabaseNewerError, DatabaseUnusableError } from './errors.js';

/**
 * @param applied - The creation times in the list.
 * @param name - The database, for errors.
 * @throws DatabaseNewerError - There are migrations that this program does not know.
 * @throws DatabaseUnusableError - No program has written such a list.
 */
export function missingMigrations(
  applied: ReadonlySet<number>,
  known: readonly MigrationMeta[],
  name: string,
): readonly MigrationMeta[] {
  const times = known.map(({ folderMillis }) => folderMillis);
  const unknown = [...applied].filter((time) => !times.includes(time));
  const newest = Math.max(...times);
  if (unknown.some((time) => !(time > newest))) throw editedList(name);
  if (unknown.length > 0) {
    throw new DatabaseNewerError(
      `The database ${name} was written by a newer version of Countersign; start that version, or restore a backup`,
    );
  }
  const missing = known.filter(({ folderMillis }) => !applied.has(folderMillis));
  // They are applied in their order.
  const last = Math.max(...applied);
  if (missing.some(({ folderMillis }) => folderMillis < last)) throw editedList(name);
  return missing;
}

/** For a list that does not fit the tables. */
export const editedList = (name: string, cause?: unknown) =>
  new DatabaseUnusableError(
    `The database ${name} cannot be used: its list of migrations was edited; restore a backup`,
    { cause },
  );
