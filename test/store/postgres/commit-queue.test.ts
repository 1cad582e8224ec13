// Which of the waiting requests share a commit.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Request } from '../../../src/store/request.js';
import { CommitQueue } from '../../../src/store/postgres/writes/commits/commit-queue.js';

const COMMIT_MS = 5;

describe('the queue of commits', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Runs callers, each of whom sends its second request `awayMs` after the answer to the first. @returns The sizes of the commits. */
  async function sizes(isShared: boolean, callers: number, awayMs: (caller: number) => number) {
    const found: number[] = [];
    const queue = new CommitQueue({
      committer: {
        isShared,
        keysOf: () => new Set<string>(),
        run: async (group) => {
          found.push(group.length);
          await new Promise((resolve) => setTimeout(resolve, COMMIT_MS));
          return group.map(() => ({ ok: true, changes: [] }));
        },
      },
      limits: { groupRequestsMax: 100, commitsAtOnceMax: 4 },
      onCommitted: () => undefined,
    });
    const add = (answer: () => void) => {
      const decide = () => ({ changes: [], value: null });
      const request: Request = { loads: [], decide, since: 0, answer };
      queue.add(request, true);
    };
    for (let caller = 0; caller < callers; caller += 1) {
      add(() => setTimeout(() => add(() => undefined), awayMs(caller)));
    }
    await vi.advanceTimersByTimeAsync(100);
    await queue.idle();
    return found;
  }

  it('waits beside other coordinators until the callers of the commit before have come back', async () => {
    expect(await sizes(true, 8, (caller) => caller / 4)).toEqual([8, 8]);
  });

  it('does not wait for those who do not come back', async () => {
    const found = await sizes(true, 8, (caller) => (caller < 4 ? 1 : 50));
    expect(found.slice(0, 2)).toEqual([8, 4]);
  });

  it('does not wait for a few', async () => {
    expect(await sizes(true, 2, (caller) => 1 + caller)).toEqual([2, 1, 1]);
  });

  it('does not wait where no other coordinator is', async () => {
    expect(await sizes(false, 8, (caller) => (caller === 0 ? 0 : 2))).toEqual([8, 1, 7]);
  });
});
