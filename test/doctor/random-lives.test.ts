// The doctor on a database that only the service has written, through all that sessions can come to.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { must, openHarness, type Harness } from '../service/harness.js';
import { live } from './lifecycles.js';

/** With fewer, not every status occurs. */
const LIVES = 500;

const findings = async (harness: Harness) => must(await harness.operator.operations.doctor()).findings;

/** Which statuses the records of these tables have come to. */
function statuses(harness: Harness): Record<string, string[]> {
  const tables: [string, { status?: string }[]][] = JSON.parse(harness.dump());
  const seen = tables
    .filter(([table]) => ['sessions', 'completions', 'runs', 'callbacks'].includes(table))
    .map(([table, rows]) => [table, [...new Set(rows.map((row) => String(row.status)))].sort()] as const);
  return Object.fromEntries(seen);
}

describe('a database that only the service has written', () => {
  let harness: Harness;
  beforeAll(async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    harness = await openHarness({ tickMs: 1000 });
  });
  afterAll(async () => {
    await harness.close();
    vi.restoreAllMocks();
  });

  it('is clean after many random lives, and after a restart', async () => {
    await live(harness, 1, LIVES);
    await harness.restart();
    expect(await findings(harness)).toEqual([]);
    await live(harness, 2, LIVES);
    await harness.pass(1);
    expect(await findings(harness)).toEqual([]);
    expect(statuses(harness)).toMatchObject({
      sessions: expect.arrayContaining(['failed', 'finished', 'pending', 'running', 'stopped']),
      completions: expect.arrayContaining(['completed', 'failed', 'none', 'pending', 'skipped']),
      runs: expect.arrayContaining(['completed', 'failed', 'pending', 'stopped']),
      callbacks: expect.arrayContaining(['acknowledged', 'dead', 'delivered', 'held', 'queued']),
    });
  }, 120_000);
});
