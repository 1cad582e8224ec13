// Reads that share a connection.
import pg from 'pg';
import { expect, test } from 'vitest';
import { StorageError } from '../../../src/ports/storage/storage.js';
import type { Connection } from '../../../src/store/postgres/connection/connections.js';
import { ReadTogether } from '../../../src/store/postgres/reads/read-together.js';

/** No read uses it, so it is never connected. */
const CONNECTION = new pg.Client() as Connection;

const nextIteration = () => new Promise((resolve) => setImmediate(resolve));

/** Lends one connection, and notes how each use of it ended. */
function lender(failure?: Error) {
  const uses: unknown[] = [];
  const use = async <T>(work: (connection: Connection) => Promise<T>): Promise<T> => {
    if (failure !== undefined) throw failure;
    try {
      const result = await work(CONNECTION);
      uses.push('ended');
      return result;
    } catch (error) {
      uses.push(error);
      throw error;
    }
  };
  return { uses, together: new ReadTogether({ use }) };
}

const answer =
  <T>(value: T) =>
  (connection: Connection) =>
    connection === CONNECTION ? Promise.resolve(value) : Promise.reject(new Error('no connection'));

test('reads of one iteration share a connection, and those of the next get their own', async () => {
  const { uses, together } = lender();
  expect(await Promise.all([1, 2, 3].map((value) => together.read(answer(value))))).toEqual([1, 2, 3]);
  await nextIteration();
  expect(uses).toEqual(['ended']);
  expect(await together.read(answer('later'))).toBe('later');
  await nextIteration();
  expect(uses).toEqual(['ended', 'ended']);
});

test('a read that fails leaves the others, and its error says whether the connection is lost', async () => {
  const { uses, together } = lender();
  const lost = Object.assign(new Error('gone'), { code: 'ECONNRESET' });
  const results = await Promise.allSettled([
    together.read(answer('fine')),
    together.read(() => Promise.reject(new Error('damaged'))),
    together.read(() => Promise.reject(lost)),
    together.read(answer('fine too')),
  ]);
  expect(results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason))).toEqual([
    'fine',
    new Error('damaged'),
    expect.any(StorageError),
    'fine too',
  ]);
  await nextIteration();
  expect(uses).toEqual([lost]);
});

test('without a connection all fail', async () => {
  const failure = new StorageError('storage_busy', 'none is free');
  const { together } = lender(failure);
  const results = await Promise.allSettled([together.read(answer(1)), together.read(answer(2))]);
  expect(results).toEqual([1, 2].map(() => ({ status: 'rejected', reason: failure })));
});
