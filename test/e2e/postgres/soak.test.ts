// Twenty seconds of `npm run soak -- postgres`.
import { describe, expect, it } from 'vitest';
import { clusterTest } from '../../soak/postgres/cluster-test.js';
import { newSeed } from '../../soak/random.js';
import { STORY_MS_MAX } from '../../support/eventually.js';
import { newMigratedDatabase } from '../../support/postgres.js';

describe('three coordinators on one PostgreSQL database', () => {
  it(
    'see all trees through, each child told of once, while they are killed, stopped and cut off',
    async () => {
      const seed = Number(process.env['SOAK_SEED'] ?? newSeed());
      console.log(`SOAK_SEED=${String(seed)}`);
      const db = await newMigratedDatabase();
      const tell = (line: string) => console.log(line);
      const report = await clusterTest({ db, seed, trees: 6, seconds: 20, tell });
      expect(report.problems).toEqual([]);
      expect(report.writes).toBeGreaterThan(report.trees * 3);
      for (const count of Object.values(report.faults)) expect(count).toBeGreaterThan(0);
    },
    STORY_MS_MAX,
  );
});
