// Gives each test a database of its own on the PostgreSQL server of the run.
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of the server's database `postgres`. */
    postgresUrl: string;
  }
}

/** Runs one statement in the database of a URL. */
export async function execute(url: string, text: string, values: readonly unknown[] = []) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query<Record<string, unknown>>(text, [...values]);
  } finally {
    await client.end();
  }
}

/** Creates an empty database. @param template - The name of a database to copy instead. */
export async function newDatabase(template = 'template0'): Promise<string> {
  const server = inject('postgresUrl');
  const name = `t_${randomBytes(8).toString('hex')}`;
  await execute(server, `create database ${name} template ${template} strategy wal_log`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/** A database with the tables, which others copy. One for each process of tests. */
let template: Promise<string> | null = null;

/** Creates a database with the tables, twice as fast as a coordinator does. */
export async function newMigratedDatabase(): Promise<string> {
  template ??= migrated();
  return newDatabase(await template);
}

async function migrated(): Promise<string> {
  const url = await newDatabase();
  const { openPostgresStore } = await import('../../src/store/postgres/index.js');
  const store = await openPostgresStore({ url });
  await store.close();
  return nameIn(url);
}

const EMPTY = `
do $$
declare
  name regclass;
begin
  for name in
    select oid from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> 'countersign_migrations'
  loop
    execute format('delete from %s', name);
  end loop;
  perform setval(oid::regclass, 1, false)
  from pg_class where relnamespace = 'public'::regnamespace and relkind = 'S';
end $$`;

/** Makes a migrated database as it was before its first write: a hundred times faster than a new one. */
export async function emptyDatabase(url: string): Promise<void> {
  await execute(url, EMPTY);
}

/** The name of the database of a URL. */
export function nameIn(url: string): string {
  return new URL(url).pathname.slice(1);
}
