// How a list is cut into pages: by the order of creation, which never changes.
import type { Page, PageRequest } from '../../ports/store.js';
import { cursorAfter, cursorSeq } from '../cursor.js';

export interface Row<T> {
  readonly seq: number;
  readonly record: T;
}

/**
 * One page of a list.
 *
 * @param list - Name of the list, kept in its cursors.
 * @param rows - At most so many rows beyond `after`, in the order of the list; `after` is `null` at its beginning.
 */
export function pageOf<T>(
  list: string,
  request: PageRequest,
  rows: (after: number | null, rowsMax: number) => readonly Row<T>[],
): Page<T> {
  // One more than was asked for tells whether there is a next page.
  const found = rows(cursorSeq(list, request.cursor), request.limit + 1);
  const given = found.slice(0, request.limit);
  const last = given.at(-1);
  return {
    items: given.map((row) => row.record),
    nextCursor: found.length > given.length && last !== undefined ? cursorAfter(list, last.seq) : null,
  };
}
