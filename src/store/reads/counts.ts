// Counts records by status.
import { sql, type SQL } from 'drizzle-orm';
import type { Reader } from '../../ports/storage/reader.js';
import { answerOf, type RunQuery, type Steps } from '../steps.js';

/** See `Reader.counts`. */
export function* counts(query: RunQuery): Steps<Awaited<ReturnType<Reader['counts']>>> {
  const [all] = yield* answerOf(query(sql`select count(*) as states from workflow_states`));
  const [active] = yield* answerOf(
    query(sql`select count(distinct root_session_id) as trees from sessions
      where status in ('pending', 'running') and deleted_at is null`),
  );
  return {
    trees: { active: Number(active?.['trees'] ?? 0) },
    workflow_states: { all: Number(all?.['states'] ?? 0) },
    sessions: yield* byStatus(query, sql`sessions where deleted_at is null`),
    runs: yield* byStatus(query, sql`runs`),
    completions: yield* byStatus(query, sql`completions`),
    callbacks: yield* byStatus(query, sql`callbacks`),
    webhook_deliveries: yield* byStatus(query, sql`webhook_deliveries`),
  };
}

/** In the order of the words, whatever the locale of the database. */
function* byStatus(query: RunQuery, rows: SQL): Steps<Readonly<Record<string, number>>> {
  const found = yield* answerOf(query(sql`select status, count(*) as records from ${rows} group by status`));
  const numbers = new Map(found.map((row) => [String(row['status']), Number(row['records'])]));
  return Object.fromEntries([...numbers].sort(([a], [b]) => (a < b ? -1 : 1)));
}
