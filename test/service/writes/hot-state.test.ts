// Many writes of one state: how many of them each turn takes.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StorageError } from '../../../src/ports/storage/storage.js';
import type { Store } from '../../../src/ports/storage/store.js';
import { withTransact } from '../../support/wrapped-store.js';
import { must, openHarness, type Harness } from '../harness.js';

const SCHEMA = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };

/** The store itself, but that events are counted, decision by decision, and decisions can be held up. */
class Gate {
  /** Events of each decision. */
  turns: number[] = [];
  /** What the next decision fails with. */
  fail: Error | null = null;
  #held: Promise<void> | null = null;

  /** Holds up what is decided from now on. */
  hold(): () => void {
    let open: () => void = () => undefined;
    this.#held = new Promise((resolve) => (open = resolve));
    return () => {
      this.#held = null;
      open();
    };
  }

  wrap = (store: Store): Store =>
    withTransact(store, (transact) => async (loads, decide, gathered) => {
      await this.#held;
      const { fail } = this;
      this.fail = null;
      if (fail !== null) throw fail;
      let at: number | null = null;
      return transact(
        loads,
        (records) => {
          const decision = decide(records);
          const changes = 'changes' in decision ? decision.changes : [];
          const events = changes.filter((change) => 'put' in change && change.put === 'event');
          // A store may make a decision again. It counts once.
          if (events.length > 0) at ??= this.turns.length;
          if (at !== null) this.turns[at] = events.length;
          return decision;
        },
        gathered,
      );
    });
}

const turnOfTheLoop = () => new Promise((resolve) => setImmediate(resolve));

describe('writes of one state', () => {
  let harness: Harness;
  let gate: Gate;
  let id: string;
  let n = 0;
  beforeEach(async () => {
    gate = new Gate();
    harness = await openHarness({}, false, {}, undefined, gate.wrap);
    must(await harness.operator.schemas.register({ name: 'plan', json_schema: SCHEMA }));
    id = must(await harness.operator.states.create({ schema_name: 'plan', initial_data: { n: 0 } })).state_id;
    await write(1);
    gate.turns = [];
  });
  afterEach(async () => {
    expect(must(await harness.operator.operations.doctor()).findings).toEqual([]);
    await harness.close();
  });

  const write = (count: number) =>
    Promise.all(
      Array.from({ length: count }, async () => {
        n += 1;
        const value = n;
        const written = must(
          await harness.operator.states.patch(id, [{ op: 'replace', path: '/n', value }], {}),
        );
        expect(written.current_data).toEqual({ n: value });
        return written.version;
      }),
    );

  /** `first` come, and `then` while the turn of these is under way. */
  async function burst(first: number, then: number): Promise<readonly number[]> {
    const open = gate.hold();
    const early = write(first);
    await turnOfTheLoop();
    await turnOfTheLoop();
    const late = write(then);
    await turnOfTheLoop();
    open();
    return [...(await early), ...(await late)];
  }

  it('are all in one turn where none is under way', async () => {
    await write(60);
    await write(60);
    expect(gate.turns).toEqual([60, 60]);
  });

  it('are shared by two turns where many have come since a small one began, in their order', async () => {
    const versions = await burst(4, 60);
    expect(gate.turns).toEqual([4, 32, 28]);
    expect(versions).toEqual(Array.from({ length: 64 }, (_, i) => i + 3));
  });

  it('are in one turn behind another one where they are few', async () => {
    await burst(4, 16);
    expect(gate.turns).toEqual([4, 16]);
  });

  it('are counted anew once nothing waits', async () => {
    await burst(40, 40);
    await write(60);
    expect(gate.turns).toEqual([40, 40, 60]);
  });

  it('go on behind a turn that failed', async () => {
    gate.fail = new StorageError('storage_failed', 'the disk is away');
    const open = gate.hold();
    const early = expect(write(1)).rejects.toThrow('the disk is away');
    await turnOfTheLoop();
    await turnOfTheLoop();
    const late = write(40);
    open();
    await early;
    expect(await late).toEqual(Array.from({ length: 40 }, (_, i) => i + 3));
    expect(gate.turns).toEqual([21, 19]);
  });
});
