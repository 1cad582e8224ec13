// Drizzle on a connection.
import { drizzle } from 'drizzle-orm/node-postgres';
import type { Client } from 'pg';

export type Db = ReturnType<typeof connect>;

/** Runs Drizzle's queries on the connection. */
export function connect(client: Pick<Client, 'query'>) {
  return drizzle({ client: client as Client });
}

/** The first row of a query; `undefined` if it has none. */
export async function first<T>(rows: PromiseLike<readonly T[]>): Promise<T | undefined> {
  return (await rows)[0];
}
