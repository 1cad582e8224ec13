// The query for children that nothing continues by itself. The SQL is that of every database.
import { sql, type SQL } from 'drizzle-orm';

/** Rows with `id` and `root`, oldest first. */
export function unattendedSessions(limit: number): SQL {
  return sql`select c.session_id as id, c.root_session_id as root from completions c
    join sessions s on s.session_id = c.session_id and s.generation = c.generation
    where c.released_at is null and c.due_at is null and s.parent_session_id is not null and s.deleted_at is null
      and not exists (select 1 from runs r where r.session_id = c.session_id and r.generation = c.generation
        and r.status in ('pending', 'claimed', 'running', 'stopping'))
    order by c.seq limit ${limit}`;
}
