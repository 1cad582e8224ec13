// The order of lists, for the columns of either database.
import { and, asc, desc, eq, gt, lt, or, type AnyColumn, type SQL } from 'drizzle-orm';
import type { PageRequest } from '../../ports/storage/page.js';
import type { Position } from './cursor.js';

export interface Order {
  readonly by: SQL[];
  /** Selects what follows a record; `null` is the start of the list. */
  readonly after: (last: Position | null) => SQL | undefined;
}

export function oldestFirst(seq: AnyColumn): Order {
  return { by: [asc(seq)], after: (last) => gt(seq, last?.seq ?? 0) };
}

export function newestFirst(seq: AnyColumn): Order {
  return { by: [desc(seq)], after: (last) => (last === null ? undefined : lt(seq, last.seq)) };
}

/** By the column that holds the order of creation. */
export function inOrder(seq: AnyColumn, { order }: PageRequest): Order {
  return order === 'newest' ? newestFirst(seq) : oldestFirst(seq);
}

/**
 * The same for states, which have also the order of their last changes. No index holds the times: each write would pay
 * for it.
 */
export function inOrderOfStates(
  { seq, updatedAt }: { readonly seq: AnyColumn; readonly updatedAt: AnyColumn },
  page: PageRequest,
): Order {
  if (page.order !== 'changed') return inOrder(seq, page);
  return {
    by: [desc(updatedAt), desc(seq)],
    after: (last) =>
      last === null
        ? undefined
        : or(lt(updatedAt, last.at ?? 0), and(eq(updatedAt, last.at ?? 0), lt(seq, last.seq))),
  };
}
