// Turns by key: one at a time, in the order of arrival, whether they are waited for or taken.
import { expect, it } from 'vitest';
import { KeyedQueue } from '../../../src/service/transactions/keyed-queue.js';

const pause = () => new Promise((resolve) => setImmediate(resolve));

it('runs the tasks of a key one after the other, in their order, those of others beside them', async () => {
  const queue = new KeyedQueue();
  const said: string[] = [];
  const task = (name: string) => async () => {
    said.push(`${name} begins`);
    await pause();
    said.push(`${name} ends`);
    return name;
  };
  const names = await Promise.all([
    queue.run('a', task('a1')),
    queue.run('a', task('a2')),
    queue.run('b', task('b1')),
    queue.run('a', task('a3')),
  ]);
  expect(names).toEqual(['a1', 'a2', 'b1', 'a3']);
  expect(said.filter((one) => one.startsWith('a'))).toEqual(
    ['a1', 'a2', 'a3'].flatMap((name) => [`${name} begins`, `${name} ends`]),
  );
  expect(said.indexOf('b1 begins')).toBeLessThan(said.indexOf('a1 ends'));
  expect(queue.size).toBe(0);
});

it('goes on after a task that fails', async () => {
  const queue = new KeyedQueue();
  const failed = queue.run('a', () => Promise.reject(new Error('no')));
  const next = queue.run('a', () => Promise.resolve('next'));
  await expect(failed).rejects.toThrow('no');
  expect(await next).toBe('next');
  expect(queue.size).toBe(0);
});

it('gives a turn that was taken to whoever waits for it, and to nobody before', async () => {
  const queue = new KeyedQueue();
  const said: string[] = [];
  expect(queue.tryAcquire('a')).toBe(true);
  expect(queue.tryAcquire('a')).toBe(false);
  const waited = queue.acquire('a').then(() => said.push('waited'));
  const ran = queue.run('a', () => Promise.resolve(said.push('ran')));
  await pause();
  expect(said).toEqual([]);
  queue.release('a');
  // Still somebody's: the one who waits has it from this moment on.
  expect(queue.tryAcquire('a')).toBe(false);
  await waited;
  await pause();
  expect(said).toEqual(['waited']);
  queue.release('a');
  await ran;
  expect(said).toEqual(['waited', 'ran']);
  expect(queue.tryAcquire('a')).toBe(true);
});

it('runs shared tasks of a key together, and none of them beside one that is not shared', async () => {
  const queue = new KeyedQueue();
  const said: string[] = [];
  const task = (name: string) => async () => {
    said.push(`${name} begins`);
    await pause();
    said.push(`${name} ends`);
  };
  await Promise.all([
    queue.runShared('a', task('s1')),
    queue.runShared('a', task('s2')),
    queue.run('a', task('alone')),
    queue.runShared('a', task('s3')),
    queue.runShared('a', task('s4')),
  ]);
  const both = (one: string, other: string) => [
    `${one} begins`,
    `${other} begins`,
    `${one} ends`,
    `${other} ends`,
  ];
  expect(said).toEqual([...both('s1', 's2'), 'alone begins', 'alone ends', ...both('s3', 's4')]);
  expect(queue.size).toBe(0);
});
