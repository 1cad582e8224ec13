import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/main/clock.js';
import { openCoordinatorStore } from '../../../src/store/index.js';
import { newSeed } from '../../soak/random.js';
import { runs } from '../../support/runs.js';
import { silent } from '../../support/coordinator.js';
import { newMigratedDatabase } from '../../support/postgres.js';
import { problemsIn, workAtRandom } from '../random-work.js';

const ROUNDS = runs(4);

const open = (db: string) =>
  openCoordinatorStore({ db, keys: null, clock: systemClock, logger: silent, onError: () => undefined });

describe('what the PostgreSQL store has in memory', () => {
  it.each([1, 2])('is what is in the database, with %i at work', async (coordinators) => {
    const db = await newMigratedDatabase();
    const opened = await Promise.all(Array.from({ length: coordinators }, () => open(db)));
    const stores = opened.map(({ store }) => store);
    const seed = newSeed();
    try {
      for (let round = 0; round < ROUNDS; round += 1) {
        const errors = await workAtRandom(stores, seed + round);
        const fresh = await open(db);
        const problems = await problemsIn(stores, fresh.store);
        await fresh.close();
        expect({ seed, round, errors, problems }).toEqual({ seed, round, errors: [], problems: [] });
      }
    } finally {
      await Promise.all(opened.map((one) => one.close()));
    }
  });
});
