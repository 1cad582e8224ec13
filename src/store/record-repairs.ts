// Makes damaged records usable, so that they can be set aside: which records are repaired, with what. A damaged value
// gets a neutral value, and a record whose session is missing ends. The SQL is that of every database.
import { sql, type SQL } from 'drizzle-orm';
import type { Damage, RecordKind } from '../domain/damage/damage.js';
import type { LoadRequest } from '../domain/transactions/loaded-records.js';
import { linkRepairs } from './link-repairs.js';
import type { DamagedValue } from './rows/values.js';
import { missingCompletions } from './unattended.js';

/** A request to repair records. */
export type Repair = Extract<LoadRequest, { load: 'repaired' }>;

const NO_SESSION = 'refers to a session that is not there';

/** Rows whose damaged values get neutral values: the kind of their records, the member of `tables`, the condition. */
type RepairedRows = readonly [
  kind: RecordKind,
  table:
    'sessions' | 'completions' | 'runs' | 'callbacks' | 'trees' | 'deliveries' | 'webhooks' | 'destinations',
  where: SQL,
];

/**
 * The rows of a repair.
 *
 * @param unfinishedRun - Also true if only a damaged end time makes a run look as if it had ended.
 */
export function repairedRows(kind: Repair['kind'], id: string, unfinishedRun: SQL): readonly RepairedRows[] {
  const ofTree = sql`root_session_id = ${id}`;
  const webhooks = ['webhook', 'webhooks', sql`true`] as const;
  switch (kind) {
    case 'tree':
      return [
        ['session', 'sessions', ofTree],
        ['completion', 'completions', ofTree],
        ['run', 'runs', sql`${ofTree} and (${unfinishedRun})`],
        ['callback', 'callbacks', ofTree],
        ['tree', 'trees', ofTree],
      ];
    case 'delivery':
      return [
        ['delivery', 'deliveries', sql`delivery_id = ${id}`],
        webhooks,
        [
          'destination',
          'destinations',
          sql`origin = (select origin from webhook_deliveries where delivery_id = ${id})`,
        ],
      ];
    case 'webhooks':
      return [webhooks];
    case 'destination':
      return [['destination', 'destinations', sql`origin = ${id}`]];
  }
}

/** Members that identify a record. A repair reads them and those that may hold damaged values. */
export const IDENTIFYING = /Id$|^(seq|generation|name|version|origin)$/;

/** A statement that returns the names of the records that it repairs. */
interface Repairing {
  readonly kind: RecordKind;
  readonly statement: SQL;
  /** What was damaged. */
  readonly what: string;
  /** True if the records are as they were before. */
  readonly restores: boolean;
}

/** Repairs a tree beyond its values: references first, then what is missing. In this order. */
export function repairsOfTree(id: string, now: number): readonly Repairing[] {
  return [
    ...linkRepairs(id).map(([kind, statement, what]) => ({ kind, statement, what, restores: true })),
    ...ends(id, now).map(([kind, statement, what]) => ({ kind, statement, what, restores: false })),
  ];
}

/** The damage that a statement has repaired. */
export function repairedBy({ kind, what, restores }: Repairing, name: string): Damage {
  return { kind, id: name, column: null, what, ...(restores ? { isRestored: true } : {}) };
}

/** The row of the tree may be missing, or what a record belongs to. The record ends then. */
function ends(
  id: string,
  now: number,
): readonly (readonly [kind: RecordKind, statement: SQL, what: string])[] {
  const without = (column: string) =>
    sql.raw(`not exists (select 1 from sessions s where s.session_id = ${column})`);
  return [
    [
      'tree',
      sql`insert into trees (root_session_id, state_id, failures_in_a_row, revision)
        select cast(${id} as text), (select state_id from workflow_states where root_session_id = ${id}), 0, 1
        where not exists (select 1 from trees where root_session_id = ${id})
          and exists (select 1 from sessions where root_session_id = ${id}) returning root_session_id as name`,
      'is missing',
    ],
    // Setting aside gives each of these sessions a completion.
    ['completion', missingCompletions(id), 'is missing'],
    [
      'run',
      sql`update runs set status = 'failed', error = 'The session of the run is not there.', cause = 'environment',
        due_at = null, lease_expires_at = null, completed_at = ${now}
        where root_session_id = ${id} and completed_at is null and ${without('runs.session_id')}
        returning run_id as name`,
      NO_SESSION,
    ],
    [
      'completion',
      sql`update completions set status = 'failed', reason = 'The session of the completion is not there.',
        due_at = null, released_at = ${now}
        where root_session_id = ${id} and released_at is null and ${without('completions.session_id')}
        returning session_id as name`,
      NO_SESSION,
    ],
    [
      'callback',
      sql`update callbacks set status = 'dead', reason = 'The parent or the child is not there.', run_id = null,
        delivery_id = null, delivered_at = null
        where root_session_id = ${id} and status in ('held', 'queued')
          and (${without('callbacks.child_session_id')} or ${without('callbacks.parent_session_id')})
        returning callback_id as name`,
      NO_SESSION,
    ],
    [
      'callback',
      sql`update callbacks as b set status = 'dead', reason = 'It belongs to no work of its child.', run_id = null,
        delivery_id = null, delivered_at = null
        where b.root_session_id = ${id} and b.status = 'held' and (b.child_session_id = b.parent_session_id
          or not exists (select 1 from sessions s left join completions c
            on c.session_id = s.session_id and c.generation = b.child_generation
            where s.session_id = b.child_session_id
              and (b.child_generation = s.generation or c.generation > s.generation)))
        returning callback_id as name`,
      'belongs to no work of its child',
    ],
  ];
}

/**
 * The replacement of a damaged value. In a required integer column it is 1: the most likely generation, and
 * the first revision.
 */
export function neutralOf(
  { neutral }: DamagedValue,
  column: { readonly notNull: boolean; getSQLType(): string } | undefined,
): string | number | null {
  if (neutral !== null || !column?.notNull) return neutral;
  return column.getSQLType().startsWith('text') ? '' : 1;
}
