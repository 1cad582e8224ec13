// What the completions of one tree have to do with each other.
import { describe, expect, it } from 'vitest';
import { completionSettings } from '../../store/records.js';
import { contractAt, must, sleepingRoot, type World } from '../world.js';

function children(names: readonly string[], settings = { attemptsMax: 1 }): World {
  const world = sleepingRoot();
  for (const name of names) {
    world.child(name, 'root', settings);
    world.work(name);
  }
  for (const name of names) world.play(name, `result of ${name}`);
  return world;
}

describe('many children with one cause', () => {
  it('fail together after three in a row, and the parent gets one callback', () => {
    const world = children(['a', 'b', 'c', 'd', 'e']);
    const held = ['a', 'b', 'c', 'd'].map((name) => world.take(name));
    const orders = held.slice(3);
    for (const one of held.slice(0, 3)) must(world.fail(one, 'agent', 'No credits left in account 17.'));
    for (const name of ['a', 'b', 'c', 'd', 'e']) expect(world.completion(name).status).toBe('failed');
    expect(world.completion('e').reason).toContain(
      '3 completions of this tree failed in a row for the same cause',
    );
    expect(world.heartbeat(orders).stop).toEqual(orders.map((one) => one.runId));
    const resumes = world.openRunsOf('root');
    expect(resumes).toMatchObject([{ purpose: 'callback' }]);
    expect(resumes[0]?.prompt).toContain('result of e');
    expect(['a', 'b', 'c', 'd', 'e'].map((name) => world.callbackOf(name).runId)).toEqual(
      Array(5).fill(resumes[0]?.runId),
    );
  });

  it('do not where the causes differ, or one succeeds in between', () => {
    const world = children(['a', 'b', 'c', 'd', 'e', 'f']);
    must(world.fail(world.take('a'), 'agent', 'No credits.'));
    must(world.fail(world.take('b'), 'agent', 'Out of memory.'));
    must(world.fail(world.take('c'), 'agent', 'Out of memory.'));
    const d = world.take('d');
    world.write('d', 'd', 1);
    must(world.complete(d));
    must(world.fail(world.take('e'), 'agent', 'Out of memory.'));
    expect(world.completion('f').status).toBe('pending');
    expect([...world.store.trees.values()][0]).toMatchObject({ failuresInARow: 1 });
  });
});

describe('a failure that cannot pass by itself', () => {
  it('of the work fails the child without asking it, and the parent is told why', () => {
    const world = sleepingRoot();
    world.child('a', 'root', { contract: contractAt('/a') });
    world.work('a');
    must(world.fail(world.take('a'), 'configuration', 'Invalid API key'));
    expect(world.runsOf('a')).toHaveLength(1);
    expect(world.completion('a')).toMatchObject({ status: 'failed', attempts: [], workOutcome: 'failed' });
    expect(world.completion('a').reason).toContain('no retry can help: Invalid API key');
    expect(world.openRunsOf('root')).toMatchObject([{ purpose: 'callback' }]);
    expect(world.openRunsOf('root')[0]?.prompt).toContain('Invalid API key');
  });

  it.each(['environment', 'rate_limit'] as const)('is not one of the %s', (cause) => {
    const world = sleepingRoot();
    world.child('a', 'root', { contract: contractAt('/a') });
    world.work('a');
    must(world.fail(world.take('a'), cause, 'later'));
    expect(world.runsOf('a')).toMatchObject([{ status: 'pending' }]);
    expect(world.completion('a').status).toBe('none');
  });

  it('leaves what the child had recorded before', () => {
    const world = sleepingRoot();
    world.child('a', 'root', { contract: contractAt('/a') });
    world.work('a');
    const held = world.take('a');
    world.write('a', 'a', 1);
    must(world.fail(held, 'prompt_too_long', 'Prompt is too long'));
    expect(world.completion('a')).toMatchObject({ status: 'completed', attempts: [] });
  });

  it('stops siblings that wait to be asked the same way, but none that is being asked', () => {
    const world = sleepingRoot();
    for (const name of ['a', 'b', 'c', 'd']) world.child(name, 'root');
    world.create('e', { parent: 'root', callback: true, agentName: 'other' });
    const names = ['a', 'b', 'c', 'd', 'e'];
    for (const name of names) world.work(name);
    const works = names.map((name) => world.take(name));
    for (const work of works) must(world.complete(work));
    const [a, b] = world.claim(2);
    if (a === undefined || b === undefined) throw new Error('two runs wait');
    must(world.fail(a, 'configuration', 'Invalid API key'));
    const statuses = () => ['a', 'b', 'c', 'd', 'e'].map((name) => world.completion(name).status);
    expect(statuses()).toEqual(['failed', 'pending', 'failed', 'failed', 'pending']);
    expect(world.completion('c').reason).toContain('The session a, which runs the same way, failed');
    world.write('b', 'b', 1);
    must(world.complete(b));
    expect(world.completion('b').status).toBe('completed');
  });

  it('of one that is too long says nothing of the others', () => {
    const world = children(['a', 'b', 'c', 'd', 'e'], { attemptsMax: 3 });
    for (const name of ['a', 'b', 'c']) {
      must(world.fail(world.take(name), 'prompt_too_long', 'Prompt is too long'));
      expect(world.completion(name).status).toBe('failed');
    }
    expect(['d', 'e'].map((name) => world.completion(name).status)).toEqual(['pending', 'pending']);
  });

  it('of a parent leaves its callbacks as dead letters, with the reason', () => {
    const world = children(['a'], { attemptsMax: 1 });
    const held = world.take('a');
    world.write('a', 'a', 1);
    must(world.complete(held));
    must(world.fail(world.take('root'), 'configuration', 'Invalid API key'));
    expect(world.callbackOf('a')).toMatchObject({ status: 'dead', reason: 'Invalid API key' });
    expect(world.openRunsOf('root')).toEqual([]);
  });
});

describe('the last look', () => {
  it('says that a sibling has broken the result meanwhile, and which', () => {
    const world = sleepingRoot();
    world.child('a', 'root', { contract: contractAt('/a') });
    world.work('a');
    world.play('a');
    const held = world.take('a');
    world.write('a', 'a', 1);
    world.child('sibling', 'root');
    world.write('sibling', 'a', -1);
    must(world.complete(held));
    expect(world.completion('a').status).toBe('completed');
    expect(world.callbackOf('a').message).toContain('broken since by a write of sibling');
  });
});

describe('the mode unless_satisfied', () => {
  it.each([
    ['is content with the write of the child', 1, null, 'completed'],
    ['asks where it is broken again', 1, -1, 'pending'],
    ['asks where another has written it', null, 1, 'pending'],
  ] as const)('%s', (_what, own, later, status) => {
    const world = sleepingRoot();
    world.child('a', 'root', { mode: 'unless_satisfied', contract: contractAt('/a') });
    world.work('a');
    const held = world.take('a');
    if (own !== null) world.write('a', 'a', own);
    if (later !== null) world.write(null, 'a', later);
    must(world.complete(held));
    expect(world.completion('a').status).toBe(status);
  });
});

describe('what a child wrote before its terms were changed', () => {
  it.each([
    ['counts where it is what the new contract asks for', '/a', 'completed'],
    ['does not count where it is not', '/b', 'pending'],
  ])('%s', (_title, pointer, status) => {
    const world = sleepingRoot();
    const mode = 'unless_satisfied';
    world.child('a', 'root', { mode });
    world.work('a');
    const first = world.take('a');
    world.write('a', 'a', 1);
    world.write('root', 'b', 1);
    world.work('a', { settings: completionSettings({ mode, contract: contractAt(pointer) }) });
    must(world.complete(first));
    world.play('a');
    expect(world.completion('a')).toMatchObject({ generation: 1, status });
  });
});
