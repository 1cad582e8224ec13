// Flags and helpers that many commands share.
import { choiceFlag, integerFlag, textFlag } from '../flag.js';
import type { Output } from '../text/output.js';
import type { Listed } from '../../ports/api/index.js';
import { table, type Cell } from '../text/table.js';

export const pageFlags = {
  limit: integerFlag('--limit <n>', 'how many', { min: 1, max: 1000 }),
  cursor: textFlag('--cursor <cursor>', 'where the page before ended'),
};

/** Also for the lists that can be read from either end. */
export const orderedPageFlags = {
  ...pageFlags,
  order: choiceFlag('--order <order>', 'which come first (default: oldest)', ['oldest', 'newest']),
};

/** The reason that operators give with what they do. */
export const reasonFlags = { reason: textFlag('--reason <text>', 'why; it is kept') };

/** A page as a table, with a note on how to get the next one. */
export function pageText<T>(
  out: Output,
  page: Listed<T>,
  titles: readonly string[],
  row: (item: T) => readonly Cell[],
): string {
  if (page.next_cursor !== null) out.note(`There is more: add --cursor ${page.next_cursor}`);
  if (page.items.length === 0) {
    out.note('Nothing to list.');
    return '';
  }
  return table(titles, page.items.map(row), out.style);
}

/**
 * The members that have a value. Where the wire contract is closed, an absent member is not the same as
 * `undefined`.
 */
export function given<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
