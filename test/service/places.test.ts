import { expect, it } from 'vitest';
import type { Actor } from '../../src/domain/actor.js';
import { Places } from '../../src/service/places.js';
import { must, refusal } from './harness.js';

const reader = (tokenName: string): Actor => ({ kind: 'token', role: 'reader', tokenName });

it('one caller takes a part of the places only; the operator may have all of them', () => {
  const places = new Places({ limit: 'all', max: 4 }, { limit: 'own', max: 2 });
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
