import { describe, expect, it } from 'vitest';
import { RandomIds } from '../../src/main/clock.js';

function idsAt(times: readonly number[]): readonly string[] {
  let ms = 0;
  const ids = new RandomIds({ now: () => ms });
  return times.map((time) => {
    ms = time;
    return ids.newId('ses');
  });
}

describe('an id', () => {
  it('is a prefix, eight characters of time and sixteen random ones', () => {
    expect(idsAt([Date.UTC(2026, 0, 1)])[0]).toMatch(/^ses_[0-9a-hjkmnp-tv-z]{24}$/);
  });

  it('comes after the ids of earlier times, in the order of code units', () => {
    const times = [
      0,
      4,
      127,
      128,
      4096,
      Date.UTC(2026, 0, 1),
      Date.UTC(2026, 0, 1, 0, 0, 0, 4),
      Date.UTC(2108, 0, 1),
    ];
    const ids = idsAt(times);
    expect(ids.toSorted()).toEqual(ids);
  });

  it('differs from all others of the same time', () => {
    const ids = idsAt(Array.from({ length: 1000 }, () => 1));
    expect(new Set(ids).size).toBe(1000);
    expect(new Set(ids.map((id) => id.slice(0, 'ses_'.length + 8))).size).toBe(1);
  });
});
