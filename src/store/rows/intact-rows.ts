// Checks rows read from the database: a row with a value that its column cannot have never becomes a record.
import { RecordDamagedError, type Damage, type RecordKind } from '../../domain/damage/damage.js';
import { DamagedValue } from './values.js';

/** The members that identify a record of each kind. */
const NAMED_BY: Readonly<Record<RecordKind, readonly string[]>> = {
  archive: ['archiveId'],
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

/** Called for each damaged record that a read leaves out. */
export type OnDamage = (damage: Damage) => void;

/** The first damage of a row; `null` if it has none. */
export function damageOf(kind: RecordKind, row: object): Damage | null {
  for (const value of Object.values(row) as unknown[]) {
    if (value instanceof DamagedValue) return damageBy(kind, row, value);
  }
  return null;
}

/** All damage of a row, in the order of its columns. */
export function allDamageOf(kind: RecordKind, row: object): readonly Damage[] {
  return (Object.values(row) as unknown[])
    .filter((value) => value instanceof DamagedValue)
    .map((value) => damageBy(kind, row, value));
}

function damageBy(kind: RecordKind, row: object, { column, what }: DamagedValue): Damage {
  const root = (row as { readonly rootSessionId?: unknown }).rootSessionId;
  const rootSessionId = typeof root === 'string' ? root : undefined;
  return { kind, id: nameOf(kind, row), column, what, rootSessionId };
}

/** The id of a record in errors and in the output of `doctor`. */
export function nameOf(kind: RecordKind, row: object): string {
  const members = row as Readonly<Record<string, unknown>>;
  return NAMED_BY[kind]
    .map((name) => members[name])
    .map((value) => (value instanceof DamagedValue ? '?' : String(value)))
    .join('@');
}

/**
 * Returns the row as a record.
 *
 * @throws RecordDamagedError - The row is damaged.
 */
export function intact<T extends object>(kind: RecordKind, row: T): T {
  const damage = damageOf(kind, row);
  if (damage !== null) throw new RecordDamagedError(damage);
  return row;
}

/** Same as `intact`, for a row that may be missing. */
export function intactOrNull<T extends object>(kind: RecordKind, row: T | undefined): T | null {
  return row === undefined ? null : intact(kind, row);
}

/** Returns all rows as records. @throws RecordDamagedError - A row is damaged. */
export function allIntact<T extends object>(kind: RecordKind, rows: readonly T[]): readonly T[] {
  for (const row of rows) intact(kind, row);
  return rows;
}

/** Returns the undamaged rows and reports the others, so that one damaged record does not hide the rest of a list. */
export function onlyIntact<T extends object>(
  kind: RecordKind,
  rows: readonly T[],
  onDamage: OnDamage,
): readonly T[] {
  return rows.filter((row) => isIntact(kind, row, onDamage));
}

/** True if the row is undamaged. Reports a damaged row. */
export function isIntact(kind: RecordKind, row: object, onDamage: OnDamage): boolean {
  const damage = damageOf(kind, row);
  if (damage !== null) onDamage(damage);
  return damage === null;
}
