// Why a database cannot be used at all. The messages are plain sentences for whoever starts the program.

/** The database was written by a newer version of the program. */
export class DatabaseNewerError extends Error {
  override readonly name = 'DatabaseNewerError';
}

/** The database cannot be opened, read or written; the message names the path and the cause. */
export class DatabaseUnusableError extends Error {
  override readonly name = 'DatabaseUnusableError';
}
