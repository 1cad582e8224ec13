// Reads which records are due.
import { sql, type SQL } from 'drizzle-orm';
import type { Due, Unattended } from '../../../ports/storage/reader.js';
import type { Db } from '../connection/db.js';
import { unattendedOf, unattendedSessions, type UnattendedRow } from '../../unattended.js';
import { LAST_MS } from '../../rows/values.js';
import { completions, runs } from '../tables/tables.js';

/**
 * Runs and completions whose `dueAt` is not after `now`, most overdue first. Those whose `dueAt` is not a valid time
 * follow: such a record would never become due. Loading reports them as damaged. Those that a transaction is changing are
 * left out: it is probably another coordinator that fires them, and if not, they are found by the next look.
 *
 * Each part is read in the order of its index, which also frees the index of rows that are no longer due: with most of its
 * entries of that kind, any other way of reading costs more the more is done.
 */
export async function due(db: Db, now: number, limit: number): Promise<readonly Due[]> {
  const part = (
    kind: 'run' | 'completion',
    id: SQL,
    table: typeof runs | typeof completions,
    when: SQL,
  ) => sql`
    (select ${kind}::text as kind, ${id} as id, root_session_id as root, due_at as at from ${table}
      where due_at is not null and due_at ${when} order by due_at, ${id} limit ${limit} for update skip locked)`;
  const isDue = sql`<= ${now}`;
  const isInvalid = sql`> ${LAST_MS}`;
  // A union may not lock its parts, unless each has a name.
  const { rows } = await db.execute<{ kind: 'run' | 'completion'; id: string; root: string }>(sql`
    with due_runs as ${part('run', sql`run_id`, runs, isDue)},
      due_completions as ${part('completion', sql`session_id`, completions, isDue)},
      invalid_runs as ${part('run', sql`run_id`, runs, isInvalid)},
      invalid_completions as ${part('completion', sql`session_id`, completions, isInvalid)}
    select * from due_runs union all select * from due_completions
    union all select * from invalid_runs union all select * from invalid_completions
    order by at, id limit ${limit}`);
  return rows.map(({ kind, id, root }) =>
    kind === 'run' ? { kind, runId: id, rootSessionId: root } : { kind, sessionId: id, rootSessionId: root },
  );
}

/** The next time after `now` at which a run or completion becomes due, or a pending run becomes available. */
export async function nextDueAt(db: Db, now: number): Promise<number | null> {
  const { rows } = await db.execute<{ at: string | null }>(sql`
    select min(at) as at from (
      select min(due_at) as at from runs where due_at is not null and due_at > ${now} and due_at <= ${LAST_MS}
      union all
      select min(due_at) from completions where due_at is not null and due_at > ${now} and due_at <= ${LAST_MS}
      union all
      select min(available_at) from runs
        where status = 'pending' and available_at > ${now} and available_at <= ${LAST_MS}) as times`);
  const at = rows[0]?.at ?? null;
  return at === null ? null : Number(at);
}

/** See `Reader.unattended`. */
export async function unattended(db: Db, limit: number): Promise<readonly Unattended[]> {
  const { rows } = await db.execute<UnattendedRow>(unattendedSessions(limit));
  return rows.map(unattendedOf);
}
