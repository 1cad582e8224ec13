// Children that a runner runs, while no run of them is there: how long they are waited for.
import { describe, expect, it } from 'vitest';
import { redeliver } from '../../../src/domain/callbacks/operate.js';
import { pullCallbacks } from '../../../src/domain/callbacks/pull.js';
import { skipCompletion } from '../../../src/domain/sessions/operate.js';
import { completionAfterAbsence } from '../../../src/domain/scheduling/time-away.js';
import { stopSession } from '../../../src/domain/runs/work.js';
import { contractAt, must, sleepingRoot, World } from '../world.js';

const DAY = 24 * 60 * 60_000;

/** A child `p` that pulls, whose work has ended, and its own child `g`, which has work in line. */
function pulling(over: Parameters<World['child']>[2] = {}): World {
  const world = sleepingRoot();
  world.child('p', 'root', over, { delivery: 'pull' });
  world.work('p');
  const held = world.take('p');
  world.child('g', 'p', { mode: 'never' });
  world.work('g');
  must(world.complete(held, 'mine'));
  return world;
}

describe('a child that does not pull the callbacks that it waits for', () => {
  it('goes on without them after a day: they are dead letters, and it is asked for its result', () => {
    const world = pulling();
    world.play('g', 'seven');
    world.pass(DAY - 1);
    expect(world.callbackOf('g').status).toBe('queued');
    expect(world.completion('p')).toMatchObject({ status: 'none', dueAt: world.now + 1 });
    world.pass(1);
    expect(world.callbackOf('g')).toMatchObject({
      status: 'dead',
      reason: 'The parent did not pull it within 86400 s after its own work had ended.',
    });
    expect(world.session('p').status).toBe('finished');
    expect(world.completion('p')).toMatchObject({ status: 'pending', workOutcome: 'completed', dueAt: null });
    world.take('p');
    world.write('p', 'p', 1);
    expect(world.completion('p').status).toBe('completed');
  });

  it('waits for children at work as long as they take, and has its whole time for each that ends', () => {
    const world = pulling();
    world.child('h', 'p', { mode: 'never' });
    world.work('h');
    world.pass(world.limits.runUnclaimedMs - 1);
    world.play('g');
    const held = world.take('h');
    world.pass(1000);
    must(world.decide((unit) => pullCallbacks(unit, 'p')));
    expect(world.completion('p')).toMatchObject({ status: 'none', dueAt: null });
    must(world.complete(held));
    expect(world.completion('p').dueAt).toBe(world.now + DAY);
    must(world.decide((unit) => pullCallbacks(unit, 'p')));
    expect(world.completion('p').status).toBe('pending');
  });

  it('keeps a callback that came later for the rest of its own time', () => {
    const world = pulling();
    world.child('h', 'p', { mode: 'never' });
    world.play('g');
    world.pass(DAY - 60_000);
    world.work('h');
    world.play('h');
    world.pass(60_000);
    expect([world.callbackOf('g').status, world.callbackOf('h').status]).toEqual(['dead', 'queued']);
    expect(world.completion('p').dueAt).toBe(world.now + DAY - 60_000);
    world.pass(DAY - 60_000);
    expect(world.callbackOf('h').status).toBe('dead');
    expect(world.completion('p').status).toBe('pending');
  });

  it('has no more than its own time for a state that is awaited, once they are pulled', () => {
    const world = new World();
    world.create('root');
    world.work('root');
    world.play('root');
    world.child('p', 'root', { awaitState: true, timeoutMs: 60_000 }, { delivery: 'pull' });
    world.work('p');
    world.play('p', 'mine');
    world.child('g', 'p', { mode: 'never' });
    world.work('g');
    world.play('g');
    world.pass(60_000);
    must(world.decide((unit) => pullCallbacks(unit, 'p')));
    world.pass(60_000);
    expect(world.completion('p').status).toBe('failed');
  });

  it('begins the work that was ordered meanwhile once that is over', () => {
    const world = pulling({ mode: 'never' });
    world.play('g');
    world.pass(DAY - 1);
    world.work('p');
    world.pass(1);
    expect(world.callbackOf('g').status).toBe('dead');
    expect(world.session('p').generation).toBe(2);
    world.play('p', 'more');
    expect(world.callbackOf('p')).toMatchObject({ childGeneration: 2, outcome: 'completed' });
  });

  it.each([
    ['recorded its result', true, 'completed'],
    ['been asked once', false, 'pending'],
  ] as const)('goes on too where it has %s already', (_title, writes, status) => {
    const world = sleepingRoot();
    world.child('p', 'root', { contract: contractAt('/p') }, { delivery: 'pull' });
    world.work('p');
    world.play('p', 'mine');
    const held = world.take('p');
    world.child('g', 'p', { mode: 'never' });
    world.work('g');
    if (writes) world.write('p', 'p', 1);
    must(world.complete(held));
    world.play('g');
    world.pass(DAY - 1);
    expect(world.completion('p')).toMatchObject({ status, releasedAt: null });
    world.pass(1);
    expect(world.callbackOf('g').status).toBe('dead');
    if (writes) expect(world.callbackOf('p').status).toBe('queued');
    else expect(world.openRunsOf('p')).toMatchObject([{ purpose: 'state_update' }]);
  });

  it('is the root, which has all the time, because nobody waits for it', () => {
    const world = new World();
    world.create('root', { delivery: 'pull' });
    world.work('root');
    world.play('root');
    world.child('g', 'root', { mode: 'never' });
    world.work('g');
    world.play('g');
    world.pass(10 * DAY);
    expect(world.callbackOf('g').status).toBe('queued');
  });

  it('gets a dead letter again on request, and is timed again', () => {
    const world = pulling({ mode: 'never' });
    world.play('g');
    world.pass(DAY);
    expect(world.completion('p').releasedAt).not.toBeNull();
    must(world.decide((unit) => redeliver(unit, world.callbackOf('g').callbackId)));
    expect(must(world.decide((unit) => pullCallbacks(unit, 'p'))).callbacks).toHaveLength(1);
  });

  it('has the time in which the service was away on top', () => {
    const world = pulling();
    world.play('g');
    const away = { elapsedMs: 2 * DAY, clockShiftMs: 0 };
    world.now += 2 * DAY;
    must(world.decide((unit) => completionAfterAbsence(unit, world.session('p').sessionId, away)));
    world.pass(DAY - 1);
    expect(world.callbackOf('g').status).toBe('queued');
    world.pass(1);
    expect(world.callbackOf('g').status).toBe('dead');
  });

  it('has that time on top for each callback, also once its result is recorded', () => {
    const world = sleepingRoot();
    world.child('p', 'root', { contract: contractAt('/p') }, { delivery: 'pull' });
    world.work('p');
    world.play('p', 'mine');
    const held = world.take('p');
    for (const name of ['g', 'h']) {
      world.child(name, 'p', { mode: 'never' });
      world.work(name);
    }
    world.write('p', 'p', 1);
    must(world.complete(held));
    world.play('g');
    world.pass(60_000);
    world.play('h');
    const away = { elapsedMs: 2 * DAY, clockShiftMs: 1000 };
    world.now += 2 * DAY + 1000;
    must(world.decide((unit) => completionAfterAbsence(unit, world.session('p').sessionId, away)));
    const statuses = () => ['g', 'h'].map((name) => world.callbackOf(name).status);
    world.pass(DAY - 60_001);
    expect(statuses()).toEqual(['queued', 'queued']);
    world.pass(1);
    expect(statuses()).toEqual(['dead', 'queued']);
    world.pass(59_999);
    expect(statuses()).toEqual(['dead', 'queued']);
    world.pass(1);
    expect(statuses()).toEqual(['dead', 'dead']);
    expect(world.callbackOf('p').status).toBe('queued');
  });
});

describe('a child that is never started', () => {
  it('is lost after a day, and its parent goes on', () => {
    const world = sleepingRoot();
    world.child('p', 'root');
    world.work('p');
    const held = world.take('p');
    world.child('ghost', 'p');
    must(world.complete(held));
    world.pass(DAY - 1);
    expect(world.completion('p')).toMatchObject({ status: 'none', releasedAt: null });
    world.pass(1);
    expect(world.session('ghost').status).toBe('failed');
    expect(world.completion('ghost')).toMatchObject({
      status: 'failed',
      workOutcome: 'lost',
      workError: 'It was never started, within 86400 s.',
    });
    expect(world.openRunsOf('p')).toMatchObject([
      { purpose: 'callback', prompt: expect.stringContaining('It was never started') },
    ]);
  });

  it('is told of again where it is started later', () => {
    const world = sleepingRoot();
    world.child('ghost', 'root', { mode: 'never' });
    world.pass(DAY);
    expect(world.callbackOf('ghost').outcome).toBe('lost');
    world.work('ghost');
    expect(world.session('ghost').generation).toBe(2);
    world.play('ghost', 'late');
    expect(world.callbackOf('ghost')).toMatchObject({ outcome: 'completed', childGeneration: 2 });
  });

  it('is not one whose run waits for a runner, or that is started in time', () => {
    const world = sleepingRoot({ runUnclaimedMs: 2 * DAY });
    world.child('a', 'root');
    world.work('a');
    expect(world.completion('a').dueAt).toBeNull();
    world.child('b', 'root');
    expect(world.completion('b').dueAt).toBe(world.now + DAY);
    world.pass(DAY - 1);
    world.work('b');
    expect(world.completion('b').dueAt).toBeNull();
    world.pass(DAY / 2);
    for (const name of ['a', 'b']) {
      expect(world.completion(name)).toMatchObject({ workOutcome: null, dueAt: null });
      expect(world.openRunsOf(name)).toHaveLength(1);
    }
  });

  it('is not one that was stopped', () => {
    const world = sleepingRoot();
    world.child('a', 'root');
    must(world.decide((unit) => stopSession(unit, 'a')));
    expect(world.completion('a')).toMatchObject({ workOutcome: 'stopped', status: 'skipped', dueAt: null });
  });

  it('is told of as skipped where it was skipped', () => {
    const world = sleepingRoot();
    world.child('a', 'root');
    must(world.decide((unit) => skipCompletion(unit, 'a', 'Not needed.')));
    world.pass(DAY);
    expect(world.callbackOf('a')).toMatchObject({ outcome: 'lost', updateStatus: 'skipped' });
  });
});
