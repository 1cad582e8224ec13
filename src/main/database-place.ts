// Where the database is that nobody has named: in a folder of its own, which version control leaves alone.
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseUnusableError } from '../store/sqlite/index.js';

const FOLDER = '.countersign';
const FILE = 'countersign.db';
/** Where it was once. */
const OLD = `./${FILE}`;

/** Where a database is; `note` is for whoever started the program. */
export interface DatabasePlace {
  readonly path: string;
  readonly note: string | null;
}

/**
 * Finds the database. Where none is named it is `.countersign/countersign.db`; one that an earlier version made as
 * `./countersign.db` is used where it lies, so that nobody loses data by an update.
 *
 * @param named - As `--db` says.
 * @param mayCreate - Makes the folder, which the database is made in.
 * @throws DatabaseUnusableError - The folder cannot be made.
 */
export function databasePlace(named: string | undefined, mayCreate = true): DatabasePlace {
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

/** For its owner alone, and not for version control. */
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
