// Splits a list into pages by creation order, which never changes.
import type { RecordKind } from '../../../domain/damage/damage.js';
import type { Page, PageRequest } from '../../../ports/page.js';
import { cursorAfter, cursorSeq } from '../../cursor.js';
import { isSound, type OnDamage } from './sound.js';

export interface Row<T> {
  readonly seq: number;
  readonly record: T;
}

/** Describes a list: its name, its kind of record, and the listener for damaged records. */
export interface Listing {
  /** Name of the list; cursors contain it. */
  readonly list: string;
  readonly kind: RecordKind;
  readonly onDamage: OnDamage;
}

/**
 * Reads one page of a list. Damaged records are left out.
 *
 * @param rows - Reads at most `rowsMax` rows after `after`, in list order; `null` is the start of the list.
 */
export function pageOf<T extends object>(
  { list, kind, onDamage }: Listing,
  request: PageRequest,
  rows: (after: number | null, rowsMax: number) => readonly Row<T>[],
): Page<T> {
  // One extra row shows whether there is a next page.
  const found = rows(cursorSeq(list, request.cursor), request.limit + 1);
  const given = found.slice(0, request.limit);
  const last = given.at(-1);
  return {
    items: given.map((row) => row.record).filter((record) => isSound(kind, record, onDamage)),
    nextCursor: found.length > given.length && last !== undefined ? cursorAfter(list, last.seq) : null,
  };
}
