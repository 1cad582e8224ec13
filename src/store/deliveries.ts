// Queries for deliveries. The SQL is that of every database.
import { sql, type SQL } from 'drizzle-orm';

/** Skips along the index from one origin to the next, so the cost does not depend on how many deliveries wait there. */
export const waitingOrigins = sql`
  with recursive waiting(origin) as (
    select min(origin) from webhook_deliveries where due_at is not null
    union all
    select (select min(d.origin) from webhook_deliveries d where d.due_at is not null and d.origin > waiting.origin)
      from waiting where waiting.origin is not null)
  select origin,
    (select min(d.due_at) from webhook_deliveries d where d.due_at is not null and d.origin = waiting.origin) as due_at
  from waiting where origin is not null`;

/** Deliveries that have ended before a time, or before the newest `keptMax` that have ended. */
export function outdatedDeliveries(before: number, keptMax: number, limit: number): SQL {
  return sql`select delivery_id as id from webhook_deliveries
    where ended_at is not null and (ended_at < ${before} or ended_at < coalesce((
      select ended_at from webhook_deliveries where ended_at is not null
      order by ended_at desc limit 1 offset ${keptMax - 1}), 0))
    order by ended_at limit ${limit}`;
}
