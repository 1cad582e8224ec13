import { expect, it } from 'vitest';
import { RequestIds } from '../../src/http/request-ids.js';

const OWN = /^req_[A-Za-z0-9_-]{8}_[0-9a-z]+$/;

it('every request without an id gets another one, also from another start of the service', () => {
  const [one, other] = [new RequestIds(), new RequestIds()];
  const ids = [one, other].flatMap((source) => Array.from({ length: 50 }, () => source.of(null)));
  expect(new Set(ids).size).toBe(100);
  for (const id of ids) expect(id).toMatch(OWN);
});

it('an id of the caller stays, unless it is not safe for a log', () => {
  const ids = new RequestIds();
  expect(ids.of('trace/7@ci')).toBe('trace/7@ci');
  for (const unsafe of ['', ' a', 'a\nb', '-a', 'a'.repeat(129)]) expect(ids.of(unsafe)).toMatch(OWN);
  expect(ids.of(ids.of(null))).toMatch(OWN);
});
