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
  const release = must(semaphore.tryAcquire(reader('one')));
  must(semaphore.tryAcquire(reader('one')));
  expect(failure(semaphore.tryAcquire(reader('one')))).toMatchObject({
    error: 'overloaded',
    members: { limit: 'own' },
  });
  must(semaphore.tryAcquire(reader('two')));
  release();
  release();
  must(semaphore.tryAcquire(reader('one')));
  must(semaphore.tryAcquire({ kind: 'operator', tokenName: null }));
  expect(failure(semaphore.tryAcquire({ kind: 'operator', tokenName: null }))).toMatchObject({
    members: { limit: 'all' },
  });
  expect(semaphore.inUse).toBe(4);
});

it('the sessions of one tree have a share together, and give back what they leave', () => {
  const semaphore = new Semaphore(LIMITS);
  const session = (sessionId: string, rootSessionId: string): Actor => ({
    kind: 'session',
    sessionId,
    rootSessionId,
    runId: null,
  });
  const release = must(semaphore.tryAcquire(session('a', 'root')));
  must(semaphore.tryAcquire(session('a', 'root')));
  must(semaphore.tryAcquire(session('b', 'root')));
  for (const one of ['b', 'c']) {
    expect(failure(semaphore.tryAcquire(session(one, 'root')))).toMatchObject({
      error: 'overloaded',
      members: { limit: 'tree', maximum: 3 },
    });
  }
  expect(semaphore.inUse).toBe(3);
  release();
  must(semaphore.tryAcquire(session('c', 'root')));
  must(semaphore.tryAcquire(session('d', 'other')));
});
