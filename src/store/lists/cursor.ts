// Opaque page cursors: the name of the list and the last record returned. Knows no database.
import { isCount } from '../../domain/json/json.js';
import { BadCursorError } from '../../ports/storage/reader.js';

/** A record of a list: its sequence number, and its time where the list is ordered by times. */
export interface Position {
  readonly seq: number;
  readonly at?: number;
}

/** Creates the cursor that continues a list after a record. */
export function cursorAfter(list: string, { seq, at }: Position): string {
  return Buffer.from(JSON.stringify(at === undefined ? [list, seq] : [list, seq, at])).toString('base64url');
}

/**
 * Reads where a list continues; `null` means its beginning.
 *
 * @throws BadCursorError - The cursor is malformed or belongs to another list.
 */
export function positionOf(list: string, cursor: string | null): Position | null {
  if (cursor === null) return null;
  const [name, seq, at] = parsed(cursor);
  if (!isCount(seq) || (at !== undefined && !isCount(at))) throw foreign();
  if (name !== list) throw new BadCursorError('The cursor belongs to another list');
  return at === undefined ? { seq } : { seq, at };
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
