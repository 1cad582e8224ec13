// Reads which records are due, and counts records by status.
import { sql, type SQL } from 'drizzle-orm';
import type { Due, SessionOfTree } from '../../../ports/storage/reader.js';
import type { Db } from '../connection/db.js';
import { unattendedSessions } from '../../unattended.js';
import { LAST_MS } from '../../rows/values.js';
import { callbacks, completions, deliveries, runs, sessions, states } from '../tables/tables.js';

/**
 * Runs and completions whose `dueAt` is not after `now`, most overdue first. Those whose `dueAt` is not a valid time
 * follow: such a record would never become due. Loading reports them as damaged.
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
      where due_at is not null and due_at ${when} order by due_at, ${id} limit ${limit})`;
  const isDue = sql`<= ${now}`;
  const isInvalid = sql`> ${LAST_MS}`;
  const { rows } = await db.execute<{ kind: 'run' | 'completion'; id: string; root: string }>(sql`
    ${part('run', sql`run_id`, runs, isDue)} union all ${part('completion', sql`session_id`, completions, isDue)}
    union all ${part('run', sql`run_id`, runs, isInvalid)}
    union all ${part('completion', sql`session_id`, completions, isInvalid)}
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
export async function unattended(db: Db, limit: number): Promise<readonly SessionOfTree[]> {
  const { rows } = await db.execute<{ id: string; root: string }>(unattendedSessions(limit));
  return rows.map(({ id, root }) => ({ sessionId: id, rootSessionId: root }));
}

/** Number of records by status. */
export async function counts(db: Db) {
  const of = async (
    table: typeof sessions | typeof runs | typeof completions | typeof callbacks | typeof deliveries,
    alive = sql`true`,
  ) => {
    const { rows } = await db.execute<{ status: string; records: string }>(
      sql`select status, count(*) as records from ${table} where ${alive} group by status order by status collate "C"`,
    );
    return Object.fromEntries(rows.map((row) => [row.status, Number(row.records)]));
  };
  const all = await db.execute<{ states: string }>(sql`select count(*) as states from ${states}`);
  const active = await db.execute<{ trees: string }>(sql`
    select count(distinct root_session_id) as trees from sessions
      where status in ('pending', 'running') and deleted_at is null`);
  return {
    trees: { active: Number(active.rows[0]?.trees ?? 0) },
    workflow_states: { all: Number(all.rows[0]?.states ?? 0) },
    sessions: await of(sessions, sql`deleted_at is null`),
    runs: await of(runs),
    completions: await of(completions),
    callbacks: await of(callbacks),
    webhook_deliveries: await of(deliveries),
  };
}
