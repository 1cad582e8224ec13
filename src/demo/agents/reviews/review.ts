// What a review is, and how long it may take.
import type { JsonObject } from '../../../domain/json/json.js';

/** What a child says at the end of its work, and its result as data. */
export interface Reviewed {
  readonly prose: string;
  readonly data: JsonObject;
}

/** @param folder - Root of the repository's work tree. */
export type Review = (folder: string) => Promise<Reviewed>;

export interface Budget {
  /** Milliseconds, at least 1. */
  readonly leftMs: () => number;
  readonly isSpent: () => boolean;
}

/** Processes of git at a time, where each item takes one. */
export const PROCESSES_AT_ONCE = 4;

/** However large the repository is, a review looks at it for this long, and then says that it did not see all. */
export const REVIEW_MS = 3000;

export function createBudget(ms: number = REVIEW_MS): Budget {
  const until = performance.now() + ms;
  const leftMs = () => Math.max(1, Math.ceil(until - performance.now()));
  return { leftMs, isSpent: () => performance.now() >= until };
}

/**
 * Does something with each item, a few at a time, until the budget is spent.
 *
 * @returns What came of it, in order; the items that nothing was done with are left out.
 */
export async function forEachWithin<T, R>(
  items: readonly T[],
  budget: Budget,
  act: (item: T) => Promise<R>,
  atOnce = 32,
): Promise<R[]> {
  const results: R[] = [];
  for (let from = 0; from < items.length && !budget.isSpent(); from += atOnce) {
    results.push(...(await Promise.all(items.slice(from, from + atOnce).map(act))));
  }
  return results;
}
