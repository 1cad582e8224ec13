// Which runs a runner is given, and in which order.
import { describe, expect, it } from 'vitest';
import { claim, heartbeat, seen } from '../../../src/domain/runs/claim.js';
import { ok } from '../../../src/domain/errors.js';
import { aRunner } from '../../store/records.js';
import { must, failureOf, sleepingRoot, World } from '../world.js';

describe('a claim', () => {
  it.each([
    ['claims', (world: World) => world.decide((unit) => claim(unit, 'rnr_none', []))],
    ['is seen', (world: World) => world.decide((unit) => seen(unit, 'rnr_none'))],
    ['gives signs of life', (world: World) => world.decide((unit) => heartbeat(unit, 'rnr_none', []))],
  ])('of a runner that is not known is refused where it %s', (_what, act) => {
    const world = new World();
    expect(failureOf(act(world)).error).toBe('runner_not_found');
    expect(world.store.written).toHaveLength(1);
  });

  it('notes when a runner was seen', () => {
    const world = new World();
    world.now += 5;
    expect(must(world.decide((unit) => seen(unit, 'rnr_1'))).lastSeenAt).toBe(world.now);
  });

  it('gives the oldest first, as many as were asked for, each under its own lease', () => {
    const world = new World();
    const ids = ['a', 'b', 'c'].map((name) => {
      world.create(name);
      return world.work(name).runId;
    });
    const held = world.claim(2);
    expect(held.map((one) => one.runId)).toEqual(ids.slice(0, 2));
    expect(new Set(held.map((one) => one.leaseHash)).size).toBe(2);
    expect(world.claim().map((one) => one.runId)).toEqual(ids.slice(2));
  });

  it('gives one run of a session at a time, in the order of the asking', () => {
    const world = new World();
    world.create('a');
    const ids = [world.work('a').runId, world.work('a').runId];
    const [first] = world.claim();
    expect(first?.runId).toBe(ids[0]);
    expect(world.claim()).toEqual([]);
    must(world.complete(first!));
    expect(world.claim().map((one) => one.runId)).toEqual(ids.slice(1));
  });

  it('passes over runs that demand what the runner has not', () => {
    const world = new World();
    world.store.apply([
      {
        put: 'runner',
        record: aRunner({
          runnerId: 'rnr_gpu',
          hostname: 'host-b',
          executorTypes: ['claude'],
          tags: ['gpu'],
        }),
      },
    ]);
    const demands = [{ hostname: 'host-b' }, { executorType: 'claude' }, { tags: ['gpu'] }, {}];
    for (const [index, one] of demands.entries()) {
      world.create(`s${index}`);
      world.work(`s${index}`, { demands: { hostname: null, executorType: null, tags: [], ...one } });
    }
    const names = (held: readonly { runId: string }[]) =>
      held.map((one) => world.store.runs.get(one.runId)?.sessionName);
    expect(names(world.claim(10, 'rnr_1'))).toEqual(['s3']);
    expect(names(world.claim(10, 'rnr_gpu'))).toEqual(['s0', 's1', 's2']);
  });

  it('gives a state update before work that was asked for earlier', () => {
    const world = sleepingRoot();
    world.child('a', 'root');
    world.work('a');
    const held = world.take('a');
    must(world.complete(held, 'done'));
    const later = world.work('a');
    expect(world.claim().map((one) => world.store.runs.get(one.runId)?.purpose)).toEqual(['state_update']);
    expect(later).toMatchObject({ generation: 2, status: 'pending' });
  });

  it('holds a session back while the run that is its next is not due, whatever waits behind it', () => {
    const world = sleepingRoot();
    world.create('a');
    const held = (world.work('a'), world.claim());
    must(world.start(held[0]!));
    must(world.fail(held[0]!, 'rate_limit'));
    world.work('a');
    expect(world.claim()).toEqual([]);
    world.now += world.limits.environmentBackoffMs;
    expect(world.claim().map((one) => one.runId)).toEqual([held[0]!.runId]);
  });

  it('goes on to other candidates where the first are not the next of their sessions', () => {
    const world = new World();
    for (const name of ['a', 'b']) world.create(name);
    const first = [world.work('a'), world.work('a'), world.work('a'), world.work('b')].map(
      (run) => run.runId,
    );
    expect(world.claim(2).map((one) => one.runId)).toEqual([first[0], first[3]]);
  });

  it('hands out a run as its session has it, where the candidates are older than the session', () => {
    const world = new World();
    world.create('a');
    const run = world.work('a');
    const older = { ...run, prompt: 'before a callback was added' };
    const taken = world.decide((unit) => {
      Object.defineProperty(unit.records, 'claimable', { get: () => [older], set: () => undefined });
      return claim(unit, 'rnr_1', [{ token: 't', hash: 'h' }]);
    });
    expect(must(taken).map((one) => one.run.prompt)).toEqual([run.prompt]);
    expect(run.prompt).not.toBe(older.prompt);
  });

  it('loads the sessions of the runs that it hands out, and no others', () => {
    const world = new World();
    for (const name of ['a', 'b', 'c']) {
      world.create(name);
      world.work(name);
    }
    const lease = { token: 't', hash: 'h' };
    const loaded = world.decide((unit) => {
      const taken = claim(unit, 'rnr_1', [lease]);
      return taken.ok ? ok([...unit.records.aggregates.keys()]) : taken;
    });
    expect(must(loaded)).toEqual(['ses_a']);
  });
});
