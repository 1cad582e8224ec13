// The query for the completions of a tree that are open. The SQL is that of every database.
import { sql, type Placeholder, type SQL } from 'drizzle-orm';

/**
 * The row numbers of completions that are not released, or are pending again; `null` among them says nothing. Those that are
 * pending again are found by the sessions of the tree: an index of pending ones would have those of all trees. No database
 * turns a subquery for each session into a join that begins at that index.
 */
export function openCompletionSeqs(rootSessionId: Placeholder): SQL {
  return sql`(select seq from completions where root_session_id = ${rootSessionId} and released_at is null
    union all select (select again.seq from completions again
        where again.root_session_id = of_tree.root_session_id and again.session_id = of_tree.session_id and again.generation = of_tree.generation
          and again.status = 'pending' and again.released_at is not null)
      from sessions of_tree where of_tree.root_session_id = ${rootSessionId})`;
}
