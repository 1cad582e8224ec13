// The check of one history ends, whatever its source says.
import { expect, it } from 'vitest';
import { NO_KEYS } from '../../../src/domain/evidence/check.js';
import { checkHistory, type HistorySource } from '../../../src/store/evidence/check-history.js';
import { aState } from '../records.js';

function source(oldestVersion: () => number): HistorySource & { readonly asked: () => number } {
  let asked = 0;
  return {
    evidence: NO_KEYS,
    historyOf: () => {
      asked += 1;
      return { head: aState(), compaction: { oldestVersion: oldestVersion(), signature: null } };
    },
    events: () => [],
    straySnapshots: () => [],
    archive: () => undefined,
    archiveIds: () => [],
    asked: () => asked,
  };
}
const work = { apply: () => ({}) };

it('begins again where the history was compacted meanwhile, but not without end', async () => {
  let oldest = 0;
  const compacted = source(() => (oldest += 1));
  expect((await checkHistory(compacted, 1, work))?.faults).not.toEqual([]);
  expect(compacted.asked()).toBeLessThan(50);
});

it('ends at once where nothing changes', async () => {
  const still = source(() => 1);
  expect((await checkHistory(still, 1, work))?.faults).not.toEqual([]);
  expect(still.asked()).toBe(2);
});
