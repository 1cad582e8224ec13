import { expect, it } from 'vitest';
import type { Actor } from '../../src/domain/access/actor.js';
import { Semaphore } from '../../src/domain/semaphore.js';
import { must, failure } from '../service/harness.js';

const LIMITS = {
  all: { limit: 'all', max: 4 },
  perCaller: { limit: 'own', max: 2 },
  perTree: { limit: 'tree', max: 3 },
};

const reader = (tokenName: string): Actor => ({ kind: 'token', role: 'reader', tokenName });

it('one caller takes a part of the places only; the operator may have all of them', () => {
  const semaphore = new Semaphore(LIMITS);
  const release = must(semaphore.take(reader('one')));
  must(semaphore.take(reader('one')));
  expect(failure(semaphore.take(reader('one')))).toMatchObject({
    error: 'overloaded',
    members: { limit: 'own' },
  });
  must(semaphore.take(reader('two')));
  release();
  release();
  must(semaphore.take(reader('one')));
  must(semaphore.take({ kind: 'operator', tokenName: null }));
  expect(failure(semaphore.take({ kind: 'operator', tokenName: null }))).toMatchObject({
    members: { limit: 'all' },
  });
  expect(semaphore.taken).toBe(4);
});

it('the sessions of one tree have a share together, and give back what they leave', () => {
  const semaphore = new Semaphore(LIMITS);
  const session = (sessionId: string, rootSessionId: string): Actor => ({
    kind: 'session',
    sessionId,
    rootSessionId,
    runId: null,
  });
  const release = must(semaphore.take(session('a', 'root')));
  must(semaphore.take(session('a', 'root')));
  must(semaphore.take(session('b', 'root')));
  for (const one of ['b', 'c']) {
    expect(failure(semaphore.take(session(one, 'root')))).toMatchObject({
      error: 'overloaded',
      members: { limit: 'tree', maximum: 3 },
    });
  }
  expect(semaphore.taken).toBe(3);
  release();
  must(semaphore.take(session('c', 'root')));
  must(semaphore.take(session('d', 'other')));
});
