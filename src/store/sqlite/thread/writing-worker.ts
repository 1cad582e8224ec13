// The writing thread's program: writes each batch of rows in one transaction and waits for the disk. Knows no
// table, no record and no reason.
import type { Statement } from 'better-sqlite3';
import { parentPort, workerData } from 'node:worker_threads';
import { configure, openClient } from '../connection.js';
import { OWNER } from '../files/lease.js';
import type { WritingAnswer, WritingMessage, WritingRequest, WritingSetup } from './writing-protocol.js';

// Only `WritingThread` starts this thread, with this value.
const { path, limits, owner } = workerData as WritingSetup;
const client = openClient(path);
configure(client, limits);
const dataVersion = client.prepare('pragma data_version').pluck();
let known = dataVersion.get();
const ownerNow = client.prepare<[string], string>('select value from settings where name = ?').pluck();
const statements: Statement[] = [];

function write({ places, values, wroteHere }: WritingRequest): WritingAnswer {
  try {
    client.exec('BEGIN IMMEDIATE');
    if (owner !== null && ownerNow.get(OWNER) !== owner) throw new Error('the database is owned by another');
    const version = dataVersion.get();
    const others = version !== known && !wroteHere;
    known = version;
    if (others) {
      client.exec('ROLLBACK');
      return 'stale';
    }
    for (const [i, place] of places.entries()) {
      if (statements[place]?.run(values[i]).changes !== 1) throw new Error('a row was not written');
    }
    client.exec('COMMIT');
    return 'written';
  } catch {
    // The main thread repeats the writes and reports the error.
    if (client.inTransaction) client.exec('ROLLBACK');
    return 'failed';
  }
}

parentPort?.on('message', (request: WritingRequest | 'close') => {
  if (request === 'close') {
    client.close();
    parentPort?.close();
    return;
  }
  for (const text of request.statements) statements.push(client.prepare(text));
  parentPort?.postMessage(write(request));
});

const ready: WritingMessage = 'ready';
parentPort?.postMessage(ready);
