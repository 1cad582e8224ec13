// How a parent hears of its children.
import { describe, expect, it } from 'vitest';
import { acknowledge, redeliver } from '../../../src/domain/callbacks/operate.js';
import { pullCallbacks, type PullOptions } from '../../../src/domain/callbacks/pull.js';
import { retryCompletion } from '../../../src/domain/sessions/operate.js';
import { stopRun, stopSession } from '../../../src/domain/runs/work.js';
import { must, failureOf, sleepingRoot, World, type HeldRun } from '../world.js';

/** A child that is told of as soon as its work ends. */
function quick(world: World, name: string, parent = 'root'): void {
  world.child(name, parent, { mode: 'never' });
  world.work(name);
}

describe('a callback', () => {
  it('resumes a parent that sleeps', () => {
    const world = sleepingRoot();
    quick(world, 'a');
    world.play('a', 'seven');
    const [resume] = world.openRunsOf('root');
    expect(resume).toMatchObject({
      purpose: 'callback',
      type: 'resume_session',
      generation: 2,
      prompt: expect.stringContaining('seven'),
      metadata: {
        callback_source: 'a',
        state_update_status: 'skipped',
        callback_sources: ['a'],
        callback_ids: [world.callbackOf('a').callbackId],
      },
    });
    expect(world.callbackOf('a').status).toBe('queued');
    world.take('root');
    expect(world.callbackOf('a')).toMatchObject({ status: 'delivered', deliveredAt: world.now });
  });

  it('waits for a parent that is busy, and then goes together with the others', () => {
    const world = sleepingRoot();
    world.work('root');
    const held = world.take('root');
    for (const name of ['a', 'b']) {
      quick(world, name);
      world.play(name);
    }
    expect(world.openRunsOf('root')).toHaveLength(1);
    must(world.complete(held));
    expect(world.openRunsOf('root')).toMatchObject([{ metadata: { callback_sources: ['a', 'b'] } }]);
  });

  it('joins the resume that waits already', () => {
    const world = sleepingRoot();
    for (const name of ['a', 'b']) quick(world, name);
    const [a, b] = [world.take('a'), world.take('b')];
    must(world.complete(a));
    must(world.complete(b));
    const [resume, ...others] = world.openRunsOf('root');
    expect(others).toEqual([]);
    expect(resume?.prompt.match(/<agent-callback /g)).toHaveLength(2);
  });

  it('is sent when the run that it waited for is taken back and not needed any more', () => {
    const world = sleepingRoot();
    world.child('p', 'root');
    world.work('p');
    world.play('p', 'mine');
    world.take('p');
    quick(world, 'a', 'p');
    world.play('a');
    expect(world.callbackOf('a')).toMatchObject({ status: 'queued', runId: null });
    world.pass(world.limits.leaseMs);
    expect(world.openRunsOf('p')).toMatchObject([{ purpose: 'state_update', status: 'pending' }]);
    must(world.decide((unit) => retryCompletion(unit, 'p', 'again')));
    expect(world.openRunsOf('p')).toMatchObject([{ purpose: 'callback' }]);
    expect(world.callbackOf('a').runId).not.toBeNull();
  });

  it.each([
    ['for its characters', 'x'.repeat(700), 1_000],
    ['for its bytes', '\u6f22'.repeat(700), 2_600],
  ])('that does not fit into the prompt %s is sent with the next', (_case, text, promptBytesMax) => {
    const world = sleepingRoot({ promptBytesMax });
    for (const name of ['a', 'b']) quick(world, name);
    for (const held of [world.take('a'), world.take('b')]) must(world.complete(held, text));
    expect(world.openRunsOf('root')).toMatchObject([{ metadata: { callback_sources: ['a'] } }]);
    world.play('root');
    expect(world.openRunsOf('root')).toMatchObject([{ metadata: { callback_sources: ['b'] } }]);
  });

  it.each([
    ['stopped', (world: World) => must(world.decide((unit) => stopSession(unit, 'root')))],
    ['failed', (world: World) => (world.work('root'), must(world.fail(world.take('root'))))],
  ])('to a parent that is %s is a dead letter', (status, end) => {
    const world = sleepingRoot();
    quick(world, 'a');
    end(world);
    world.play('a');
    expect(world.callbackOf('a')).toMatchObject({
      status: 'dead',
      reason: `The parent cannot be resumed: it is ${status}.`,
    });
  });

  it('to a parent that failed waits where somebody has woken it', () => {
    const world = sleepingRoot();
    quick(world, 'a');
    const held = world.take('a');
    world.work('root');
    must(world.fail(world.take('root')));
    world.work('root');
    must(world.complete(held));
    expect(world.callbackOf('a').status).toBe('queued');
    world.play('root');
    expect(world.openRunsOf('root')).toMatchObject([{ purpose: 'callback' }]);
  });

  it('whose run nobody takes is a dead letter, and the work of the parent keeps its outcome', () => {
    const world = sleepingRoot();
    world.child('p', 'root');
    quick(world, 'a', 'p');
    world.work('p');
    for (const held of world.claim()) must(world.complete(held, 'mine'));
    world.pass(world.limits.runUnclaimedMs);
    expect(world.callbackOf('a')).toMatchObject({
      status: 'dead',
      reason: 'No runner that fits took the run in time.',
    });
    expect(world.completion('p')).toMatchObject({
      status: 'pending',
      workOutcome: 'completed',
      resultText: 'mine',
    });
    expect(world.session('p').status).toBe('finished');
  });

  it('whose run was lost is carried again by the same run', () => {
    const world = sleepingRoot();
    quick(world, 'a');
    world.play('a');
    const held = world.take('root');
    world.pass(world.limits.leaseMs);
    expect(world.callbackOf('a')).toMatchObject({ status: 'queued', runId: held.runId });
    world.take('root');
    expect(world.callbackOf('a').status).toBe('delivered');
  });

  it('whose run was taken out of the line is a dead letter', () => {
    const world = sleepingRoot();
    quick(world, 'a');
    world.play('a');
    must(world.decide((unit) => stopRun(unit, world.openRunsOf('root')[0]!.runId)));
    expect(world.callbackOf('a')).toMatchObject({ status: 'dead', reason: 'The run was stopped.' });
  });

  it('is delivered where its run completed although its start was not reported', () => {
    const world = sleepingRoot();
    quick(world, 'a');
    world.play('a');
    must(world.complete(world.claim()[0]!));
    expect(world.callbackOf('a').status).toBe('delivered');
  });

  it('of a child is held until its own children have been told of', () => {
    const world = sleepingRoot();
    world.child('p', 'root', { mode: 'never' });
    quick(world, 'a', 'p');
    world.work('p');
    world.play('p');
    expect(world.callbackOf('p').status).toBe('held');
    world.play('a');
    expect(world.callbackOf('p').status).toBe('held');
    world.play('p');
    expect(world.callbackOf('p').status).toBe('queued');
  });
});

describe('a parent that runs resume, and that pulls', () => {
  /** A child `a` that is done while its parent is at work. */
  function busy(): { world: World; held: HeldRun } {
    const world = sleepingRoot();
    world.work('root');
    const held = world.take('root');
    quick(world, 'a');
    world.play('a', 'seven');
    return { world, held };
  }

  const pull = (world: World, byItself = true) =>
    must(world.decide((unit) => pullCallbacks(unit, 'root', { repeats: true, goesOn: false, byItself })));

  it('is not resumed with what its run has pulled, and is given it until it acknowledges it', () => {
    const { world, held } = busy();
    expect(pull(world).callbacks).toMatchObject([{ status: 'delivered', runId: held.runId }]);
    expect(pull(world).callbacks).toHaveLength(1);
    must(world.complete(held));
    expect(world.openRunsOf('root')).toEqual([]);
    expect(world.callbackOf('a')).toMatchObject({ status: 'delivered', runId: null });
    expect(pull(world).callbacks).toHaveLength(1);
    must(world.decide((unit) => acknowledge(unit, world.callbackOf('a').callbackId)));
    expect(pull(world).callbacks).toEqual([]);
  });

  it('is resumed with it where that run was taken back', () => {
    const { world } = busy();
    pull(world);
    world.pass(world.limits.leaseMs);
    expect(world.callbackOf('a')).toMatchObject({
      status: 'queued',
      reason: 'The run that had pulled it was lost.',
    });
    world.play('root');
    expect(world.openRunsOf('root')).toMatchObject([
      { purpose: 'callback', prompt: expect.stringContaining('seven') },
    ]);
    world.play('root');
    expect(world.callbackOf('a').status).toBe('delivered');
  });

  it('is not resumed with it where that run had acknowledged it before', () => {
    const { world } = busy();
    pull(world);
    must(world.decide((unit) => acknowledge(unit, world.callbackOf('a').callbackId)));
    world.pass(world.limits.leaseMs);
    world.play('root');
    expect(world.openRunsOf('root')).toEqual([]);
  });

  it('leaves it as a dead letter where that run was lost for good', () => {
    const world = sleepingRoot({ runLeaseAttemptsMax: 1 });
    world.work('root');
    world.take('root');
    quick(world, 'a');
    const [run] = world.claim();
    must(world.start(run!));
    must(world.complete(run!));
    pull(world);
    world.pass(world.limits.leaseMs);
    expect(world.session('root').status).toBe('failed');
    expect(world.callbackOf('a')).toMatchObject({
      status: 'dead',
      reason: 'The parent cannot be resumed: it is failed.',
    });
  });

  it('is given again what its run carries, and was redelivered and pulled', () => {
    const world = sleepingRoot();
    quick(world, 'a');
    world.play('a');
    const held = world.take('root');
    must(world.decide((unit) => redeliver(unit, world.callbackOf('a').callbackId)));
    expect(pull(world).callbacks).toHaveLength(1);
    must(world.complete(held));
    expect(pull(world).callbacks).toHaveLength(1);
  });

  it('is resumed with what a run that carried another one had pulled', () => {
    const { world, held } = busy();
    must(world.complete(held));
    const carrier = world.take('root');
    quick(world, 'b');
    world.play('b', 'eight');
    expect(pull(world).callbacks.map((one) => one.childSessionName)).toEqual(['b']);
    world.pass(world.limits.leaseMs);
    expect(world.callbackOf('a')).toMatchObject({ status: 'queued', runId: carrier.runId });
    expect(world.callbackOf('b').status).toBe('queued');
    const prompts = [world.openRunsOf('root')[0]!.prompt];
    world.play('root');
    prompts.push(...world.openRunsOf('root').map((one) => one.prompt));
    expect(prompts.join('')).toContain('seven');
    expect(prompts.join('')).toContain('eight');
  });

  it('is resumed although somebody else has looked at its callbacks', () => {
    const { world, held } = busy();
    expect(pull(world, false).callbacks).toMatchObject([{ status: 'queued', deliveredAt: null }]);
    expect(pull(world, false).callbacks).toHaveLength(1);
    must(world.complete(held));
    expect(world.openRunsOf('root')).toMatchObject([{ purpose: 'callback' }]);
  });
});

describe('a parent that pulls', () => {
  function pulling(): World {
    const world = new World();
    world.create('root', { delivery: 'pull' });
    world.giveState();
    quick(world, 'a');
    world.play('a');
    return world;
  }

  const pull = (world: World, how?: PullOptions) =>
    must(world.decide((unit) => pullCallbacks(unit, 'root', how)));

  it('is handed what waits until it acknowledges it, and delivered once', () => {
    const world = pulling();
    const [one] = pull(world).callbacks;
    expect(one).toMatchObject({ status: 'delivered', childSessionName: 'a' });
    const written = world.store.written.length;
    expect(pull(world)).toEqual({ callbacks: [world.callbackOf('a')], remaining: 0 });
    expect(pull(world, { repeats: false, goesOn: false })).toEqual({ callbacks: [], remaining: 0 });
    expect(world.store.written).toHaveLength(written);
    expect(must(world.decide((unit) => acknowledge(unit, one!.callbackId))).status).toBe('acknowledged');
    expect(pull(world)).toEqual({ callbacks: [], remaining: 0 });
    expect(must(world.decide((unit) => acknowledge(unit, one!.callbackId))).status).toBe('acknowledged');
    expect(world.openRunsOf('root')).toEqual([]);
  });

  it('is handed as much at a time as a message may hold, and one at least; what is new goes first', () => {
    const world = new World({ callbackHandOverBytesMax: 1 });
    world.create('root', { delivery: 'pull' });
    world.giveState();
    for (const name of ['a', 'b']) {
      quick(world, name);
      world.play(name);
    }
    const names = () => {
      const { callbacks, remaining } = pull(world);
      return [...callbacks.map((one) => one.childSessionName), remaining];
    };
    expect(names()).toEqual(['a', 1]);
    expect(names()).toEqual(['b', 1]);
    expect(names()).toEqual(['a', 1]);
    must(world.decide((unit) => acknowledge(unit, world.callbackOf('a').callbackId)));
    expect(names()).toEqual(['b', 0]);
  });

  it('goes on with its work where it had ended that, and says so', () => {
    const world = sleepingRoot();
    world.child('p', 'root', {}, { delivery: 'pull' });
    quick(world, 'a', 'p');
    world.work('p');
    for (const held of world.claim()) must(world.complete(held));
    must(world.decide((unit) => pullCallbacks(unit, 'p', { repeats: true, goesOn: true })));
    expect(world.completion('p')).toMatchObject({ status: 'none', attempt: 0, workOutcome: null });
  });

  it('cannot acknowledge what it has not got', () => {
    const world = pulling();
    const { callbackId } = world.callbackOf('a');
    expect(failureOf(world.decide((unit) => acknowledge(unit, callbackId))).error).toBe(
      'callback_not_deliverable',
    );
    expect(failureOf(world.decide((unit) => acknowledge(unit, 'cb_none'))).error).toBe('callback_not_found');
    expect(failureOf(world.decide((unit) => pullCallbacks(unit, 'nobody'))).error).toBe('session_not_found');
  });

  it('is not done before it has pulled', () => {
    const world = sleepingRoot();
    world.child('p', 'root', { mode: 'never' }, { external: false, delivery: 'pull' });
    quick(world, 'a', 'p');
    world.work('p');
    for (const held of world.claim()) must(world.complete(held));
    expect(world.completion('p').releasedAt).toBeNull();
    must(world.decide((unit) => pullCallbacks(unit, 'p')));
    expect(world.completion('p').releasedAt).not.toBeNull();
  });
});

describe('redelivery', () => {
  const again = (world: World, name: string) =>
    world.decide((unit) => redeliver(unit, world.callbackOf(name).callbackId));

  it('wakes a parent that was stopped', () => {
    const world = sleepingRoot();
    quick(world, 'a');
    must(world.decide((unit) => stopSession(unit, 'root')));
    world.play('a', 'seven');
    expect(must(again(world, 'a'))).toMatchObject({
      status: 'queued',
      reason: null,
      runId: expect.any(String),
    });
    world.take('root');
    expect(world.callbackOf('a').status).toBe('delivered');
  });

  it('of several goes with one resume', () => {
    const world = sleepingRoot();
    for (const name of ['a', 'b']) quick(world, name);
    must(world.decide((unit) => stopSession(unit, 'root')));
    for (const name of ['a', 'b']) world.play(name);
    for (const name of ['a', 'b']) must(again(world, name));
    expect(world.openRunsOf('root')).toMatchObject([{ metadata: { callback_sources: ['a', 'b'] } }]);
  });

  it('waits for a parent that is busy', () => {
    const world = sleepingRoot();
    quick(world, 'a');
    world.play('a');
    const held = world.take('root');
    expect(must(again(world, 'a'))).toMatchObject({ status: 'queued', runId: null });
    must(world.complete(held));
    expect(world.openRunsOf('root')).toMatchObject([{ purpose: 'callback' }]);
  });

  it('is refused for what is on its way, or is not there', () => {
    const world = sleepingRoot();
    quick(world, 'a');
    expect(failureOf(again(world, 'a')).error).toBe('callback_not_deliverable');
    world.play('a');
    expect(failureOf(again(world, 'a')).error).toBe('callback_not_deliverable');
    expect(failureOf(world.decide((unit) => redeliver(unit, 'cb_none'))).error).toBe('callback_not_found');
  });
});
