// Splits a list into pages: by creation order, which never changes, or by times.
import type { RecordKind } from '../../domain/damage/damage.js';
import type { Page, PageRequest } from '../../ports/storage/page.js';
import { cursorAfter, positionOf, type Position } from './cursor.js';
import { isIntact, type OnDamage } from '../rows/intact-rows.js';

export interface Row<T> extends Position {
  readonly record: T;
}

/** Describes a list: its name, its kind of record, and the listener for damaged records. */
interface Listing {
  /** Name of the list; cursors contain it. */
  readonly list: string;
  readonly kind: RecordKind;
  readonly onDamage: OnDamage;
}

/** Where a page starts (`null` is the start of the list), and how many rows to read at most. */
interface PageStart {
  readonly after: Position | null;
  readonly rowsMax: number;
}

/** @throws BadCursorError - The cursor is malformed or belongs to another list. */
function pageStart(listing: Listing, request: PageRequest): PageStart {
  // One extra row shows whether there is a next page.
  return { after: positionOf(nameOf(listing, request), request.cursor), rowsMax: request.limit + 1 };
}

/** A cursor says nothing of the other order, so each order counts as a list. */
function nameOf({ list }: Listing, { order }: PageRequest): string {
  return order === undefined || order === 'oldest' ? list : `${list}:${order}`;
}

/**
 * The page of the rows that were read, in list order. Damaged records are left out.
 *
 * @param found - At most `rowsMax` rows.
 */
function pageFrom<T extends object>(
  listing: Listing,
  request: PageRequest,
  found: readonly Row<T>[],
): Page<T> {
  const { kind, onDamage } = listing;
  const given = found.slice(0, request.limit);
  const last = given.at(-1);
  return {
    items: given.map((row) => row.record).filter((record) => isIntact(kind, record, onDamage)),
    nextCursor:
      found.length > given.length && last !== undefined ? cursorAfter(nameOf(listing, request), last) : null,
  };
}

/** How many rows fit into a page that is bounded in bytes, too: one at least. */
export function fitting(
  found: readonly { readonly bytes: number }[],
  rowsMax: number,
  bytesMax: number,
): number {
  let bytes = 0;
  const end = found.findIndex((row, at) => at >= rowsMax || ((bytes += row.bytes) > bytesMax && at > 0));
  return end === -1 ? found.length : end;
}

/**
 * Reads one page of a list.
 *
 * @param rows - Reads at most `rowsMax` rows after `after`, a sequence number, in list order.
 */
export function pageOf<T extends object>(
  listing: Listing,
  request: PageRequest,
  rows: (after: number | null, rowsMax: number, position: Position | null) => readonly Row<T>[],
): Page<T> {
  const { after, rowsMax } = pageStart(listing, request);
  return pageFrom(listing, request, rows(after?.seq ?? null, rowsMax, after));
}

/** Same as `pageOf`, for a database that answers later. */
export async function readPage<T extends object>(
  listing: Listing,
  request: PageRequest,
  rows: (after: number | null, rowsMax: number, position: Position | null) => PromiseLike<readonly Row<T>[]>,
): Promise<Page<T>> {
  const { after, rowsMax } = pageStart(listing, request);
  return pageFrom(listing, request, await rows(after?.seq ?? null, rowsMax, after));
}
