// The writing thread's program: writes each batch of rows in one transaction and waits for the disk. Knows no
// table, no record and no reason.
import type { Statement } from 'better-sqlite3';
import { parentPort, workerData } from 'node:worker_threads';
import { configure, dataVersionOf, openExistingClient, type Client } from '../connection.js';
import { OWNER } from '../files/lease.js';
import type { WritingAnswer, WritingMessage, WritingRequest, WritingSetup } from './writing-protocol.js';

// Only `WritingThread` starts this thread, with this value.
const { path, limits, owner } = workerData as WritingSetup;
const client = openExistingClient(path);
configure(client, limits);
/** Writes batches of rows on one connection. */
class RowWriter {
  readonly #dataVersion: Statement;
  readonly #ownerNow: Statement<[string], string>;
  readonly #statements: { readonly statement: Statement; readonly parameters: number }[] = [];
  /** The `data_version` after the last batch. */
  #known: unknown;

  constructor(
    private readonly client: Client,
    private readonly owner: string | null,
  ) {
    this.#dataVersion = dataVersionOf(client);
    this.#ownerNow = client.prepare<[string], string>('select value from settings where name = ?').pluck();
    this.#known = this.#dataVersion.get();
  }

  write({ newStatements, indices, values, wroteHere }: WritingRequest): WritingAnswer {
    const { client, owner } = this;
    for (const { sql, parameters } of newStatements)
      this.#statements.push({ statement: client.prepare(sql), parameters });
    try {
      client.exec('BEGIN IMMEDIATE');
      if (owner !== null && this.#ownerNow.get(OWNER) !== owner) {
        throw new Error('the database is owned by another');
      }
      const version = this.#dataVersion.get();
      const others = version !== this.#known && !wroteHere;
      this.#known = version;
      if (others) {
        client.exec('ROLLBACK');
        return 'stale';
      }
      let at = 0;
      for (const index of indices) {
        const known = this.#statements[index];
        if (known === undefined) throw new Error('a statement was not sent');
        const end = at + known.parameters;
        if (known.statement.run(values.slice(at, end)).changes !== 1)
          throw new Error('a row was not written');
        at = end;
      }
      client.exec('COMMIT');
      return 'written';
    } catch {
      // The main thread writes the batch again and reports the error.
      if (client.inTransaction) client.exec('ROLLBACK');
      return 'failed';
    }
  }
}

const writer = new RowWriter(client, owner);

parentPort?.on('message', (request: WritingRequest | 'close') => {
  if (request === 'close') {
    client.close();
    parentPort?.close();
    return;
  }
  parentPort?.postMessage(writer.write(request));
});

const ready: WritingMessage = 'ready';
parentPort?.postMessage(ready);
