// Opaque cursors: which list, and the last record given of it. Knows nothing of any database.
import { BadCursorError } from '../ports/store.js';

/** Makes the cursor that goes on after `seq` in a list. */
export function cursorAfter(list: string, seq: number): string {
  return Buffer.from(JSON.stringify([list, seq])).toString('base64url');
}

/**
 * Where a list goes on; `null` from its beginning.
 *
 * @throws BadCursorError - The cursor is not one of this list.
 */
export function cursorSeq(list: string, cursor: string | null): number | null {
  if (cursor === null) return null;
  const [name, seq] = parsed(cursor);
  if (typeof seq !== 'number' || !Number.isSafeInteger(seq) || seq < 0) throw foreign();
  if (name !== list) throw new BadCursorError('The cursor belongs to another list');
  return seq;
}

function parsed(cursor: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(value) ? value : [];
  } catch {
    throw foreign();
  }
}

function foreign(): BadCursorError {
  return new BadCursorError('The cursor is not one that this service gave');
}
