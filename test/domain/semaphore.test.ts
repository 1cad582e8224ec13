import { expect, it } from 'vitest';
import type { Actor } from '../../src/domain/access/actor.js';
import { Semaphore } from '../../src/domain/semaphore.js';
import { must, refusal } from '../service/harness.js';

const LIMITS = {
  all: { limit: 'all', max: 4 },
  perCaller: { limit: 'own', max: 2 },
  perTree: { limit: 'tree', max: 3 },
};

const reader = (tokenName: string): Actor => ({ kind: 'token', role: 'reader', tokenName });

it('one caller takes a part of the places only; the operator may have all of them', () => {
  const places = new Semaphore(LIMITS);
  const release = must(places.take(reader('one')));
  must(places.take(reader('one')));
  expect(refusal(places.take(reader('one')))).toMatchObject({
    error: 'overloaded',
    members: { limit: 'own' },
  });
  must(places.take(reader('two')));
  release();
  release();
  must(places.take(reader('one')));
  must(places.take({ kind: 'operator', tokenName: null }));
  expect(refusal(places.take({ kind: 'operator', tokenName: null }))).toMatchObject({
    members: { limit: 'all' },
  });
  expect(places.taken).toBe(4);
});

it('the sessions of one tree have a share together, and give back what they leave', () => {
  const places = new Semaphore(LIMITS);
  const session = (sessionId: string, rootSessionId: string): Actor => ({
    kind: 'session',
    sessionId,
    rootSessionId,
    runId: null,
  });
  const release = must(places.take(session('a', 'root')));
  must(places.take(session('a', 'root')));
  must(places.take(session('b', 'root')));
  for (const one of ['b', 'c']) {
    expect(refusal(places.take(session(one, 'root')))).toMatchObject({
      error: 'overloaded',
      members: { limit: 'tree', maximum: 3 },
    });
  }
  expect(places.taken).toBe(3);
  release();
  must(places.take(session('c', 'root')));
  must(places.take(session('d', 'other')));
});
