// Statements that live as long as the process. Built against the headers of Node.js 24.21, better-sqlite3 makes the
// process abort when one of its objects is collected, so none is: each text is prepared once and its statement kept.
import type Database from 'better-sqlite3';

type Client = Database.Database;

/** Everything that must not be collected, connections that were closed among it. */
const kept: unknown[] = [];

/**
 * Makes a connection prepare each text once. The texts of the store are a bounded set: values are always bound.
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
