// The order and the filters of lists, for the columns of either database.
import { and, asc, desc, eq, gt, lt, or, type AnyColumn, type SQL } from 'drizzle-orm';
import type { PageRequest } from '../../ports/storage/page.js';
import type { Position } from './cursor.js';

/** What a page needs of the column that holds the order of creation. */
export function inOrder(seq: AnyColumn, { order }: PageRequest) {
  return order === 'newest'
    ? { by: desc(seq), after: (start: number | null) => (start === null ? undefined : lt(seq, start)) }
    : { by: asc(seq), after: (start: number | null) => gt(seq, start ?? 0) };
}

/**
 * The same for states, which have also the order of their last changes. No index holds the times: each write would pay
 * for it.
 */
export function inOrderOfStates(
  { seq, updatedAt }: { readonly seq: AnyColumn; readonly updatedAt: AnyColumn },
  page: PageRequest,
) {
  if (page.order === 'changed') {
    return {
      by: [desc(updatedAt), desc(seq)],
      after: (last: Position | null) =>
        last === null
          ? undefined
          : or(lt(updatedAt, last.at ?? 0), and(eq(updatedAt, last.at ?? 0), lt(seq, last.seq))),
    };
  }
  const { by, after } = inOrder(seq, page);
  return { by: [by], after: (last: Position | null) => after(last?.seq ?? null) };
}

/** A condition, if the filter has a value for it. */
export function where<T>(value: T | undefined, condition: (value: T) => SQL | undefined): SQL | undefined {
  return value === undefined ? undefined : condition(value);
}
