// Several coordinators that write one state do so in rotation: none is overtaken for ever, and no write is lost.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Changeset } from '../../../src/domain/transactions/changeset.js';
import { RoundRobin } from '../../../src/store/postgres/writes/commits/round-robin.js';
import { must } from '../../service/harness.js';
import { newMigratedDatabase } from '../../support/postgres.js';
import { startTestCoordinator, type TestCoordinator } from '../../support/coordinator.js';
import { aState } from '../records.js';

describe('a coordinator that writes a state', () => {
  const written = (stateId = 'wst_1'): Changeset => [
    { put: 'state', record: { ...aState(), stateId, version: 2, revision: 2 } },
  ];
  let roundRobin: RoundRobin;
  /** Whether the coordinator has to wait. */
  const waits = (stateId = 'wst_1') => roundRobin.wait(stateId) !== undefined;
  beforeEach(() => {
    vi.useFakeTimers();
    roundRobin = new RoundRobin();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('waits for nobody where nobody else writes the state', () => {
    roundRobin.own(written());
    roundRobin.remote(written('wst_2'), 'other');
    expect(waits()).toBe(false);
  });

  it('waits for nobody where the others are never overtaken', () => {
    roundRobin.remote(written(), 'other');
    roundRobin.own(written());
    expect(waits()).toBe(false);
  });

  it('waits until each of the others has written since it has itself', async () => {
    roundRobin.overtaken('wst_1', 'second');
    roundRobin.remote(written(), 'second');
    roundRobin.remote(written(), 'third');
    expect(waits()).toBe(false);
    roundRobin.own(written());
    const heard = vi.fn();
    void roundRobin.wait('wst_1')?.then(heard);
    roundRobin.remote(written(), 'second');
    roundRobin.remote(written(), 'second');
    await Promise.resolve();
    expect(heard).not.toHaveBeenCalled();
    roundRobin.remote(written(), 'third');
    await Promise.resolve();
    expect(heard).toHaveBeenCalledOnce();
    expect(waits()).toBe(false);
  });

  it('waits for 200 ms at most, and not again for whoever has not written then', async () => {
    roundRobin.overtaken('wst_1', 'other');
    roundRobin.own(written());
    const heard = vi.fn();
    void roundRobin.wait('wst_1')?.then(heard);
    await vi.advanceTimersByTimeAsync(190);
    expect(heard).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(10);
    expect(heard).toHaveBeenCalledOnce();
    roundRobin.own(written());
    expect(waits()).toBe(false);
    // It may write now and then: that alone is no reason to wait for it again.
    roundRobin.remote(written(), 'other');
    roundRobin.own(written());
    expect(waits()).toBe(false);
    roundRobin.overtaken('wst_1', 'other');
    expect(waits()).toBe(true);
  });

  it('waits for one that has never written, and says that it was overtaken', () => {
    roundRobin.overtaken('wst_1', 'other');
    roundRobin.own(written());
    expect(waits()).toBe(true);
    roundRobin.remote(written(), 'other');
    expect(waits()).toBe(false);
  });

  it('waits for none that has not written for a second', async () => {
    roundRobin.overtaken('wst_1', 'other');
    await vi.advanceTimersByTimeAsync(1001);
    roundRobin.own(written());
    expect(waits()).toBe(false);
  });
});

const COORDINATORS = 3;
const WRITERS = 8;
/** So many writes are made; a wait is counted in the writes that go by meanwhile. */
const WRITES = 1500;

describe('a state that is written through three coordinators all the time', () => {
  const coordinators: TestCoordinator[] = [];
  afterEach(async () => {
    await Promise.all(coordinators.splice(0).map((one) => one.close()));
  });

  it('is written through each of them about as often, without a long wait and without a loss', async ({
    annotate,
  }) => {
    const db = await newMigratedDatabase();
    for (let n = 0; n < COORDINATORS; n += 1) coordinators.push(await startTestCoordinator(db));
    const [first] = coordinators;
    if (first === undefined) throw new Error('There is no coordinator');
    must(await first.operator.schemas.register({ name: 'plan', json_schema: { type: 'object' } }));
    must(await first.operator.sessions.create({ session_name: 'root', external: true }));
    const created = await first.operator.states.create({
      schema_name: 'plan',
      initial_data: { n: 0 },
      root_session_name: 'root',
    });
    const { state_id } = must(created);
    let sum = 0;
    const load = async ({ operator }: TestCoordinator) => {
      const counts = { writes: 0, longestWait: 0 };
      const writer = async () => {
        for (let begun = sum; begun < WRITES; begun = sum) {
          must(await operator.states.ops(state_id, [{ op: 'increment', pointer: '/n', delta: 1 }], {}));
          sum += 1;
          counts.writes += 1;
          counts.longestWait = Math.max(counts.longestWait, sum - begun);
        }
      };
      await Promise.all(Array.from({ length: WRITERS }, writer));
      return counts;
    };
    const counts = await Promise.all(coordinators.map(load));
    await annotate(
      counts.map(({ writes, longestWait }) => `${String(writes)} (${String(longestWait)})`).join(', '),
    );
    for (const { writes, longestWait } of counts) {
      // A third of the writes would be its fair share.
      expect(writes).toBeGreaterThan(sum / COORDINATORS / 2);
      expect(longestWait).toBeLessThan(sum / COORDINATORS);
    }
    for (const { operator } of coordinators)
      expect(must(await operator.states.get(state_id))).toMatchObject({
        version: sum + 1,
        current_data: { n: sum },
      });
  });
});
