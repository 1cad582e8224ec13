// Stopping, deleting, and the pieces of work of a session.
import { describe, expect, it } from 'vitest';
import { retryCompletion, skipCompletion } from '../../../src/domain/sessions/operate.js';
import { sessionReported } from '../../../src/domain/sessions/external.js';
import { deleteSession } from '../../../src/domain/sessions/end.js';
import { stopRun, stopSession } from '../../../src/domain/runs/work.js';
import { contractAt, must, failureOf, sleepingRoot, World } from '../world.js';

const stop = (world: World, name: string) => must(world.decide((unit) => stopSession(unit, name)));

function childAsked(): World {
  const world = sleepingRoot();
  world.child('a', 'root');
  world.work('a');
  world.play('a', 'done');
  return world;
}

describe('a stopped session', () => {
  it('is told of at once where it has never worked', () => {
    const world = sleepingRoot();
    world.child('a', 'root');
    stop(world, 'a');
    expect(world.session('a').status).toBe('stopped');
    expect(world.completion('a')).toMatchObject({
      status: 'skipped',
      workOutcome: 'stopped',
      releasedAt: world.now,
    });
    expect(world.callbackOf('a')).toMatchObject({ status: 'queued', outcome: 'stopped' });
  });

  it('is told of when its run has ended, and is not asked', () => {
    const world = sleepingRoot();
    world.child('a', 'root');
    world.work('a');
    const held = world.take('a');
    world.work('a');
    stop(world, 'a');
    expect(world.openRunsOf('a').map((one) => one.status)).toEqual(['stopping']);
    expect(world.callbackOf('a').status).toBe('held');
    must(world.stopped(held));
    expect(world.session('a').status).toBe('stopped');
    expect(world.completion('a')).toMatchObject({ status: 'skipped', workOutcome: 'stopped' });
  });

  it('is not asked although its work had ended and it was waiting for its children', () => {
    const world = sleepingRoot();
    world.child('a', 'root');
    world.child('b', 'a');
    world.work('a');
    world.play('a', 'kept');
    expect(world.completion('a').status).toBe('none');
    stop(world, 'a');
    expect(world.openRunsOf('a')).toEqual([]);
    expect(world.completion('a')).toMatchObject({
      status: 'skipped',
      resultText: 'kept',
      workOutcome: 'completed',
    });
    expect(world.callbackOf('a').status).toBe('queued');
  });

  it('is not asked again while it is being asked', () => {
    const world = childAsked();
    const held = world.take('a');
    stop(world, 'a');
    must(world.stopped(held));
    expect(world.completion('a')).toMatchObject({
      status: 'skipped',
      workOutcome: 'completed',
      resultText: 'done',
    });
    expect(world.session('a').status).toBe('stopped');
  });

  it('takes the next piece of work with it', () => {
    const world = childAsked();
    const held = world.take('a');
    world.work('a');
    expect(world.completion('a', 2).status).toBe('none');
    stop(world, 'a');
    must(world.stopped(held));
    expect(world.session('a')).toMatchObject({ status: 'stopped', generation: 2 });
    expect([world.completion('a', 1), world.completion('a', 2)]).toMatchObject([
      { status: 'skipped', workOutcome: 'completed' },
      { status: 'skipped', workOutcome: 'stopped' },
    ]);
    expect(world.callbackOf('a', 2).status).toBe('queued');
  });

  it('is not found where there is none', () => {
    expect(failureOf(new World().decide((unit) => stopSession(unit, 'nobody'))).error).toBe(
      'session_not_found',
    );
  });
});

describe('the reason of a stop', () => {
  it('is told to the parent, and stands with what ended', () => {
    const world = sleepingRoot();
    world.child('a', 'root');
    world.work('a');
    const held = world.take('a');
    must(world.decide((unit) => stopSession(unit, 'a', 'It is moot.')));
    expect(must(world.stopped(held)).error).toBe('The session was stopped: It is moot.');
    expect(world.completion('a')).toMatchObject({
      workOutcome: 'stopped',
      workError: 'The session was stopped: It is moot.',
    });
    expect(world.callbackOf('a').message).toContain('The session was stopped: It is moot.');
  });

  it('is told of a session that has no run, and of a run that only waited', () => {
    const world = sleepingRoot();
    world.child('a', 'root');
    world.child('b', 'root');
    const { runId } = world.work('b');
    must(world.decide((unit) => stopSession(unit, 'a', 'It is moot.')));
    expect(world.callbackOf('a').message).toContain('The session was stopped: It is moot.');
    expect(must(world.decide((unit) => stopRun(unit, runId, 'Wrong branch.'))).error).toBe(
      'The run was stopped: Wrong branch.',
    );
    expect(world.callbackOf('b').message).toContain('The run was stopped: Wrong branch.');
  });

  it('is no error that the run had before', () => {
    const world = sleepingRoot();
    world.child('a', 'root');
    world.work('a');
    const first = world.take('a');
    must(
      world.report(first, {
        type: 'failed',
        error: 'No network.',
        cause: 'environment',
        usage: null,
        resultText: null,
        resultData: null,
      }),
    );
    world.pass(60_000);
    const again = world.take('a');
    must(world.decide((unit) => stopRun(unit, again.runId)));
    expect(must(world.stopped(again)).error).toBe('The run was stopped.');
    expect(world.completion('a').reason).toBe('The session was stopped.');
  });
});

describe('a stopped run', () => {
  it('is not found where there is none', () => {
    expect(failureOf(new World().decide((unit) => stopRun(unit, 'run_none'))).error).toBe('run_not_found');
  });

  it('that has ended, or is being stopped, stays as it is', () => {
    const world = new World();
    world.create('root');
    const { runId } = world.work('root');
    const held = world.take('root');
    must(world.decide((unit) => stopRun(unit, runId)));
    const before = world.store.written.length;
    must(world.decide((unit) => stopRun(unit, runId)));
    expect(world.store.written).toHaveLength(before);
    must(world.stopped(held));
    expect(must(world.decide((unit) => stopRun(unit, runId))).status).toBe('stopped');
  });

  it('that only waited says nothing about the work that goes on', () => {
    const world = sleepingRoot();
    world.child('a', 'root');
    world.child('b', 'a', { mode: 'never' });
    world.work('a');
    const held = world.take('a');
    const { runId } = world.work('a');
    world.work('b');
    world.play('b');
    must(world.decide((unit) => stopRun(unit, runId)));
    expect(world.session('a').status).toBe('running');
    expect(world.completion('a').workOutcome).toBeNull();
    expect(world.callbackOf('b').status).toBe('queued');
    must(world.complete(held));
    expect(world.openRunsOf('a')).toMatchObject([{ purpose: 'callback' }]);
  });
});

describe('a deleted session', () => {
  it('is refused while it has runs, or is asked', () => {
    const world = childAsked();
    expect(failureOf(world.decide((unit) => deleteSession(unit, 'a')))).toMatchObject({
      error: 'session_busy',
      members: { session_id: 'ses_a', runs: [expect.any(String)] },
    });
    expect(failureOf(world.decide((unit) => deleteSession(unit, 'nobody'))).error).toBe('session_not_found');
  });

  it('is told of to its parent, also where it was waiting for its children', () => {
    const world = sleepingRoot();
    world.child('a', 'root');
    world.child('b', 'a');
    world.work('a');
    world.play('a', 'kept');
    must(world.decide((unit) => deleteSession(unit, 'a')));
    expect(world.completion('a')).toMatchObject({
      status: 'skipped',
      releasedAt: world.now,
      resultText: 'kept',
    });
    expect(world.callbackOf('a').status).toBe('queued');
    expect(failureOf(world.decide((unit) => skipCompletion(unit, 'a', 'r'))).error).toBe('session_not_found');
  });

  it('gets no callbacks any more: they are dead letters, also where it pulled them', () => {
    for (const delivery of ['resume', 'pull'] as const) {
      const world = new World();
      world.create('root', { delivery });
      world.child('a', 'root');
      must(world.decide((unit) => deleteSession(unit, 'root')));
      stop(world, 'a');
      expect(world.callbackOf('a')).toMatchObject({
        status: 'dead',
        reason: 'The parent cannot be resumed: it is deleted.',
      });
    }
  });

  it('is not asked because a state came later', () => {
    const world = new World();
    world.create('root');
    world.child('a', 'root');
    world.work('a');
    world.play('a');
    world.giveState();
    must(world.decide((unit) => deleteSession(unit, 'a')));
    expect(world.openRunsOf('a')).toEqual([]);
    expect(world.completion('a').status).toBe('none');
  });
});

describe('a generation', () => {
  it('takes in work that comes while it is at work', () => {
    const world = sleepingRoot();
    world.child('a', 'root');
    expect([world.work('a').generation, world.work('a').generation]).toEqual([1, 1]);
  });

  it('takes in settings and a callback that are asked for on the way', () => {
    const world = sleepingRoot();
    world.create('a', { parent: 'root' });
    world.work('a', {
      callback: true,
      settings: { ...world.session('a').settings, contract: contractAt('/a') },
    });
    expect(world.callbackOf('a').status).toBe('held');
    expect(world.completion('a').settings.contract?.pointer).toBe('/a');
  });

  it('waits for the one before it, and begins when that is handed on', () => {
    const world = childAsked();
    const later = world.work('a');
    expect(later.generation).toBe(2);
    expect(world.session('a').generation).toBe(1);
    const held = world.take('a');
    world.write('a', 'a', 1);
    must(world.complete(held));
    expect(world.session('a').generation).toBe(2);
    expect(world.claim().map((one) => one.runId)).toContain(later.runId);
  });

  it('that waits takes in a callback and settings that are asked for later', () => {
    const world = sleepingRoot();
    world.create('a', { parent: 'root' });
    world.work('a');
    world.play('a');
    world.work('a');
    expect(() => world.callbackOf('a', 2)).toThrow('no callback');
    world.work('a', { callback: true, settings: { ...world.session('a').settings, attemptsMax: 1 } });
    expect(world.callbackOf('a', 2).status).toBe('held');
    expect(world.completion('a', 2).settings.attemptsMax).toBe(1);
  });

  it('has its own attempts and its own callback', () => {
    const world = childAsked();
    world.write('a', 'a', 1);
    world.fire();
    world.work('a');
    expect(world.session('a').generation).toBe(2);
    world.play('a', 'second');
    expect(world.completion('a')).toMatchObject({
      generation: 2,
      status: 'pending',
      attempt: 1,
      wrote: false,
    });
    expect([world.callbackOf('a', 1).status, world.callbackOf('a', 2).status]).toEqual(['queued', 'held']);
  });

  it('that is asked again by an operator is waited for by the next', () => {
    const world = sleepingRoot();
    world.child('a', 'root', { attemptsMax: 1 });
    world.work('a');
    world.play('a');
    world.play('a');
    expect(world.completion('a').status).toBe('failed');
    must(world.decide((unit) => retryCompletion(unit, 'a', 'again')));
    const later = world.work('a');
    expect([later.generation, world.session('a').generation]).toEqual([2, 1]);
    world.pass(world.session('a').settings.retryDelayMs);
    world.play('a');
    expect(world.session('a').generation).toBe(2);
    expect(world.claim().map((one) => one.runId)).toContain(later.runId);
  });
});

describe('an operator', () => {
  const skip = (world: World) => world.decide((unit) => skipCompletion(unit, 'a', 'not needed'));
  const retry = (world: World) => world.decide((unit) => retryCompletion(unit, 'a', 'again'));

  it('skips what is asked, and the parent hears of it', () => {
    const world = childAsked();
    expect(must(skip(world))).toMatchObject({ status: 'skipped', reason: 'not needed' });
    expect(world.callbackOf('a')).toMatchObject({ status: 'queued', updateStatus: 'skipped' });
    expect(failureOf(skip(world))).toMatchObject({
      error: 'completion_settled',
      members: { state_update_status: 'skipped' },
    });
  });

  it('skips what is under way: the parent hears of it at once, the run is stopped', () => {
    const world = childAsked();
    const held = world.take('a');
    must(skip(world));
    expect(world.heartbeat([held]).stop).toEqual([held.runId]);
    expect(world.callbackOf('a').status).toBe('queued');
    world.work('a');
    must(world.stopped(held));
    expect(world.session('a').generation).toBe(2);
    expect(world.completion('a').workOutcome).toBeNull();
  });

  it('does not skip what was handed on without a state', () => {
    const world = new World();
    world.create('root');
    world.child('a', 'root');
    world.work('a');
    world.play('a');
    expect(failureOf(skip(world)).error).toBe('completion_settled');
  });

  it('retries what has failed, and nothing is told twice', () => {
    const world = sleepingRoot();
    world.child('a', 'root', { attemptsMax: 1 });
    world.work('a');
    expect(failureOf(retry(world)).error).toBe('session_busy');
    world.play('a');
    world.play('a');
    const delivered = world.callbackOf('a');
    expect(must(retry(world))).toMatchObject({ status: 'pending', attempt: 1 });
    world.pass(world.session('a').settings.retryDelayMs);
    world.take('a');
    world.write('a', 'a', 1);
    expect(world.completion('a').status).toBe('completed');
    expect(world.callbackOf('a').queuedAt).toBe(delivered.queuedAt);
    expect(failureOf(retry(world)).error).toBe('completion_settled');
  });

  it('does not retry where there is no state to record anything in', () => {
    const world = sleepingRoot();
    world.child('a', 'root', { mode: 'never' });
    world.work('a');
    world.play('a');
    must(world.dropState());
    expect(failureOf(retry(world)).error).toBe('completion_settled');
  });
});

describe('an external session', () => {
  const say = (
    world: World,
    type: 'session_start' | 'message' | 'session_stop',
    resultText: string | null = null,
  ) =>
    world.decide((unit) =>
      sessionReported(unit, 'x', { type, resultText, resultData: null, executorSessionId: null }),
    );

  function external(): World {
    const world = sleepingRoot();
    world.child('x', 'root', { attemptsMax: 2, timeoutMs: 9_000 }, { external: true });
    return world;
  }

  it('reports for itself; one that a runner runs does not', () => {
    const world = sleepingRoot();
    world.child('x', 'root');
    expect(failureOf(say(world, 'session_stop')).error).toBe('session_not_external');
    expect(
      failureOf(
        new World().decide((unit) =>
          sessionReported(unit, 'x', {
            type: 'message',
            resultText: null,
            resultData: null,
            executorSessionId: null,
          }),
        ),
      ).error,
    ).toBe('session_not_found');
  });

  it('is handed a request when it stops, and each further stop is an attempt', () => {
    const world = external();
    must(say(world, 'session_start'));
    expect(world.session('x').status).toBe('running');
    expect(must(say(world, 'session_stop', 'seven')).request).toMatchObject({
      attempt: 1,
      of: 2,
      prompt: expect.stringContaining('<state-update-request attempt="1" of="2"'),
    });
    expect(must(say(world, 'session_stop', 'prose')).request).toMatchObject({ attempt: 2 });
    expect(must(say(world, 'session_stop'))).toMatchObject({
      status: 'failed',
      request: null,
      resultText: 'seven',
    });
    expect(world.callbackOf('x').status).toBe('queued');
  });

  it('that does not answer in time has used up an attempt', () => {
    const world = external();
    must(say(world, 'session_stop', 'seven'));
    world.pass(9_000);
    expect(world.completion('x')).toMatchObject({
      attempt: 2,
      attempts: [{ outcome: 'timed_out' }, { outcome: 'open' }],
    });
    world.pass(9_000);
    expect(world.completion('x').status).toBe('failed');
  });

  it('that has written is told of without a further word', () => {
    const world = external();
    must(say(world, 'session_stop', 'seven'));
    world.write('x', 'x', 1);
    world.fire();
    expect(world.completion('x')).toMatchObject({ status: 'completed', attempts: [{ outcome: 'recorded' }] });
    expect(world.callbackOf('x').status).toBe('queued');
  });

  it('begins a new piece of work when it starts again, but not while it is asked again', () => {
    const world = external();
    must(say(world, 'session_stop'));
    must(world.decide((unit) => skipCompletion(unit, 'x', 'r')));
    must(world.decide((unit) => retryCompletion(unit, 'x', 'r')));
    must(say(world, 'session_start'));
    expect(world.session('x').generation).toBe(1);
    world.write('x', 'x', 1);
    world.fire();
    must(say(world, 'session_start'));
    expect(world.session('x').generation).toBe(2);
  });

  it('cannot say more than is kept', () => {
    const world = external();
    const before = world.store.written.length;
    expect(failureOf(say(world, 'session_stop', 'x'.repeat(world.limits.resultBytesMax))).error).toBe(
      'limit_exceeded',
    );
    expect(world.store.written).toHaveLength(before);
  });
});
