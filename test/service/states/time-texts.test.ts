import { expect, it } from 'vitest';
import { TimeTexts } from '../../../src/service/states/time-texts.js';

it('returns the same texts as Date, before and after the cache starts again', () => {
  const times = new TimeTexts();
  for (const ms of [0, 1, 1_700_000_000_123]) expect(times.of(ms)).toBe(new Date(ms).toISOString());
  for (let ms = 0; ms < 10_000; ms += 1) times.of(ms);
  for (const ms of [0, 9_999, 1_700_000_000_123]) expect(times.of(ms)).toBe(new Date(ms).toISOString());
});
