// The store under test, and the two things that tests do to it all the time.
import type { Change } from '../../../src/domain/transactions/changeset.js';
import type { LoadedRecords, LoadRequest } from '../../../src/domain/transactions/loaded-records.js';
import type { Page, PageRequest } from '../../../src/ports/storage/page.js';
import type { Store } from '../../../src/ports/storage/store.js';

export interface Subject {
  /** The store of the running test. */
  readonly store: () => Store;
  /** What subscribers threw. */
  readonly errors: readonly unknown[];
}

/** Writes changes as they are. */
export async function write(store: Store, ...changes: readonly Change[]): Promise<void> {
  await store.transact([], () => ({ changes, value: null }));
}

/** Loads what is wanted and writes nothing. */
export function load(store: Store, ...loads: readonly LoadRequest[]): Promise<LoadedRecords> {
  return store.transact(loads, (records) => ({ changes: [], value: records }));
}

/** Every item of a list, read in pages. */
export async function all<T>(
  list: (page: PageRequest) => Promise<Page<T>>,
  limit = 2,
): Promise<readonly T[]> {
  const items: T[] = [];
  let cursor: string | null = null;
  do {
    const page: Page<T> = await list({ limit, cursor });
    items.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return items;
}
