// Reads which records are due, and counts records by status.
import { sql } from 'drizzle-orm';
import type { Due } from '../../../ports/reader.js';
import type { Db } from '../db.js';
import { LAST_MS } from '../../values.js';
import { callbacks, completions, deliveries, runs, sessions, states } from '../tables/tables.js';

/**
 * Runs and completions whose `dueAt` is not after `now`, most overdue first. Those whose `dueAt` is not a valid time
 * follow: SQLite sorts such a value after all times, so it would never become due. Loading reports them as damaged.
 */
export function due(db: Db, now: number, limit: number): readonly Due[] {
  const rows = db.all<{ kind: 'run' | 'completion'; id: string; root: string }>(sql`
    select 'run' as kind, run_id as id, root_session_id as root, due_at as at from runs
      where due_at is not null and due_at <= ${now}
    union all
    select 'completion', session_id, root_session_id, due_at from completions
      where due_at is not null and due_at <= ${now}
    union all
    select 'run', run_id, root_session_id, due_at from runs where due_at is not null and due_at > ${LAST_MS}
    union all
    select 'completion', session_id, root_session_id, due_at from completions
      where due_at is not null and due_at > ${LAST_MS}
    order by at, id limit ${limit}`);
  return rows.map(({ kind, id, root }) =>
    kind === 'run' ? { kind, runId: id, rootSessionId: root } : { kind, sessionId: id, rootSessionId: root },
  );
}

/** The next time after `now` at which a run or completion becomes due, or a pending run becomes available. */
export function nextDueAt(db: Db, now: number): number | null {
  const { at } = db.get<{ at: number | null }>(sql`
    select min(at) as at from (
      select min(due_at) as at from runs where due_at is not null and due_at > ${now} and due_at <= ${LAST_MS}
      union all
      select min(due_at) from completions where due_at is not null and due_at > ${now} and due_at <= ${LAST_MS}
      union all
      select min(available_at) from runs
        where status = 'pending' and available_at > ${now} and available_at <= ${LAST_MS})`);
  return at;
}

/** Number of records by status. */
export function counts(db: Db) {
  const of = (
    table: typeof sessions | typeof runs | typeof completions | typeof callbacks | typeof deliveries,
    alive = sql`true`,
  ) =>
    Object.fromEntries(
      db
        .all<{ status: string; records: number }>(
          sql`select status, count(*) as records from ${table} where ${alive} group by status`,
        )
        .map((row) => [row.status, row.records]),
    );
  const all = db.get<{ states: number }>(sql`select count(*) as states from ${states}`);
  const active = db.get<{ trees: number }>(sql`
    select count(distinct root_session_id) as trees from sessions
      where status in ('pending', 'running') and deleted_at is null`);
  return {
    trees: { active: active.trees },
    workflow_states: { all: all.states },
    sessions: of(sessions, sql`deleted_at is null`),
    runs: of(runs),
    completions: of(completions),
    callbacks: of(callbacks),
    webhook_deliveries: of(deliveries),
  };
}
