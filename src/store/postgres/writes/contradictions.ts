// Unique violations that stay when a request is decided alone, on nothing cached.
import type { RecordDamagedError } from '../../../domain/damage/damage.js';
import { contradiction, unnamedState } from '../../contradiction.js';
import { codeOf } from '../connection/faults.js';
import { RECORD_TABLES } from './record-tables.js';

const UNIQUE_VIOLATION = '23505';
/** Columns and values in the language of most servers. */
const KEY = /^Key \((.*)\)=\((.*)\) already exists\.$/;

/** `undefined` for any other error. */
export function contradictionOf(error: unknown): RecordDamagedError | undefined {
  if (codeOf(error) !== UNIQUE_VIOLATION || !(error instanceof Error)) return undefined;
  const {
    table,
    detail = '',
    constraint = '',
  } = error as { readonly table?: string; readonly detail?: string; readonly constraint?: string };
  const kind = RECORD_TABLES.find(({ rows }) => rows.name === table)?.kind;
  const [, columns = constraint, values = '?'] = KEY.exec(detail) ?? [];
  if (kind === undefined) return undefined;
  return kind === 'state' ? unnamedState(values) : contradiction(kind, values, columns);
}
