// Statements that live as long as the process. Built against the headers of Node.js 24.21, better-sqlite3 aborts the
// process when one of its objects is garbage-collected. So each text is prepared once, and its statement is kept.
import type Database from 'better-sqlite3';

type Client = Database.Database;

/** All objects that must not be collected, including closed connections. */
const kept: unknown[] = [];

/**
 * Makes a connection prepare each text once. The number of texts is bounded, because values are always bound.
 *
 * @returns The same connection.
 */
export function keepStatements(client: Client): Client {
  const prepareNew = client.prepare.bind(client);
  const statements = new Map<string, Database.Statement>();
  const prepare = (source: string): Database.Statement => {
    const known = statements.get(source);
    if (known !== undefined) return known;
    const statement = prepareNew(source);
    statements.set(source, statement);
    return statement;
  };
  const pragma = (source: string, options?: Database.PragmaOptions): unknown => {
    const statement = prepare(`PRAGMA ${source}`);
    if (!statement.reader) return statement.run();
    return options?.simple === true ? statement.pluck(true).get() : statement.pluck(false).all();
  };
  kept.push(client, statements);
  return Object.assign(client, { prepare, pragma });
}
