// Drizzle on a connection.
import { drizzle } from 'drizzle-orm/node-postgres';
import type { Client, PoolClient } from 'pg';
import type { Cell, RunQuery } from '../../steps.js';

export type Db = ReturnType<typeof connect>;

/** Runs Drizzle's queries on the connection. */
export function connect(client: Pick<Client, 'query'>) {
  return drizzle({ client: client as Client });
}

/** Makes something once for each connection, such as its prepared statements. */
export function perConnection<T extends object>(make: (connection: PoolClient) => T) {
  const made = new WeakMap<PoolClient, T>();
  return (connection: PoolClient): T => {
    const known = made.get(connection);
    if (known !== undefined) return known;
    const value = make(connection);
    made.set(connection, value);
    return value;
  };
}

/** The first row of a query; `undefined` if it has none. */
export async function first<T>(rows: PromiseLike<readonly T[]>): Promise<T | undefined> {
  return (await rows)[0];
}

export function queryOn(db: Db): RunQuery {
  return async (query) => (await db.execute<Record<string, Cell>>(query)).rows;
}
