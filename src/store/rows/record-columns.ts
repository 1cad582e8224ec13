// How the columns of a table become those of its records. The same on both databases.
import { sql } from 'drizzle-orm';

/** All columns except those that exist only in the table. */
export function recordOf<C extends object, K extends keyof C>(columns: C, hidden: readonly K[]): Omit<C, K> {
  const shown: Omit<C, K> & Partial<C> = { ...columns };
  for (const name of hidden) Reflect.deleteProperty(shown, name);
  return shown;
}

/** A run that has not ended, as SQL. The text must match the partial indices, or no database uses them. */
export const RUN_UNFINISHED = "status in ('pending', 'claimed', 'running', 'stopping')";

export const runUnfinished = sql.raw(RUN_UNFINISHED);

/** A run of work, neither a state update nor a callback. The same holds for its text. */
export const RUN_OF_WORK = "purpose = 'work'";

export const runOfWork = sql.raw(RUN_OF_WORK);
