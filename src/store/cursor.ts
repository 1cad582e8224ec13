// Opaque page cursors: the name of the list and the last record returned. Knows no database.
import { BadCursorError } from '../ports/reader.js';

/** Creates the cursor that continues a list after `seq`. */
export function cursorAfter(list: string, seq: number): string {
  return Buffer.from(JSON.stringify([list, seq])).toString('base64url');
}

/**
 * Reads where a list continues; `null` means its beginning.
 *
 * @throws BadCursorError - The cursor is malformed or belongs to another list.
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
