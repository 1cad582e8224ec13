// Reads which records are due.
import { sql } from 'drizzle-orm';
import type { Due, Unattended } from '../../../ports/storage/reader.js';
import type { Db } from '../db.js';
import { unattendedOf, unattendedSessions, type UnattendedRow } from '../../unattended.js';
import { LAST_MS } from '../../rows/values.js';

const now = sql.placeholder('now');

/** Makers of the statements that the scheduler runs with each round. */
export function timerStatements(db: Db) {
  return {
    due: () =>
      db
        .select({
          kind: sql<'run' | 'completion'>`kind`,
          id: sql<string>`id`,
          root: sql<string>`root`,
        })
        .from(
          sql`(
          select 'run' as kind, run_id as id, root_session_id as root, due_at as at from runs
            where due_at is not null and due_at <= ${now}
          union all
          select 'completion', session_id, root_session_id, due_at from completions
            where due_at is not null and due_at <= ${now}
          union all
          select 'run', run_id, root_session_id, due_at from runs
            where due_at is not null and due_at > ${LAST_MS}
          union all
          select 'completion', session_id, root_session_id, due_at from completions
            where due_at is not null and due_at > ${LAST_MS})`,
        )
        .orderBy(sql`at`, sql`id`)
        .limit(sql.placeholder('limit'))
        .prepare(),
    nextDueAt: () =>
      db
        .select({ at: sql<number | null>`min(at)` })
        .from(
          sql`(
          select min(due_at) as at from runs
            where due_at is not null and due_at > ${now} and due_at <= ${LAST_MS}
          union all
          select min(due_at) from completions
            where due_at is not null and due_at > ${now} and due_at <= ${LAST_MS}
          union all
          select min(available_at) from runs
            where status = 'pending' and available_at > ${now} and available_at <= ${LAST_MS})`,
        )
        .prepare(),
  };
}

type TimerStatements = { readonly [Name in keyof Makers]: ReturnType<Makers[Name]> };
type Makers = ReturnType<typeof timerStatements>;

/**
 * Runs and completions whose `dueAt` is not after `now`, most overdue first. Those whose `dueAt` is not a valid time
 * follow: SQLite sorts such a value after all times, so it would never become due. Loading reports them as damaged.
 */
export function due(statements: TimerStatements, now: number, limit: number): readonly Due[] {
  return statements.due
    .all({ now, limit })
    .map(({ kind, id, root }) =>
      kind === 'run'
        ? { kind, runId: id, rootSessionId: root }
        : { kind, sessionId: id, rootSessionId: root },
    );
}

/** The next time after `now` at which a run or completion becomes due, or a pending run becomes available. */
export function nextDueAt(statements: TimerStatements, now: number): number | null {
  return statements.nextDueAt.get({ now })?.at ?? null;
}

/** See `Reader.unattended`. */
export function unattended(db: Db, limit: number): readonly Unattended[] {
  return db.all<UnattendedRow>(unattendedSessions(limit)).map(unattendedOf);
}
