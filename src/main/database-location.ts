// Finds the database if none is named: in a folder of its own, which version control ignores.
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseUnusableError } from '../store/sqlite/index.js';

const FOLDER = '.countersign';
const FILE = 'countersign.db';
/** Path in earlier versions. */
const OLD = `./${FILE}`;

/** Path of a database; `note` is a message for the operator. */
interface DatabaseLocation {
  readonly path: string;
  readonly note: string | null;
}

/**
 * Finds the database. The default is `.countersign/countersign.db`. If only `./countersign.db` of an earlier
 * version exists, that one is used, so that an update loses no data.
 *
 * @param named - The value of `--db`.
 * @param mayCreate - Creates the folder if there is no database.
 * @throws DatabaseUnusableError - The folder cannot be created.
 */
export function databaseLocation(named: string | undefined, mayCreate = true): DatabaseLocation {
  if (named !== undefined) return { path: named, note: null };
  const path = join(FOLDER, FILE);
  const isOld = existsSync(OLD);
  if (existsSync(path)) {
    return {
      path,
      note: isOld ? `The database is ${path}; ${OLD} is left alone (--db ${OLD} uses it).` : null,
    };
  }
  if (isOld) {
    const move = `to move it, stop the service, make the folder ${FOLDER} and put ${OLD} into it`;
    return { path: OLD, note: `The database is ${OLD}; its usual place is ${path} now (${move}).` };
  }
  if (mayCreate) makeFolder();
  return { path, note: null };
}

/** The folder is readable by its owner only, and ignored by version control. */
function makeFolder(): void {
  if (existsSync(FOLDER)) return;
  try {
    mkdirSync(FOLDER, { mode: 0o700 });
    chmodSync(FOLDER, 0o700);
    writeFileSync(join(FOLDER, '.gitignore'), '*\n', { mode: 0o600 });
  } catch (cause) {
    throw new DatabaseUnusableError(`The folder ${FOLDER} of the database cannot be made here`, { cause });
  }
}
