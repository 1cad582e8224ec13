// Any events in any order: what never happens, and what always does in the end.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CompletionEvent } from '../../../src/domain/completion/events.js';
import type { Completion, CompletionStatus } from '../../../src/domain/records/records.js';
import { CHILD, Machine, updateEnded, workEnded, WRONG } from './machine-driver.js';
import { runs } from '../../support/runs.js';

const situation = fc.record({
  hasState: fc.boolean(),
  isRoot: fc.boolean(),
  awaitsCallbacks: fc.boolean(),
  contractViolations: fc.constantFrom(
    () => [],
    () => [WRONG],
  ),
});

const event: fc.Arbitrary<CompletionEvent> = fc.oneof(
  fc.record({
    type: fc.constant('work_ended' as const),
    outcome: fc.constantFrom(
      'completed' as const,
      'failed' as const,
      'stopped' as const,
      'timed_out' as const,
    ),
    resultText: fc.constantFrom(null, 'text'),
    resultData: fc.constantFrom(null, 7),
    error: fc.constantFrom(null, 'error'),
    cause: fc.constantFrom(null, 'agent' as const, 'configuration' as const, 'prompt_too_long' as const),
  }),
  { weight: 3, arbitrary: situation.map((one): CompletionEvent => ({ type: 'idle', situation: one })) },
  { weight: 2, arbitrary: fc.constant<CompletionEvent>({ type: 'idle', situation: CHILD }) },
  fc.record({
    type: fc.constant('written' as const),
    by: fc.constant('child'),
    version: fc.integer({ min: 2, max: 99 }),
    patch: fc.constant([]),
    changesAt: fc.constantFrom(
      () => false,
      () => true,
    ),
    valueHashAt: fc.constant(() => 'hash'),
    contractViolations: fc.constantFrom([], [WRONG]),
  }),
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('update_ended' as const),
      how: fc.constantFrom(
        'ended' as const,
        'agent_failed' as const,
        'timed_out' as const,
        'environment' as const,
        'configuration' as const,
        'prompt_too_long' as const,
        'cancelled' as const,
      ),
      error: fc.constantFrom(null, 'error'),
    }),
  },
  fc.constantFrom<CompletionEvent>(
    { type: 'work_began' },
    { type: 'write_refused', violations: [WRONG] },
    { type: 'update_requested', runId: 'run_stray', prompt: null },
    { type: 'skip', reason: 'r' },
    { type: 'retry', reason: 'r' },
    { type: 'circuit_open', fingerprint: 'f', reason: 'r' },
    { type: 'contract_changed', by: 'other', version: 5, violations: [WRONG] },
    { type: 'contract_changed', by: null, version: 6, violations: [] },
    { type: 'state_deleted' },
  ),
);

const MOVES: Readonly<Record<CompletionStatus, readonly CompletionStatus[]>> = {
  none: ['none', 'pending', 'completed', 'failed', 'skipped'],
  pending: ['pending', 'completed', 'failed', 'skipped'],
  completed: ['completed'],
  failed: ['failed', 'pending'],
  skipped: ['skipped', 'pending'],
};

const playing = fc.record({
  external: fc.boolean(),
  settings: fc.record({
    mode: fc.constantFrom('always' as const, 'unless_satisfied' as const, 'never' as const),
    attemptsMax: fc.integer({ min: 1, max: 3 }),
  }),
  limits: fc.record({ environmentRetriesMax: fc.integer({ min: 0, max: 2 }) }),
});

const events = fc.array(event, { maxLength: 40, size: 'max' });

function check(before: Completion, after: Completion, how: CompletionEvent, released: boolean): void {
  expect(MOVES[before.status]).toContain(after.status);
  if (before.status === 'failed' || before.status === 'skipped')
    expect(after.status === before.status || how.type === 'retry').toBe(true);
  if (before.releasedAt !== null) expect([after.releasedAt, released]).toEqual([before.releasedAt, false]);
  expect(released).toBe(before.releasedAt === null && after.releasedAt !== null);
  if (released) expect([after.status === 'pending', after.workOutcome === null]).toEqual([false, false]);
  expect(after.attempts.filter((one) => one.outcome === 'open').length).toBeLessThanOrEqual(1);
  expect(after.attempt).toBeGreaterThanOrEqual(0);
  expect(after.attempt).toBeLessThanOrEqual(after.settings.attemptsMax);
  if (how.type !== 'work_ended')
    expect([after.resultText, after.resultData]).toEqual([before.resultText, before.resultData]);
  // During the work, `dueAt` is the time at which the session counts as lost, whatever the status.
  if (after.dueAt !== null && after.workOutcome !== null)
    expect(['pending', 'completed']).toContain(after.status);
}

describe('the completion machine, whatever happens', () => {
  it('keeps its promises', () => {
    fc.assert(
      fc.property(playing, events, (how, happening) => {
        const machine = new Machine(how);
        for (const one of happening) {
          const before = machine.completion;
          const effects = machine.play(one);
          check(
            before,
            machine.completion,
            one,
            effects.some((effect) => effect.type === 'queue_callback'),
          );
        }
        expect(machine.releases).toBeLessThanOrEqual(1);
      }),
      { numRuns: runs(500) },
    );
  });

  it('releases in the end, once the faults stop', () => {
    fc.assert(
      fc.property(playing, events, (how, happening) => {
        const machine = new Machine(how);
        machine.play(...happening);
        if (machine.completion.workOutcome === null) machine.play(workEnded());
        for (let rounds = 0; rounds < 10; rounds += 1)
          machine.play({ type: 'idle', situation: CHILD }, updateEnded('ended'));
        expect(machine.releases).toBe(1);
        expect(['none', 'completed', 'failed', 'skipped']).toContain(machine.completion.status);
      }),
      { numRuns: runs(500) },
    );
  });
});
