import { describe, expect, it } from 'vitest';
import { crashTest } from '../../soak/crash-test.js';
import { newSeed } from '../../soak/random.js';

const KILLS = 10;

describe('trees of all kinds of children', () => {
  it('come to their ends, each told once and nothing lost, whoever is killed meanwhile', async () => {
    const seed = Number(process.env['SOAK_SEED'] ?? newSeed());
    console.log(`SOAK_SEED=${String(seed)}`);
    const report = await crashTest({ seed, kills: KILLS, tell: (line) => console.log(line) });
    expect(report.problems).toEqual([]);
    expect(report.kills.coordinator + report.kills.runner).toBe(KILLS);
    expect(report.writes).toBeGreaterThan(report.scenarios * 30);
  }, 120_000);
});
