// Damage of stored records: what makes a record unusable, after an edit by hand or a disk fault.
import { fail } from '../errors.js';
import { messageOf } from '../text.js';

/** The kinds of stored records, by their names in errors and `doctor`. */
export type RecordKind =
  | 'archive'
  | 'callback'
  | 'completion'
  | 'delivery'
  | 'destination'
  | 'event'
  | 'notice'
  | 'read_mark'
  | 'receipt'
  | 'run'
  | 'runner'
  | 'schema'
  | 'session'
  | 'snapshot'
  | 'state'
  | 'token'
  | 'tree'
  | 'webhook';

/** One damaged record, and what is wrong with it. */
export interface Damage {
  readonly kind: RecordKind;
  readonly id: string;
  /** Column of the record's table; `null` if a whole record is missing. */
  readonly column: string | null;
  /** Completes a sentence that begins with the record or the column: `is not JSON`. */
  readonly what: string;
  /** The tree of the record, if it has one. */
  readonly rootSessionId?: string | undefined;
  /** Set if the record is as it was before the damage: nothing is given up for it. */
  readonly isRestored?: true | undefined;
  /**
   * Set if the record can be read, but fails verification: it is not as the service wrote it. The version, if it
   * has one.
   */
  readonly tampered?: { readonly version: number | null } | undefined;
}

/** A stored record is not usable. */
export class RecordDamagedError extends Error {
  override readonly name = 'RecordDamagedError';

  constructor(readonly damage: Damage) {
    super(describeDamage(damage));
  }
}

/** A record as a whole is not usable. */
export function damaged(kind: RecordKind, id: string, what: string): RecordDamagedError {
  return new RecordDamagedError({ kind, id, column: null, what });
}

/** A record that others refer to is missing. */
export function missing(kind: RecordKind, id: string): RecordDamagedError {
  return damaged(kind, id, 'is missing');
}

/** The damage as a sentence without its full stop. */
export function describeDamage({ kind, id, column, what }: Damage): string {
  const record = `The stored ${kind.replace('_', ' ')} ${id}`;
  return column === null ? `${record} ${what}` : `${record} is damaged: its ${column} ${what}`;
}

/** The failure of a request that needs the record. */
export function damagedFailure(damage: Damage) {
  const { kind, id, column } = damage;
  if (damage.tampered !== undefined) {
    return fail(
      'state_tampered',
      `${describeDamage(damage)}. Nothing was changed. countersign verify names the first record that is not intact; a backup has the state as it was.`,
      { state_id: id, version: damage.tampered.version },
    );
  }
  return fail(
    'record_damaged',
    `${describeDamage(damage)}. Nothing was changed. countersign doctor lists all damage; a backup has the record as it was.`,
    { record: kind, record_id: id, column },
  );
}

/** The reason why a record is given up, as text for the reader. */
export function whyGivenUp(error: unknown): string {
  if (error instanceof RecordDamagedError) return `${error.message}.`;
  const message = messageOf(error);
  return `It could not be carried out: ${message.slice(0, 500)}`;
}
