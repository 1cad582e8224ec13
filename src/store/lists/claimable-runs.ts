// The query for the runs that a runner may be given. The SQL is that of every database, but for what looks into the demands.
import { sql, type Placeholder, type SQL } from 'drizzle-orm';

/** How a database looks into the demands of a run `r`. */
interface DemandsSql {
  /** The table of runs, with a hint for its index if the database takes one. */
  readonly runs: SQL;
  /** What is joined to a run to read its demands. */
  readonly joined: SQL;
  readonly areReadable: SQL;
  readonly hostname: SQL;
  readonly executorType: SQL;
  /** A table of the tags, each as `value`. */
  readonly tags: SQL;
  /** A table of the texts of a parameter, each as `value`. */
  readonly textsOf: (parameter: Placeholder) => SQL;
}

/**
 * Selects candidates for a runner, oldest first: see `claimable` in domain/transactions/loaded-records.ts. At most the oldest
 * run of a session and its state updates; which of them is next, the rule says. A run whose demands are damaged is among
 * them, so that it is found: it must not fail the query for all others.
 */
export function claimableRuns(demands: DemandsSql): SQL {
  const { runs, joined, areReadable, hostname, executorType, tags, textsOf } = demands;
  return sql`
  select r.seq, r.root_session_id from ${runs} join sessions s on s.session_id = r.session_id ${joined}
  where r.status = 'pending' and r.available_at <= ${sql.placeholder('now')} and r.generation = s.generation
    and case when ${areReadable} then
      coalesce(${hostname} = ${sql.placeholder('hostname')}, true)
      and (${executorType} is null
        or ${executorType} in (select value from ${textsOf(sql.placeholder('executorTypes'))}))
      and not exists (select 1 from ${tags} demanded
        where demanded.value not in (select value from ${textsOf(sql.placeholder('tags'))}))
      else true end
    and not exists (
      select 1 from runs other
      where other.session_id = r.session_id and other.status in ('pending', 'claimed', 'running', 'stopping')
        and (other.status <> 'pending' or (
          other.generation = s.generation and r.purpose <> 'state_update' and other.seq < r.seq)))
  order by r.seq limit ${sql.placeholder('runsMax')}`;
}
