// The query for the completions of a tree that are open. The SQL is that of every database.
import { sql, type Placeholder, type SQL } from 'drizzle-orm';

/**
 * The row numbers of completions that are not released, or are pending again. The latter are found by the sessions of the
 * tree: an index of pending ones would have those of all trees.
 */
export function openCompletionSeqs(rootSessionId: Placeholder): SQL {
  // SQLite keeps the order of a cross join.
  return sql`(select seq from completions where root_session_id = ${rootSessionId} and released_at is null
    union all select again.seq from sessions of_tree cross join completions again
      where of_tree.root_session_id = ${rootSessionId} and again.session_id = of_tree.session_id
        and again.generation = of_tree.generation and again.status = 'pending' and again.released_at is not null)`;
}
