// Why a database cannot be used at all. The messages are plain sentences for the person who starts the program.

/** A newer version of the program wrote the database. */
export class DatabaseNewerError extends Error {
  override readonly name = 'DatabaseNewerError';
}

/** The database cannot be opened, read or written. The message names the path and the cause. */
export class DatabaseUnusableError extends Error {
  override readonly name = 'DatabaseUnusableError';
}

/** A `DatabaseUnusableError` whose cause is that there is no space. */
export class DatabaseFullError extends DatabaseUnusableError {}

/** A `DatabaseUnusableError` whose cause is damage: the file is a database, and parts of it cannot be read. */
export class DatabaseDamagedError extends DatabaseUnusableError {}

const HOLDS_RECORDS: ReadonlySet<string> = new Set(['table', 'column', 'sequence']);

/** True for a kind of object that holds records or their numbers: it cannot be created again from the rest of a database. */
export const holdsRecords = (kind: string): boolean => HOLDS_RECORDS.has(kind);

/** For a database without an object that cannot be created again. */
export function lacks(database: string, kind: string, name: string, cause?: unknown): DatabaseDamagedError {
  const why = `its ${kind} ${name} is missing; restore a backup`;
  return new DatabaseDamagedError(`The database ${database} cannot be used: ${why}`, { cause });
}
