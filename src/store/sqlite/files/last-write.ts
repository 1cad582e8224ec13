// When a database was last written, by its newest rows.
import { isTime } from '../../rows/values.js';
import type { Client } from '../connection.js';

/** All that the main job writes has a row in one of them. */
const NEWEST = ['notices', 'state_events'].map(
  (table) => `select created_at from ${table} order by seq desc limit 1`,
);

/** @returns `null` if nothing tells, as where the clock was set back since. */
export function lastWriteMs(client: Client, now: number): number | null {
  const times = NEWEST.map((sql) => client.prepare<[]>(sql).pluck().get()).filter(isTime);
  const last = Math.max(...times);
  return times.length === 0 || last > now ? null : last;
}
