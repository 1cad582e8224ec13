// The form of stored answers.
import { describe, expect, it } from 'vitest';
import { isStoredReply, storedReply } from '../../../src/http/replies/stored-reply.js';
import { jsonReply } from '../../../src/http/replies/reply.js';

describe('a stored answer', () => {
  it.each([
    storedReply(jsonReply(200, { a: 1 }), 1000, false),
    storedReply(jsonReply(200, { a: 1 }), 1, true),
    { status: 204, headers: {}, text: null },
    { status: 200, headers: {}, body: {}, member: 'data', stateId: 's', version: 1, pointer: '' },
  ])('is known by its form: %j', (stored) => {
    expect(isStoredReply(JSON.parse(JSON.stringify(stored)))).toBe(true);
  });

  it.each([
    null,
    7,
    'x',
    [],
    {},
    { anew: false },
    { status: 200 },
    { status: '200', headers: {}, text: '' },
    { status: 200, headers: { a: 1 }, text: '' },
    { status: 200, headers: {}, text: 7 },
    { status: 200, headers: {}, body: {} },
  ])('is nothing else: %j', (stored) => {
    expect(isStoredReply(stored as never)).toBe(false);
  });
});
