// Reads of several statements, written once for both databases: SQLite answers a statement at once, PostgreSQL later.
import type { SQL } from 'drizzle-orm';
import type { MaybePromise } from '../lib/maybe-promise.js';

/** A value of a row as a database answers it: PostgreSQL answers large numbers as texts. */
export type Cell = string | number | null;

/** Runs a query that selects no record. */
export type RunQuery = (query: SQL) => MaybePromise<readonly Readonly<Record<string, Cell>>[]>;

/** Yields what it waits for, and continues with the value of that. */
export type Steps<T> = Generator<Promise<unknown>, T, unknown>;

/** The answer of a statement. */
export function* answerOf<T>(answer: MaybePromise<T>): Steps<T> {
  return answer instanceof Promise ? ((yield answer) as T) : answer;
}

/** Carries out steps that wait for nothing. */
export function runNow<T>(steps: Steps<T>): T {
  const step = steps.next();
  if (step.done === true) return step.value;
  throw new Error('A statement was not answered at once');
}

export async function run<T>(steps: Steps<T>): Promise<T> {
  let step = steps.next();
  while (step.done !== true) step = steps.next(await step.value);
  return step.value;
}
