import { describe, expect, it } from 'vitest';
import { concurrencyTest } from '../../soak/concurrency/concurrency-test.js';
import { newSeed } from '../../soak/random.js';
import { STORY_MS_MAX } from '../../support/eventually.js';

// A short one; `npm run soak -- concurrency` is the long one.
const SIZE = { seconds: 3, states: 60, writers: 50, kills: 1 };

describe('writers of every form, readers and watchers at the same time', { timeout: STORY_MS_MAX }, () => {
  it('lose nothing, and see one order of events, over a kill of the coordinator', async () => {
    const seed = Number(process.env['SOAK_SEED'] ?? newSeed());
    console.log(`SOAK_SEED=${String(seed)}`);
    const { problems, figures } = await concurrencyTest({ seed, ...SIZE });
    expect(problems).toEqual([]);
    expect(figures).toMatchObject({ kills: SIZE.kills });
    expect(figures['acknowledged writes']).toBeGreaterThan(SIZE.writers);
    expect(figures['watches taken up again']).toBeGreaterThan(0);
  });
});
