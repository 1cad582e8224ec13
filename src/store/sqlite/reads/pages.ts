// How a list is cut into pages: by the order of creation, which never changes.
import type { RecordKind } from '../../../domain/damage/damage.js';
import type { Page, PageRequest } from '../../../ports/store.js';
import { cursorAfter, cursorSeq } from '../../cursor.js';
import { isSound, type OnDamage } from './sound.js';

export interface Row<T> {
  readonly seq: number;
  readonly record: T;
}

/** What the rows of a list are, and who hears of those that are damaged. */
export interface Listing {
  /** Name of the list, kept in its cursors. */
  readonly list: string;
  readonly kind: RecordKind;
  readonly onDamage: OnDamage;
}

/**
 * One page of a list. Damaged records are left out of it.
 *
 * @param rows - At most so many rows beyond `after`, in the order of the list; `after` is `null` at its beginning.
 */
export function pageOf<T extends object>(
  { list, kind, onDamage }: Listing,
  request: PageRequest,
  rows: (after: number | null, rowsMax: number) => readonly Row<T>[],
): Page<T> {
  // One more than was asked for tells whether there is a next page.
  const found = rows(cursorSeq(list, request.cursor), request.limit + 1);
  const given = found.slice(0, request.limit);
  const last = given.at(-1);
  return {
    items: given.map((row) => row.record).filter((record) => isSound(kind, record, onDamage)),
    nextCursor: found.length > given.length && last !== undefined ? cursorAfter(list, last.seq) : null,
  };
}
