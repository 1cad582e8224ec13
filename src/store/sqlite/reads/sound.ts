// Rows on their way out of the store: a row with a value that its column cannot have never becomes a record.
import { RecordDamagedError, type Damage, type RecordKind } from '../../../domain/damage/damage.js';
import { DamagedValue } from '../tables/columns.js';

/** Members that name a record of each kind. */
const NAMED_BY: Readonly<Record<RecordKind, readonly string[]>> = {
  callback: ['callbackId'],
  completion: ['sessionId', 'generation'],
  delivery: ['deliveryId'],
  destination: ['origin'],
  event: ['stateId', 'version'],
  notice: ['kind', 'subjectId'],
  read_mark: ['stateId', 'sessionId'],
  receipt: ['receiptId'],
  run: ['runId'],
  runner: ['runnerId'],
  schema: ['name', 'version'],
  session: ['sessionId'],
  snapshot: ['stateId', 'version'],
  state: ['stateId'],
  token: ['name'],
  tree: ['rootSessionId'],
  webhook: ['webhookId'],
};

/** Hears of a damaged record that was left out of what was read. */
export type OnDamage = (damage: Damage) => void;

/** What is wrong with a row; `null` for nothing. */
export function damageOf(kind: RecordKind, row: object): Damage | null {
  for (const value of Object.values(row) as unknown[]) {
    if (!(value instanceof DamagedValue)) continue;
    const root = (row as { readonly rootSessionId?: unknown }).rootSessionId;
    const rootSessionId = typeof root === 'string' ? root : undefined;
    return { kind, id: nameOf(kind, row), column: value.column, what: value.what, rootSessionId };
  }
  return null;
}

/** The id of a record, as errors and `doctor` say it. */
export function nameOf(kind: RecordKind, row: object): string {
  const members = row as Readonly<Record<string, unknown>>;
  return NAMED_BY[kind]
    .map((name) => members[name])
    .map((value) => (value instanceof DamagedValue ? '?' : String(value)))
    .join('@');
}

/**
 * The row as a record.
 *
 * @throws RecordDamagedError
 */
export function sound<T extends object>(kind: RecordKind, row: T): T {
  const damage = damageOf(kind, row);
  if (damage !== null) throw new RecordDamagedError(damage);
  return row;
}

/** The same for a row that may not be there. */
export function soundOrNull<T extends object>(kind: RecordKind, row: T | undefined): T | null {
  return row === undefined ? null : sound(kind, row);
}

/** All rows as records. @throws RecordDamagedError - For the first that is none. */
export function allSound<T extends object>(kind: RecordKind, rows: readonly T[]): readonly T[] {
  for (const row of rows) sound(kind, row);
  return rows;
}

/** Those rows that are records; the others are told of. One damaged record must not hide the rest of a list. */
export function onlySound<T extends object>(
  kind: RecordKind,
  rows: readonly T[],
  onDamage: OnDamage,
): readonly T[] {
  return rows.filter((row) => isSound(kind, row, onDamage));
}

/** True where the row is a record; tells of one that is not. */
export function isSound(kind: RecordKind, row: object, onDamage: OnDamage): boolean {
  const damage = damageOf(kind, row);
  if (damage !== null) onDamage(damage);
  return damage === null;
}
