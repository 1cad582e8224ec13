// Reads pages of lists whose items may be large. A page ends early, with a cursor, when its items reach a
// bound of bytes.
import { setImmediate } from 'node:timers/promises';
import { ok, type Ok } from '../domain/errors.js';
import type { Limits } from '../domain/limits.js';
import type { Listed } from '../ports/api/index.js';
import type { MaybePromise } from '../lib/maybe-promise.js';
import type { ListOrder, Page, PageRequest } from '../ports/storage/page.js';
import { pageRequest } from './results.js';

interface LargeItems<A, B> {
  /** Estimated maximum size of one item, in bytes. A read requests no more items than fit into the rest of the page. */
  readonly itemBytesMax: number;
  readonly read: (page: PageRequest) => Promise<Page<A>>;
  /** The item for a record. `null` items are left out. */
  readonly into: (record: A) => MaybePromise<B | null>;
  /** The size of an item in the response, in bytes. Default: the length of its JSON text. */
  readonly bytesOf?: (item: B | null) => number;
}

/**
 * Reads a page. It ends at the latest with the item that reaches `listBytesPerPageMax`.
 *
 * Guarantees: at least one item if there is one; `next_cursor` is `null` only at the end of the list. Yields to
 * the event loop between two reads.
 */
export async function boundedPage<A, B>(
  query: { limit?: number; cursor?: string; order?: ListOrder },
  limits: Limits,
  { itemBytesMax, read, into, bytesOf = textBytes }: LargeItems<A, B>,
): Promise<Ok<Listed<B>>> {
  const request = pageRequest(query, limits);
  const items: (B | null)[] = [];
  let { cursor } = request;
  let bytesLeft = limits.listBytesPerPageMax;
  do {
    if (items.length > 0) await setImmediate();
    const fitting = Math.max(1, Math.floor(bytesLeft / itemBytesMax));
    const page = await read({ ...request, limit: Math.min(request.limit - items.length, fitting), cursor });
    for (const record of page.items) {
      const item = await into(record);
      items.push(item);
      bytesLeft -= bytesOf(item);
    }
    cursor = page.nextCursor;
  } while (cursor !== null && items.length < request.limit && bytesLeft > 0);
  return ok({ items: items.filter((item) => item !== null), next_cursor: cursor });
}

function textBytes(item: unknown): number {
  return Buffer.byteLength(JSON.stringify(item));
}
