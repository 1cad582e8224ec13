// The errors for a unique violation that no rule explains: the database was edited.
import { RecordDamagedError, type RecordKind } from '../domain/damage/damage.js';
import type { Put } from '../domain/transactions/changeset.js';

/**
 * @param of - The id of the record, or what it has in common with the stored one.
 * @param columns - The columns that no two records may have in common.
 */
export function contradiction(put: Put['put'], of: string, columns: string): RecordDamagedError {
  const what = 'is that of another stored record';
  return new RecordDamagedError({ kind: kindOf(put), id: of, column: columns, what });
}

/** A state cannot be written, since its tree has one already, and does not name it. */
export function unnamedState(rootSessionId: string): RecordDamagedError {
  const what = 'does not name the state that the tree has';
  return new RecordDamagedError({ kind: 'tree', id: rootSessionId, column: 'state_id', what, rootSessionId });
}

export const kindOf = (put: Put['put']): RecordKind => (put === 'readCursor' ? 'read_mark' : put);
