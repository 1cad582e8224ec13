// What runners say, what they stay silent about, and what time makes of it.
import { describe, expect, it } from 'vitest';
import { retryCompletion, skipCompletion } from '../../../src/domain/sessions/operate.js';
import { DEFAULT_LIMITS } from '../../../src/domain/limits.js';
import type { Run } from '../../../src/domain/records/records.js';
import { commitWrites } from '../../../src/domain/states/write.js';
import { stopRun } from '../../../src/domain/runs/work.js';
import { completionSettings } from '../../store/records.js';
import { contractAt, must, failureOf, sleepingRoot, World, type HeldRun } from '../world.js';

function atWork(over: { timeoutMs?: number } = {}): { world: World; held: HeldRun; runId: string } {
  const world = new World();
  world.create('root');
  const { runId } = world.work('root', over);
  const [held] = world.claim();
  return { world, held: held!, runId };
}

describe('a report', () => {
  it('about a run that is not there is refused first', () => {
    const { world, held } = atWork();
    expect(failureOf(world.complete({ ...held, runId: 'run_none' })).error).toBe('run_not_found');
  });

  it.each([
    ['another attempt', { attempt: 7 }],
    ['another lease', { leaseHash: 'x' }],
    ['another runner', { runnerId: 'rnr_2' }],
  ])('of %s is refused, and writes nothing', (_who, over) => {
    const { world, held } = atWork();
    const before = world.store.written.length;
    const failure = failureOf(world.complete({ ...held, ...over }, 'stolen'));
    expect(failure).toMatchObject({ error: 'lease_lost', members: { current_attempt: 1 } });
    expect(world.store.written).toHaveLength(before);
  });

  it('of a runner that was thought dead does not end the run of its successor', () => {
    const { world, held, runId } = atWork();
    must(world.start(held));
    world.pass(world.limits.leaseMs);
    expect(world.store.runs.get(runId)).toMatchObject({ status: 'pending', attempt: 1 });
    const [successor] = world.claim();
    expect(failureOf(world.complete(held)).error).toBe('lease_lost');
    expect(must(world.complete(successor!)).status).toBe('completed');
  });

  it.each<[string, (world: World, held: HeldRun) => unknown]>([
    ['started', (world, held) => world.start(held)],
    ['completed', (world, held) => world.complete(held, 'x')],
    ['failed', (world, held) => world.fail(held)],
    ['stopped', (world, held) => world.stopped(held)],
  ])('that says %s twice gets its answer again, and writes nothing the second time', (_what, say) => {
    const { world, held } = atWork();
    const first = say(world, held);
    const before = world.store.written.length;
    const again = say(world, held);
    expect(world.store.written).toHaveLength(before);
    expect((again as { value: { status: string } }).value.status).toBe(
      (first as { value: { status: string } }).value.status,
    );
  });

  it('of the start makes the session run, where it runs', () => {
    const { world, held } = atWork();
    must(world.report(held, { type: 'started', executorType: 'command', executorSessionId: 'native-7' }));
    expect(world.session('root')).toMatchObject({
      status: 'running',
      hostname: 'host-a',
      executorType: 'command',
      executorSessionId: 'native-7',
    });
  });

  it.each([
    ['completed', (world: World, held: HeldRun) => world.complete(held), 'finished'],
    ['failed', (world: World, held: HeldRun) => world.fail(held), 'failed'],
    ['stopped', (world: World, held: HeldRun) => world.stopped(held), 'stopped'],
  ] as const)('of a run that %s leaves the session so', (_what, say, status) => {
    const { world, held } = atWork();
    must(world.start(held));
    say(world, held);
    expect(world.session('root').status).toBe(status);
  });

  it('of surroundings that failed has the run tried again a little later, some times', () => {
    const { world, held, runId } = atWork();
    must(world.fail(held, 'rate_limit', 'Too many requests.'));
    expect(world.store.runs.get(runId)).toMatchObject({
      status: 'pending',
      availableAt: world.now + world.limits.environmentBackoffMs,
    });
    expect(world.claim()).toEqual([]);
    world.pass(world.limits.environmentBackoffMs);
    must(world.fail(world.claim()[0]!, 'environment'));
    world.pass(2 * world.limits.environmentBackoffMs);
    must(world.fail(world.claim()[0]!, 'environment', 'No disk.'));
    expect(world.store.runs.get(runId)).toMatchObject({
      status: 'failed',
      attempt: 3,
      error: 'No disk.',
      cause: 'environment',
    });
  });

  it('of a text that is too large keeps as much as is allowed', () => {
    const world = new World({ resultBytesMax: 100 });
    world.create('root');
    world.work('root');
    must(world.complete(world.take('root'), 'x'.repeat(500)));
    expect(world.completion('root').resultText?.length).toBeLessThan(200);
  });

  it('is refused with data that is too large, and may come without it', () => {
    const world = new World({ resultBytesMax: 100 });
    world.create('root');
    world.work('root');
    const held = world.take('root');
    const { error, members } = failureOf(world.complete(held, 'done', 'y'.repeat(99)));
    expect([error, members]).toEqual([
      'limit_exceeded',
      { limit: 'resultBytesMax', maximum: 100, actual: 101 },
    ]);
    must(world.complete(held, 'done', 'y'.repeat(98)));
    expect(world.completion('root')).toMatchObject({ resultText: 'done', resultData: 'y'.repeat(98) });
  });
});

describe('time', () => {
  it('takes a run from a runner that is silent, and gives it up after the allowed tries', () => {
    const { world, runId } = atWork();
    for (const attempt of [2, 3]) {
      world.pass(world.limits.leaseMs);
      expect(world.claim()).toMatchObject([{ attempt }]);
    }
    world.pass(world.limits.leaseMs);
    expect(world.store.runs.get(runId)).toMatchObject({
      status: 'failed',
      cause: 'environment',
      error: 'The runner was lost, 3 times.',
    });
  });

  it('leaves a run to a runner that gives signs of life', () => {
    const { world, held, runId } = atWork();
    for (let beats = 0; beats < 10; beats += 1) {
      world.pass(world.limits.leaseMs - 1);
      expect(world.heartbeat([held])).toEqual({ lost: [], stop: [] });
    }
    expect(world.store.runs.get(runId)?.status).toBe('claimed');
  });

  it('tells a runner what it has lost and what it has to stop', () => {
    const { world, held, runId } = atWork({ timeoutMs: 10_000 });
    must(world.start(held));
    world.pass(10_000);
    expect(world.heartbeat([held, { ...held, runId: 'run_none' }, { ...held, attempt: 9 }])).toEqual({
      lost: ['run_none', runId],
      stop: [runId],
    });
  });

  it('ends a run that takes too long, even where its runner does not obey', () => {
    const obeyed = atWork({ timeoutMs: 10_000 });
    must(obeyed.world.start(obeyed.held));
    obeyed.world.pass(10_000);
    expect(obeyed.world.store.runs.get(obeyed.runId)).toMatchObject({
      status: 'stopping',
      stopReason: 'timeout',
    });
    expect(must(obeyed.world.stopped(obeyed.held))).toMatchObject({ status: 'timed_out' });
    expect(obeyed.world.completion('root').workOutcome).toBe('timed_out');
    const ignored = atWork({ timeoutMs: 10_000 });
    must(ignored.world.start(ignored.held));
    ignored.world.pass(10_000);
    ignored.world.heartbeat([ignored.held]);
    ignored.world.pass(ignored.world.limits.leaseMs);
    expect(ignored.world.store.runs.get(ignored.runId)?.status).toBe('timed_out');
  });

  it('gives up a run that no runner takes', () => {
    const world = new World();
    world.create('root');
    const { runId } = world.work('root');
    world.pass(world.limits.runUnclaimedMs - 1);
    expect(world.store.runs.get(runId)?.status).toBe('pending');
    world.pass(1);
    expect(world.store.runs.get(runId)).toMatchObject({ status: 'failed', cause: 'environment' });
  });

  it('does not give up a run that only waits for another of its session', () => {
    const { world, held } = atWork();
    must(world.start(held));
    const { runId } = world.work('root');
    for (let beats = 0; beats < 100; beats += 1) {
      world.pass(world.limits.leaseMs - 1);
      world.heartbeat([held]);
    }
    expect(world.session('root').status).toBe('running');
    must(world.complete(held));
    expect(world.store.runs.get(runId)).toMatchObject({
      status: 'pending',
      dueAt: world.now + world.limits.runUnclaimedMs,
    });
    world.play('root');
    expect(world.store.runs.get(runId)?.status).toBe('completed');
  });
});

describe('a state update run', () => {
  function asked() {
    const world = sleepingRoot();
    world.child('a', 'root');
    world.work('a');
    world.play('a', 'done');
    return world;
  }

  it('whose runner is lost is asked again without counting against the child', () => {
    const world = asked();
    world.take('a');
    world.pass(world.limits.leaseMs);
    expect(world.session('a').status).toBe('finished');
    world.write('a', 'a', 1);
    world.fire();
    expect(world.completion('a')).toMatchObject({ status: 'completed', attempt: 1 });
  });

  it('whose runner is lost after the child has written is not run again', () => {
    const world = asked();
    world.take('a');
    world.write('a', 'a', 1);
    world.pass(world.limits.leaseMs);
    expect(world.openRunsOf('a')).toEqual([]);
    expect(world.completion('a').releasedAt).not.toBeNull();
  });

  it.each([
    ['the agent', 'agent', 1, 'agent_failed'],
    ['the provider', 'rate_limit', 0, 'environment'],
    ['the surroundings', 'environment', 0, 'environment'],
  ] as const)('that %s fails counts as %s: %i attempt', (_who, cause, counted, outcome) => {
    const world = asked();
    must(world.fail(world.take('a'), cause));
    const { attempt, attempts } = world.completion('a');
    expect([attempt - 1, attempts[0]?.outcome]).toEqual([counted, outcome]);
  });

  it('that a runner ends unasked does not count against the child', () => {
    const world = asked();
    must(world.stopped(world.take('a')));
    expect(world.completion('a')).toMatchObject({ status: 'pending', attempt: 1, environmentRetries: 1 });
  });

  it('that was cancelled ends at a later generation, which begins then', () => {
    const world = sleepingRoot();
    world.child('a', 'root', { contract: contractAt('/a') });
    world.work('a');
    world.play('a');
    const held = world.take('a');
    const next = world.work('a');
    const { generation } = world.completion('a');
    const skipped = must(world.decide((unit) => skipCompletion(unit, 'a', 'Enough.')));
    expect(skipped).toMatchObject({ generation, status: 'skipped', reason: 'Enough.' });
    expect(world.session('a')).toMatchObject({ status: 'running', generation: generation + 1 });
    must(world.stopped(held));
    expect(world.session('a').status).toBe('finished');
    expect(world.openRunsOf('a')).toMatchObject([{ runId: next.runId, status: 'pending' }]);
  });

  it('that writes at a later generation writes late, and that generation is asked for its own', () => {
    const world = sleepingRoot();
    world.child('a', 'root', { contract: contractAt('/a'), attemptsMax: 1 });
    world.work('a');
    const first = world.take('a');
    must(world.complete(first));
    world.play('a');
    world.work('a');
    world.play('a');
    const asked = world.take('a');
    const [head] = world.store.states.values();
    const write = (runId: string) => {
      const prepared = world.prepared('a', 'a', 1);
      const writer = { ...prepared.writer, runId };
      return must(
        world.decide((unit) => {
          const now = world.store.states.get(head!.stateId)!;
          return commitWrites(unit, now.stateId, now, [{ write: { ...prepared, writer } }]);
        }),
      ).events;
    };
    expect(write(first.runId)).toMatchObject([{ late: true }]);
    expect(world.completion('a')).toMatchObject({ status: 'pending', wrote: false });
    expect(write(asked.runId)).toMatchObject([{ late: false }]);
    expect(world.completion('a')).toMatchObject({ status: 'completed', wrote: true });
  });

  it('that is stopped keeps what it had spent', () => {
    const world = asked();
    const held = world.take('a');
    must(world.decide((unit) => stopRun(unit, held.runId)));
    const usage = { input_tokens: 7 };
    const run = must(world.report(held, { type: 'stopped', resultText: null, resultData: null, usage }));
    expect(run).toMatchObject({ status: 'stopped', usage });
  });

  it('that an operator stops stops the session, which is not asked again', () => {
    const world = asked();
    const held = world.take('a');
    must(world.decide((unit) => stopRun(unit, held.runId)));
    must(world.stopped(held));
    expect(world.session('a').status).toBe('stopped');
    expect(world.completion('a')).toMatchObject({ status: 'skipped', reason: 'The session was stopped.' });
    expect(world.callbackOf('a').status).not.toBe('held');
  });

  it('is bounded by the time agreed', () => {
    const world = sleepingRoot();
    world.child('a', 'root', completionSettings({ timeoutMs: 7_000, attemptsMax: 1 }));
    world.work('a');
    world.play('a');
    const held = world.take('a');
    world.pass(7_000);
    must(world.stopped(held));
    expect(world.completion('a')).toMatchObject({ status: 'failed', attempts: [{ outcome: 'timed_out' }] });
  });

  const { leaseMs } = DEFAULT_LIMITS;
  it.each<[string, number[], number, Partial<Run>, string]>([
    ['the runner is lost long before', [], 2 * leaseMs, { status: 'pending', attempt: 1 }, 'open'],
    ['the runner is lost just before', [], leaseMs - 1, { status: 'pending', attempt: 1 }, 'open'],
    ['the last sign of life was just before', [leaseMs - 2], leaseMs, { status: 'pending' }, 'open'],
    [
      'the runner lives, and does not end it',
      [leaseMs - 1, leaseMs + 9],
      leaseMs,
      { status: 'timed_out' },
      'timed_out',
    ],
  ])('whose time goes by, where %s', (_what, beats, timeoutMs, expected, outcome) => {
    const world = sleepingRoot();
    world.child('a', 'root', completionSettings({ timeoutMs, attemptsMax: 1 }));
    world.work('a');
    world.play('a');
    const from = world.now;
    const held = world.take('a');
    for (const beat of beats) {
      world.pass(from + beat - world.now);
      world.heartbeat([held]);
    }
    world.pass(from + 2 * leaseMs - world.now);
    expect(world.store.runs.get(held.runId)).toMatchObject(expected);
    expect(world.completion('a').attempts).toMatchObject([{ outcome }]);
  });

  it('whose runner is lost every time as its time goes by is given up by the bound on its surroundings', () => {
    const world = sleepingRoot();
    world.child('a', 'root', completionSettings({ timeoutMs: 7_000 }));
    world.work('a');
    world.play('a');
    for (let taken = 0; world.completion('a').status === 'pending'; taken += 1) {
      if (taken > 100) throw new Error('it is asked for ever');
      world.take('a');
      world.pass(DEFAULT_LIMITS.leaseMs);
      if (world.openRunsOf('a').length > 0) world.pass(DEFAULT_LIMITS.environmentBackoffMsMax);
    }
    expect(world.completion('a')).toMatchObject({ status: 'failed', attempt: 0 });
    expect(world.completion('a').reason).toContain('The runner was lost, 3 times.');
    expect(world.callbackOf('a').status).not.toBe('held');
  });

  /** A child that is asked for its result, as the time of the run that asks it goes by. */
  function outOfTime() {
    const world = sleepingRoot();
    world.child('a', 'root', completionSettings({ timeoutMs: 7_000 }));
    world.work('a');
    world.play('a');
    const { runId } = world.take('a');
    world.pass(7_000);
    return { world, runId };
  }

  it('whose runner is lost as its time goes by is not run again where an operator has stopped it', () => {
    const { world, runId } = outOfTime();
    must(world.decide((unit) => stopRun(unit, runId)));
    world.pass(DEFAULT_LIMITS.leaseMs);
    expect(world.store.runs.get(runId)?.status).toBe('stopped');
    expect(world.completion('a').status).toBe('skipped');
  });

  it('that an operator asks for anew is not run again in the place of the new one', () => {
    const { world, runId } = outOfTime();
    must(world.decide((unit) => retryCompletion(unit, 'a', 'operator')));
    world.pass(DEFAULT_LIMITS.leaseMs);
    expect(world.store.runs.get(runId)?.status).toBe('failed');
    expect(world.completion('a').attempts).toMatchObject([{ outcome: 'cancelled' }, { outcome: 'open' }]);
  });

  it('that went by because its surroundings failed spends no attempt', () => {
    const world = sleepingRoot();
    world.child('a', 'root', completionSettings({ timeoutMs: 7_000, attemptsMax: 1 }));
    world.work('a');
    world.play('a');
    const held = world.take('a');
    world.pass(7_000);
    must(world.fail(held, 'environment', 'the model is away'));
    expect(world.completion('a')).toMatchObject({
      status: 'pending',
      attempt: 1,
      environmentRetries: 1,
      attempts: [{ outcome: 'environment' }, { outcome: 'open' }],
    });
  });
});
