// Damaged records are set aside in one decision, also if several values of one record are damaged.
import { describe, expect, it } from 'vitest';
import type { Damage } from '../../../src/domain/damage/damage.js';
import { setAside, type GivenUp } from '../../../src/domain/scheduling/set-aside.js';
import { sleepingRoot, must, type World } from '../world.js';

function putAsideIn(world: World, damaged: readonly Damage[], what: GivenUp): void {
  const root = world.session('root').sessionId;
  world.store.repaired = damaged;
  const repaired = { load: 'repaired', kind: 'tree', id: root, now: world.now } as const;
  must(world.decide((unit) => setAside(unit, root, what, 'It could not be done.'), [repaired]));
}

const damage = (kind: Damage['kind'], id: string, column: string): Damage => ({
  kind,
  id,
  column,
  what: 'is damaged',
});

describe('setting aside', () => {
  it.each([
    ['is due and damaged', ['status']],
    ['is due and damaged twice', ['status', 'metadata']],
  ])('ends a run that %s once, and its completion goes on', (_what, columns) => {
    const world = sleepingRoot();
    world.create('child', { parent: 'root', callback: true });
    const { runId } = world.work('child');
    world.take('child');
    putAsideIn(
      world,
      columns.map((column) => damage('run', runId, column)),
      { kind: 'run', runId },
    );
    expect(world.store.runs.get(runId)).toMatchObject({
      status: 'failed',
      cause: 'environment',
      dueAt: null,
      leaseExpiresAt: null,
      error: expect.stringContaining('status'),
    });
    expect(world.completion('child')).toMatchObject({ workOutcome: 'failed', status: 'pending' });
    const [update] = [...world.store.runs.values()].filter((run) => run.purpose === 'state_update');
    expect(update).toMatchObject({ status: 'pending' });
  });

  it('gives up many damaged callbacks and runs at once', () => {
    const world = sleepingRoot();
    const runs: string[] = [];
    for (let n = 0; n < 25; n += 1) {
      world.create(`child-${String(n)}`, { parent: 'root', callback: true });
      runs.push(world.work(`child-${String(n)}`).runId);
      world.play(`child-${String(n)}`);
    }
    const damaged = [
      ...[...world.store.callbacks.keys()].map((id) => damage('callback', id, 'status')),
      ...runs.map((id) => damage('run', id, 'metadata')),
      ...[...world.store.completions.values()].map(({ sessionId, generation }) =>
        damage('completion', `${sessionId}@${String(generation)}`, 'reason'),
      ),
    ];
    putAsideIn(world, damaged, { kind: 'run', runId: runs[0]! });
    const statuses = [...world.store.callbacks.values()].map((one) => one.status);
    expect(statuses).toEqual(Array(25).fill('dead'));
  });

  it('gives up a damaged callback once', () => {
    const world = sleepingRoot();
    world.create('child', { parent: 'root', callback: true });
    const { runId } = world.work('child');
    const [callback] = [...world.store.callbacks.values()];
    const id = String(callback?.callbackId);
    putAsideIn(world, [damage('callback', id, 'delivery'), damage('callback', id, 'status')], {
      kind: 'run',
      runId,
    });
    expect(world.store.callbacks.get(id)).toMatchObject({
      status: 'dead',
      reason: expect.stringContaining('delivery'),
    });
  });
});
