// What an attempt comes to, a line for each case.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/domain/limits.js';
import {
  afterAttempt,
  isTrouble,
  retryDelayMs,
  type SendResult,
} from '../../../src/domain/webhooks/attempt.js';
import { aDelivery, NOW } from '../../store/records.js';

const limits = DEFAULT_LIMITS;
const answer = (status: number, retryAfterMs: number | null = null): SendResult => ({
  kind: 'answer',
  status,
  retryAfterMs,
  response: '',
  durationMs: 3,
});
const error: SendResult = { kind: 'error', error: 'ECONNREFUSED', durationMs: 3 };
const sending = aDelivery({ status: 'sending', attempt: 4, failures: 3, dueAt: NOW + 20_000 });
const HOUR = 60 * 60_000;

describe('an attempt', () => {
  it.each<[string, SendResult, object]>([
    ['200', answer(200), { status: 'delivered', dueAt: null, endedAt: NOW, reason: null }],
    ['204', answer(204), { status: 'delivered' }],
    ['299', answer(299), { status: 'delivered' }],
    ['301', answer(301), { status: 'pending', failures: 4, dueAt: NOW + 20_000, endedAt: null }],
    ['404', answer(404), { status: 'pending', failures: 4 }],
    [
      '410',
      answer(410),
      { status: 'dead', dueAt: null, reason: 'The receiver answered 410: it wants no more.' },
    ],
    ['429', answer(429, 60_000), { status: 'pending', dueAt: NOW + 60_000 }],
    ['500', answer(500), { status: 'pending', dueAt: NOW + 20_000 }],
    ['503 in no time', answer(503, 0), { status: 'pending', dueAt: NOW + 20_000 }],
    ['503 in ten days', answer(503, 240 * HOUR), { status: 'pending', dueAt: NOW + 6 * HOUR }],
    ['no answer', error, { status: 'pending', failures: 4 }],
  ])('that ended with %s', (_case, result, expected) => {
    expect(afterAttempt(sending, result, NOW, 0.5, limits)).toMatchObject(expected);
  });

  it('that failed too late for another leaves a dead letter with its reason', () => {
    const late = { ...sending, expiresAt: NOW + 1000 };
    expect(afterAttempt(late, error, NOW, 0.5, limits)).toMatchObject({
      status: 'dead',
      endedAt: NOW,
      reason: 'Given up after 4 attempts: ECONNREFUSED.',
    });
  });

  it('is kept with when it began and what was said; the last ten of them', () => {
    let delivery = sending;
    for (let n = 1; n <= 12; n += 1) {
      delivery = { ...delivery, status: 'sending', attempt: n };
      delivery = afterAttempt(delivery, answer(500), NOW, 0, limits);
    }
    expect(delivery.attempts.map((one) => one.attempt)).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    expect(delivery.attempts[0]).toEqual({
      attempt: 3,
      at: NOW - 3,
      durationMs: 3,
      status: 500,
      error: null,
      response: '',
    });
  });

  it.each([
    [error, true],
    [answer(500), true],
    [answer(429), true],
    [answer(404), false],
    [answer(302), false],
    [answer(200), false],
  ])('%j says of its destination: trouble %s', (result, trouble) => {
    expect(isTrouble(result)).toBe(trouble);
  });
});

describe('the wait after a failure', () => {
  it('is a part of a span that doubles up to its bound', () => {
    const longest = [1, 2, 3, 4, 11, 100].map((failures) => retryDelayMs(failures, error, 1, limits));
    expect(longest).toEqual([5_000, 10_000, 20_000, 40_000, HOUR, HOUR]);
  });

  it('lies between nothing and that span, and never before what the receiver asked for within its bound', () => {
    const jitters = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 500 }),
        jitters,
        fc.nat(30 * 24 * HOUR),
        (failures, jitter, asked) => {
          const delay = retryDelayMs(failures, answer(503, asked), jitter, limits);
          const span = Math.min(5_000 * 2 ** (failures - 1), HOUR);
          const heeded = Math.min(asked, 6 * HOUR);
          expect(delay).toBeGreaterThanOrEqual(heeded);
          expect(delay).toBeLessThanOrEqual(Math.max(span, heeded));
        },
      ),
    );
  });
});
