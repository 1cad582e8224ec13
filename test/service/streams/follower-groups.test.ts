// How followers of the same topic go on together, and one after the other.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FollowerGroups, type FollowerGroup } from '../../../src/service/streams/follower-groups.js';

describe('a group of followers', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.restoreAllMocks().useRealTimers());

  const groupOf = (count: number, closing = new AbortController().signal): FollowerGroup => {
    const groups = new FollowerGroups(closing);
    const joined = Array.from({ length: count }, () => groups.join('tree:ses_1'));
    expect(new Set(joined).size).toBe(1);
    return groups.join('tree:ses_1');
  };

  /** How many followers have had their permit after each of some moments. */
  const permitsOf = async (group: FollowerGroup, count: number, moments: readonly number[]) => {
    let had = 0;
    for (let i = 0; i < count; i += 1) void (group.acquire() ?? Promise.resolve()).then(() => (had += 1));
    const seen: number[] = [];
    let at = 0;
    for (const moment of moments) {
      await vi.advanceTimersByTimeAsync(moment - at);
      at = moment;
      seen.push(had);
    }
    return seen;
  };

  it.each([
    [2, 100],
    [400, 401],
    [5000, 1000],
  ])('of %i pauses for %i ms, all together', async (count, ms) => {
    const group = groupOf(count);
    let ended = 0;
    for (let i = 0; i < 3; i += 1) void group.pause().then(() => (ended += 1));
    await vi.advanceTimersByTimeAsync(ms - 1);
    expect(ended).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(ended).toBe(3);
    void group.pause().then(() => (ended += 1));
    await vi.advanceTimersByTimeAsync(ms);
    expect(ended).toBe(4);
  });

  it.each([
    [8, [8, 8, 8]],
    [200, [8, 16, 200]],
    [3000, [23, 46, 3000]],
  ])('of %i gives each its permit before the next pause ends', async (count, seen) => {
    const group = groupOf(count - 1);
    const pause = group.pause();
    await vi.advanceTimersByTimeAsync(1000);
    await pause;
    expect(await permitsOf(group, count, [0, 5, Math.min(count, 1000)])).toEqual(seen);
  });

  it('gives the permits of the time that has passed where a step comes late', async () => {
    const group = groupOf(199);
    const pause = group.pause();
    await vi.advanceTimersByTimeAsync(200);
    await pause;
    let now = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => now);
    const had = permitsOf(group, 200, [0, 5]);
    now = 40;
    expect(await had).toEqual([8, 68]);
  });

  it('lets all go on when the service stops', async () => {
    const closing = new AbortController();
    const group = groupOf(200, closing.signal);
    const pause = group.pause();
    const permits = Array.from({ length: 200 }, () => group.acquire());
    closing.abort();
    await Promise.all([pause, ...permits]);
  });

  it('is forgotten with its last follower', () => {
    const groups = new FollowerGroups(new AbortController().signal);
    const first = groups.join('feed');
    groups.join('feed');
    groups.leave('feed');
    expect(groups.join('feed')).toBe(first);
    groups.leave('feed');
    groups.leave('feed');
    expect(groups.join('feed')).not.toBe(first);
  });
});
