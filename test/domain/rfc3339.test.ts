import { expect, test } from 'vitest';
import { timeOf } from '../../src/domain/rfc3339.js';

test.each([
  ['2026-01-31T09:30:00Z', '2026-01-31T09:30:00.000Z'],
  ['2026-01-31t10:30:00.123456+01:00', '2026-01-31T09:30:00.123Z'],
  ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
  ['2016-12-31T15:59:60.75-08:00', '2017-01-01T00:00:00.000Z'],
  ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
])('%s is the time %s', (text, time) => {
  expect(new Date(timeOf(text) ?? Number.NaN).toISOString()).toBe(time);
});

test.each(['', 'yesterday', '2026-01-31T09:30:00+02', '2026-02-31T09:61:60Z'])('%j is no time', (text) => {
  expect(timeOf(text)).toBeNull();
});
