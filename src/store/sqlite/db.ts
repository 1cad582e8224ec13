// Drizzle on a connection.
import { drizzle } from 'drizzle-orm/better-sqlite3';
import type { Client } from './connection.js';

export type Db = ReturnType<typeof connect>;

/** Runs Drizzle's queries on the connection. */
export function connect(client: Client) {
  return drizzle({ client });
}
