// The queries for what nothing continues by itself. The SQL is that of every database.
import { sql, type SQL } from 'drizzle-orm';
import type { Unattended } from '../ports/storage/reader.js';

/** A row of `unattendedSessions`. */
export interface UnattendedRow extends Record<string, unknown> {
  readonly id: string;
  readonly root: string;
  readonly callback: string | null;
  readonly run: string | null;
}

export function unattendedOf({ id, root, callback, run }: UnattendedRow): Unattended {
  return { sessionId: id, rootSessionId: root, callbackId: callback, runId: run };
}

/**
 * True if run `r` is to be done, but belongs to no open work of its session, although there is some: its generation was edited.
 * A run that a runner has may go on when its work is over. Work that was released is open again while it is retried.
 */
export const isOfOtherWork = sql.raw(`(r.status in ('pending', 'claimed', 'running', 'stopping')
  and not exists (select 1 from completions c where c.session_id = r.session_id and c.generation = r.generation
    and (c.released_at is null or c.status = 'pending' or r.status <> 'pending'))
  and exists (select 1 from completions c where c.session_id = r.session_id and c.released_at is null))`);

/** True if a session's row, or that of its completion, was removed. */
const isIncomplete = (session: string) =>
  sql.raw(`not exists (select 1 from sessions s
    join completions c on c.session_id = s.session_id and c.generation = s.generation
    where s.session_id = ${session})`);

/** True if the completion that should release callback `b` was released without it. */
const isLeftBehind =
  sql.raw(`exists (select 1 from completions c join sessions s on s.session_id = c.session_id
  where c.session_id = b.child_session_id and c.generation = b.child_generation and c.generation = s.generation
    and c.released_at is not null)`);

/** True if the child of callback `b` says the same as the callback, and the work that it reports is not over. */
const isOfWork = sql.raw(`exists (select 1 from completions c join sessions s on s.session_id = c.session_id
  where c.session_id = b.child_session_id and c.generation = b.child_generation and c.generation >= s.generation
    and s.parent_session_id = b.parent_session_id and s.root_session_id = b.root_session_id
    and c.root_session_id = s.root_session_id and s.session_id <> b.parent_session_id)`);

/** True if the generation of session `s` is over, or is none: a later one should have begun. */
const isBehind = sql.raw(`not exists (select 1 from completions e
  where e.session_id = s.session_id and e.generation = s.generation and e.released_at is null)`);

/** Completions `c` that are not released, with callbacks `b` that were queued or delivered all the same: without a message. */
const sentEarly = sql.raw(`completions c
  join callbacks b on b.child_session_id = c.session_id and b.child_generation = c.generation
  where c.released_at is null and b.status in ('queued', 'delivered', 'acknowledged') and b.message is null`);

/** True if queued callback `b` is for another session than the parent of its child, or in another tree. */
const isMisaddressed = sql.raw(`exists (select 1 from sessions s where s.session_id = b.child_session_id
  and (s.parent_session_id <> b.parent_session_id or s.root_session_id <> b.root_session_id))`);

/**
 * Rows with `id` and `root`, oldest first. In this order:
 *
 * - children that no time and no run continues, and sessions whose next work should have begun;
 * - sessions with a run that has no deadline;
 * - children whose callback is held for ever: rows of theirs, or of their parents, were removed, or their completion was
 *   released without it. If the callback contradicts its child, `callback` is its id, else `null`;
 * - callbacks that were queued or delivered before their child was released, with `callback`;
 * - parents of queued callbacks that no run of theirs carries, and sessions with a `run` that belongs to none of their open
 *   work.
 */
export function unattendedSessions(limit: number): SQL {
  return sql`select id, root, callback, run from (
    select 0 as part, c.seq as seq, c.session_id as id, c.root_session_id as root, null as callback, null as run
      from completions c
      join sessions s on s.session_id = c.session_id and s.generation = c.generation
      where c.released_at is null and c.due_at is null and s.parent_session_id is not null and s.deleted_at is null
        and not exists (select 1 from runs r where r.session_id = c.session_id and r.generation = c.generation
          and r.status in ('pending', 'claimed', 'running', 'stopping'))
    union all
    select 0, c.seq, c.session_id, c.root_session_id, null, null from completions c
      join sessions s on s.session_id = c.session_id and s.generation < c.generation
      where c.released_at is null and s.deleted_at is null and ${isBehind}
    union all
    select 1, r.seq, r.session_id, r.root_session_id, null, null from runs r
      where r.status in ('pending', 'claimed', 'running', 'stopping') and r.due_at is null
    union all
    select 2, b.seq, b.child_session_id, b.root_session_id, case when ${isOfWork} then null else b.callback_id end, null
      from callbacks b
      where b.status = 'held'
        and (not ${isOfWork} or ${isIncomplete('b.parent_session_id')} or ${isLeftBehind})
    union all
    select 3, b.seq, b.child_session_id, b.root_session_id, b.callback_id, null from callbacks b
      where b.status = 'queued' and ${isMisaddressed}
    union all
    select 3, b.seq, b.child_session_id, b.root_session_id, b.callback_id, null from ${sentEarly}
    union all
    select 3, b.seq, b.parent_session_id, b.root_session_id, null, null from callbacks b
      where b.status = 'queued' and b.run_id is not null and not exists (select 1 from runs r
        where r.run_id = b.run_id and r.session_id = b.parent_session_id
          and r.status in ('pending', 'claimed', 'running', 'stopping'))
    union all
    select 3, r.seq, r.session_id, r.root_session_id, null, r.run_id from runs r where ${isOfOtherWork}
    ) as found order by part, seq limit ${limit}`;
}

/** Rows with `name`: the completions that sessions of a tree should have, and that are not there. */
export function missingCompletions(rootSessionId: string): SQL {
  return sql`select s.session_id || '@' || s.generation as name from sessions s
    where s.root_session_id = ${rootSessionId} and s.deleted_at is null and not exists (
      select 1 from completions c where c.session_id = s.session_id and c.generation = s.generation)`;
}
