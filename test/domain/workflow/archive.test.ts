// What a history says that a compaction has archived, against what the compaction archives.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../../src/domain/json/json.js';
import { applyJsonPatch } from '../../../src/document/index.js';
import { DEFAULT_LIMITS } from '../../../src/domain/limits.js';
import { archivedBy, archivingOf, compact } from '../../../src/domain/workflow/archive.js';
import { runs } from '../../support/runs.js';

// Few values, so that invocations are often equal.
const invocation = fc.record({
  invocation_id: fc.constantFrom('a', 'b', 'c'),
  status: fc.constantFrom('in_progress', 'completed', 'failed'),
  completed_at: fc.constantFrom('2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z', null),
});

it('is the same, in the same order, also for invocations that are equal', () => {
  fc.assert(
    fc.property(fc.array(invocation, { maxLength: 9 }), fc.nat({ max: 5 }), (agent_history, keep) => {
      const before: JsonObject = { orchestrator_workflow: { agent_history, compaction_history: [] } };
      const at = '2026-01-03T00:00:00.000Z';
      const command = { operation: 'compact' as const, at, archive_id: 'arc_1', keep };
      const archiving = archivingOf(before, { form: 'workflow', payload: command });
      const operations = compact(before, command).map((one) => ({ ...one }));
      const applied = applyJsonPatch(before, operations, DEFAULT_LIMITS);
      if (!applied.ok) throw new Error(applied.failure.detail);
      const found = archivedBy(before, applied.value.document as JsonObject);
      expect(found?.invocations).toEqual(archiving?.archive.invocations);
      if (found !== null) expect(Date.parse(found.compactedAt ?? '')).toBe(archiving?.archive.createdAt);
    }),
    { numRuns: runs(200) },
  );
});
