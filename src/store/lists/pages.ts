// Splits a list into pages: by creation order, which never changes, or by times.
import { and, type SQL } from 'drizzle-orm';
import type { RecordKind } from '../../domain/damage/damage.js';
import type { MaybePromise } from '../../lib/maybe-promise.js';
import type { Page, PageRequest } from '../../ports/storage/page.js';
import { cursorAfter, positionOf, type Position } from './cursor.js';
import type { Order } from './list-order.js';
import { isIntact, type OnDamage } from '../rows/intact-rows.js';
import { answerOf, type Steps } from '../steps.js';

export interface Row<T> extends Position {
  readonly record: T;
}

/** What a page of a list needs of it. */
interface Listing {
  /** Cursors contain it. */
  readonly name: string;
  readonly kind: RecordKind;
}

/** A list whose rows are read with one statement. */
export interface List extends Listing {
  readonly order: Order;
  /** Selects its records. */
  readonly where: SQL | undefined;
}

/** What to read for a page of a list. */
export interface ListQuery {
  readonly where: SQL | undefined;
  readonly by: readonly SQL[];
  readonly rowsMax: number;
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
 * Reads one page of a list. Damaged records are left out.
 *
 * @param read - Reads at most `rowsMax` rows after a record, in list order; `null` is the start of the list.
 * @throws BadCursorError - The cursor is malformed or belongs to another list.
 */
export function* page<T extends object>(
  { name, kind }: Listing,
  { limit, cursor, order }: PageRequest,
  onDamage: OnDamage,
  read: (after: Position | null, rowsMax: number) => Steps<readonly Row<T>[]>,
): Steps<Page<T>> {
  // A cursor says nothing of the other order, so each order counts as a list.
  const list = order === undefined || order === 'oldest' ? name : `${name}:${order}`;
  // One extra row shows whether there is a next page.
  const rows = yield* read(positionOf(list, cursor), limit + 1);
  const ofPage = rows.slice(0, limit);
  const last = ofPage.at(-1);
  return {
    items: ofPage.map((row) => row.record).filter((record) => isIntact(kind, record, onDamage)),
    nextCursor: rows.length > ofPage.length && last !== undefined ? cursorAfter(list, last) : null,
  };
}

/** The same, of a list that is read with one statement. */
export function pageOf<T extends object>(
  list: List,
  request: PageRequest,
  onDamage: OnDamage,
  read: (query: ListQuery) => MaybePromise<readonly Row<T>[]>,
): Steps<Page<T>> {
  const { order, where } = list;
  return page(list, request, onDamage, (after, rowsMax) =>
    answerOf(read({ where: and(order.after(after), where), by: order.by, rowsMax })),
  );
}
