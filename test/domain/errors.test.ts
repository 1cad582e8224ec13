import { describe, expect, it } from 'vitest';
import { ok, ERRORS, invalidMember, fail } from '../../src/domain/errors.js';

const entries = Object.entries(ERRORS);

describe('the list of errors', () => {
  it.each(entries)('%s has a short title of its own', (code, { title }) => {
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(title).toMatch(/^[A-Z][^.!\n]{5,80}$/);
    expect(entries.filter(([, other]) => other.title === title)).toHaveLength(1);
  });

  it('says of those alone that a retry can help that pass by themselves', () => {
    expect(entries.filter(([, one]) => one.retryable).map(([code]) => code)).toEqual([
      'request_timeout',
      'session_busy',
      'idempotency_in_flight',
      'overloaded',
      'storage_full',
      'storage_busy',
      'storage_failed',
      'storage_lost',
      'internal',
    ]);
  });

  it('is carried by refusals, which are values', () => {
    expect(ok(7)).toEqual({ ok: true, value: 7 });
    expect(fail('lease_lost', 'Gone.')).toEqual({
      ok: false,
      failure: { error: 'lease_lost', detail: 'Gone.', members: {} },
    });
    expect(invalidMember('/name', 'is missing', 'a name').failure).toEqual({
      error: 'invalid_request',
      detail: '/name: is missing',
      members: {
        errors: [{ pointer: '/name', keyword: 'request', message: 'is missing', expected: 'a name' }],
      },
    });
    expect(invalidMember('', 'is no object', 'an object').failure.detail).toBe('The body: is no object');
  });
});
