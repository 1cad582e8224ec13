// Pages of lists whose items may be large: one ends early, with its cursor, once its items come to a bound of bytes.
import { setImmediate } from 'node:timers/promises';
import type { Limits } from '../domain/limits.js';
import type { Listed } from '../ports/api/index.js';
import type { Soon } from '../ports/soon.js';
import type { Page, PageRequest } from '../ports/page.js';
import { pageRequest } from './outcomes.js';

interface LargeItems<A, B> {
  /** What one item comes to at most, about, in bytes: no more are read together than fit what is left of the page. */
  readonly itemBytesMax: number;
  readonly read: (page: PageRequest) => Promise<Page<A>>;
  readonly into: (record: A) => Soon<B>;
  /** What an item has on the wire, in bytes; by default the length of its text. */
  readonly bytesOf?: (item: B) => number;
}

/**
 * A page that ends with the item that brings it to `listBytesPerPageMax`, or before.
 *
 * Guarantees: at least one item where there is one; `next_cursor` is `null` at the end of the list only. Between two
 * reads others go before.
 */
export async function boundedPage<A, B>(
  query: { limit?: number; cursor?: string },
  limits: Limits,
  { itemBytesMax, read, into, bytesOf = textBytes }: LargeItems<A, B>,
): Promise<Listed<B>> {
  const { limit, cursor: from } = pageRequest(query, limits);
  const items: B[] = [];
  let cursor = from;
  let bytesLeft = limits.listBytesPerPageMax;
  do {
    if (items.length > 0) await setImmediate();
    const fitting = Math.max(1, Math.floor(bytesLeft / itemBytesMax));
    const page = await read({ limit: Math.min(limit - items.length, fitting), cursor });
    for (const record of page.items) {
      const item = await into(record);
      items.push(item);
      bytesLeft -= bytesOf(item);
    }
    cursor = page.nextCursor;
  } while (cursor !== null && items.length < limit && bytesLeft > 0);
  return { items, next_cursor: cursor };
}

function textBytes(item: unknown): number {
  return Buffer.byteLength(JSON.stringify(item));
}
