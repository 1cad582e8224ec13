// The records of a tree in a PostgreSQL database, as the checks of a crash test read them.
import pg from 'pg';
import type { CallbackRow, CompletionRow, SessionRow, TreeRecords } from '../remains.js';

const SESSIONS =
  'select session_id as id, session_name as name from sessions where root_session_id = $1 order by seq';

/** Counts and times come as `bigint`, which the driver gives as text. */
const COMPLETIONS = `select s.session_name as name, s.parent_session_name as parent, c.generation::int, c.session_id,
    c.status, c.reason, c.released_at::float8, c.work_outcome, c.work_error
  from completions c join sessions s on s.session_id = c.session_id where c.root_session_id = $1`;

const CALLBACKS = `select callback_id, child_session_id, child_generation::int, status, run_id, message
  from callbacks where root_session_id = $1`;

export async function recordsInServer(db: string, root: string): Promise<TreeRecords> {
  const client = new pg.Client({ connectionString: db });
  await client.connect();
  try {
    const [sessions, completions, callbacks] = [
      await client.query<SessionRow>(SESSIONS, [root]),
      await client.query<CompletionRow>(COMPLETIONS, [root]),
      await client.query<CallbackRow>(CALLBACKS, [root]),
    ];
    return { sessions: sessions.rows, completions: completions.rows, callbacks: callbacks.rows };
  } finally {
    await client.end();
  }
}
