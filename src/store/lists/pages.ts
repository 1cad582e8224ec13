// Splits a list into pages: by creation order, which never changes, or by times.
import { and, type SQL } from 'drizzle-orm';
import type { RecordKind } from '../../domain/damage/damage.js';
import type { Page, PageRequest } from '../../ports/storage/page.js';
import { cursorAfter, positionOf, type Position } from './cursor.js';
import type { Order } from './list-order.js';
import { isIntact, type OnDamage } from '../rows/intact-rows.js';

export interface Row<T> extends Position {
  readonly record: T;
}

/** A list. */
export interface List {
  /** Cursors contain it. */
  readonly name: string;
  readonly kind: RecordKind;
  readonly order: Order;
  /** Selects its records; left out if they are all of a table. */
  readonly where?: SQL | undefined;
}

/** What to read for a page. */
export interface PageQuery {
  readonly where: SQL | undefined;
  readonly by: readonly SQL[];
  readonly rowsMax: number;
  /** Where the page starts; `null` is the start of the list. */
  readonly after: Position | null;
}

/** @throws BadCursorError - The cursor is malformed or belongs to another list. */
function pageQuery({ name, order, where }: List, request: PageRequest): PageQuery {
  const after = positionOf(cursorName(name, request), request.cursor);
  // One extra row shows whether there is a next page.
  return { where: and(order.after(after), where), by: order.by, rowsMax: request.limit + 1, after };
}

/** A cursor says nothing of the other order, so each order counts as a list. */
function cursorName(name: string, { order }: PageRequest): string {
  return order === undefined || order === 'oldest' ? name : `${name}:${order}`;
}

/**
 * The page of the rows that were read, in list order. Damaged records are left out.
 *
 * @param found - At most `rowsMax` rows.
 */
function pageFrom<T extends object>(
  { name, kind }: List,
  request: PageRequest,
  onDamage: OnDamage,
  found: readonly Row<T>[],
): Page<T> {
  const ofPage = found.slice(0, request.limit);
  const last = ofPage.at(-1);
  return {
    items: ofPage.map((row) => row.record).filter((record) => isIntact(kind, record, onDamage)),
    nextCursor:
      found.length > ofPage.length && last !== undefined
        ? cursorAfter(cursorName(name, request), last)
        : null,
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
 * @param read - Reads rows, in list order.
 * @throws BadCursorError - The cursor is malformed or belongs to another list.
 */
export function pageOf<T extends object>(
  list: List,
  request: PageRequest,
  onDamage: OnDamage,
  read: (query: PageQuery) => readonly Row<T>[],
): Page<T> {
  return pageFrom(list, request, onDamage, read(pageQuery(list, request)));
}

/** Same as `pageOf`, for a database that answers later. */
export async function readPage<T extends object>(
  list: List,
  request: PageRequest,
  onDamage: OnDamage,
  read: (query: PageQuery) => PromiseLike<readonly Row<T>[]>,
): Promise<Page<T>> {
  return pageFrom(list, request, onDamage, await read(pageQuery(list, request)));
}
