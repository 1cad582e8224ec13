// What the events of the stream say, when the story is over, and whether it went as expected.
import { describe, expect, it } from 'vitest';
import { deviationsOf } from '../../src/demo/check.js';
import { attemptText, Progress } from '../../src/demo/progress.js';
import type { Snapshot } from '../../src/demo/snapshot.js';

const event = (name: string, data: object): any => ({ id: '1-1', event: name, data });
const run = (members: object) =>
  event('run_updated', {
    run_id: 'run_1',
    session_id: 'ses_todos',
    session_name: 'todos',
    purpose: 'work',
    status: 'running',
    error: null,
    ...members,
  });
const completion = (members: object) =>
  event('completion_updated', {
    session_id: 'ses_todos',
    state_update_status: 'pending',
    attempt: 1,
    max_attempts: 3,
    reason: null,
    released: false,
    ...members,
  });
const callback = (status: string) => event('callback_updated', { callback_id: 'cb_1', status });

describe('the progress', () => {
  it('is over when no run, no completion and no callback is under way', () => {
    const progress = new Progress();
    const over = (one: any) => (progress.apply(one), progress.isOver);
    expect(progress.isOver).toBe(false);
    expect(over(event('bookmark', {}))).toBe(false);
    expect(over(run({ status: 'pending' }))).toBe(false);
    expect(over(callback('held'))).toBe(false);
    expect(over(completion({}))).toBe(false);
    expect(over(run({ status: 'completed' }))).toBe(false);
    expect(over(completion({ released: true }))).toBe(false);
    expect(over(callback('queued'))).toBe(false);
    expect(over(callback('delivered'))).toBe(true);
  });

  it('names the prompt that a run carries', () => {
    const progress = new Progress();
    progress.apply(completion({ attempt: 2 }));
    expect(progress.apply(run({ purpose: 'state_update' }))).toEqual([
      'todos',
      'is asked to record its result: prompt 2 of 3',
    ]);
  });

  it('tells the end of a process that failed', () => {
    expect(new Progress().apply(run({ status: 'failed', error: 'exited with code 1' }))).toEqual([
      'todos',
      'its process failed: exited with code 1',
    ]);
  });

  it('tells the errors of a refused write', () => {
    const errors = [{ pointer: '/reviews/todos/total', message: 'is wrong' }];
    const attempts: any = [{ run_id: 'run_1', outcome: 'contract_failed', errors }];
    expect(attemptText({ attempts } as any, 'run_1')).toBe(
      'its write is refused: /reviews/todos/total is wrong',
    );
    expect(attemptText({ attempts } as any, 'run_2')).toBeNull();
  });
});

describe('the check', () => {
  const snapshot = (completions: Snapshot['completions']): Snapshot => ({
    sessions: [],
    runs: [],
    callbacks: [],
    completions,
    state: null,
    events: [],
  });

  it('names everything that is missing', () => {
    expect(deviationsOf(snapshot(new Map()), { healthy: false, findings: [] })).toEqual([
      'languages was never started.',
      'largest-files was never started.',
      'todos was never started.',
      'dependencies was never started.',
      'test-ratio was never started.',
      'The root has not written its summary.',
      'countersign doctor found something that must never be.',
    ]);
  });

  it('names a child that ended in another way than expected', () => {
    const reason = 'Skipped by the operator.';
    const skipped: any = { session_id: 'ses_todos', state_update_status: 'skipped', attempts: [], reason };
    const found = deviationsOf(snapshot(new Map([['todos', skipped]])), { healthy: true, findings: [] });
    expect(found).toEqual(
      expect.arrayContaining([
        'todos ended as skipped instead of completed: Skipped by the operator.',
        'todos answered its prompts with [], not with [contract_failed, recorded].',
        'The callbacks of todos are [], not one delivered.',
        '/reviews/todos is not in the final state.',
      ]),
    );
  });
});
