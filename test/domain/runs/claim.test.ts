// Which runs a runner is given, and in which order.
import { describe, expect, it } from 'vitest';
import { claim, heartbeat, seen } from '../../../src/domain/runs/claim.js';
import { aRunner } from '../../store/records.js';
import { must, refusalOf, sleepingRoot, World } from '../world.js';

describe('a claim', () => {
  it.each([
    ['claims', (world: World) => world.decide((draft) => claim(draft, 'rnr_none', []))],
    ['is seen', (world: World) => world.decide((draft) => seen(draft, 'rnr_none'))],
    ['gives signs of life', (world: World) => world.decide((draft) => heartbeat(draft, 'rnr_none', []))],
  ])('of a runner that is not known is refused where it %s', (_what, act) => {
    const world = new World();
    expect(refusalOf(act(world)).error).toBe('runner_not_found');
    expect(world.store.written).toHaveLength(1);
  });

  it('notes when a runner was seen', () => {
    const world = new World();
    world.now += 5;
    expect(must(world.decide((draft) => seen(draft, 'rnr_1'))).lastSeenAt).toBe(world.now);
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
});
