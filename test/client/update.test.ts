import { afterEach, beforeEach, describe, expect, expectTypeOf, it, vi } from 'vitest';
import { updateState, type Change } from '../../src/client/index.js';
import type { JsonObject } from '../../src/domain/json/json.js';
import { must, openHarness, failure, type Harness } from '../service/harness.js';

type Counts = Record<string, number>;

describe('an update', () => {
  let harness: Harness;
  let id: string;
  const counted = async () => must(await harness.operator.states.get(id));
  const states = () => harness.operator.states;

  beforeEach(async () => {
    harness = await openHarness();
    const json_schema = { type: 'object', additionalProperties: { type: 'integer', minimum: 0 } };
    must(await harness.operator.schemas.register({ name: 'counts', json_schema }));
    const created = await states().create({ schema_name: 'counts', initial_data: { n: 0 } });
    id = must(created).state_id;
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await harness.close();
  });

  it.each(['again', 'merge'] as const)(
    'of one member by each of twenty loses none (%s)',
    async (onConflict) => {
      const names = Array.from({ length: 20 }, (_, at) => `part${String(at)}`);
      await Promise.all(
        names.map(async (name) =>
          must(await updateState<Counts>(states(), id, (data) => ({ ...data, [name]: 1 }), { onConflict })),
        ),
      );
      const { current_data } = await counted();
      expect(current_data).toEqual({ n: 0, ...Object.fromEntries(names.map((name) => [name, 1])) });
    },
  );

  it('of the same member by twenty counts every one', async () => {
    const count = () =>
      updateState<Counts>(states(), id, (data) => {
        data['n'] = (data['n'] ?? 0) + 1;
        data['new'] = (data['new'] ?? 0) + 1;
      });
    await Promise.all(Array.from({ length: 20 }, async () => must(await count())));
    expect(await counted()).toMatchObject({ version: 21, current_data: { n: 20, new: 20 } });
  });

  it('never builds on what has changed meanwhile', async () => {
    const seen: unknown[] = [];
    const written = await updateState<Counts>(states(), id, async (data, { version }) => {
      seen.push([version, { ...data }]);
      if (seen.length === 1) must(await states().mergePatch(id, { n: 5 }, {}));
      return { ...data, twice: (data['n'] ?? 0) * 2 };
    });
    expect(seen).toEqual([
      [1, { n: 0 }],
      [2, { n: 5 }],
    ]);
    expect(must(written)).toMatchObject({ version: 3, changed: true, current_data: { n: 5, twice: 10 } });
  });

  it('that is ended between two tries is not made again', async () => {
    const ended = new AbortController();
    // A pause that lasts until the signal ends it.
    vi.spyOn(Math, 'random').mockReturnValue(1000);
    let times = 0;
    const change = async (data: Counts) => {
      times += 1;
      must(await states().mergePatch(id, { n: times }, {}));
      return { ...data, mine: 1 };
    };
    const replace: ReturnType<typeof states>['replace'] = async (...write) => {
      const written = await states().replace(...write);
      setImmediate(() => ended.abort());
      return written;
    };
    const target = { get: states().get.bind(states()), replace };
    const left = await updateState(target, id, change, { signal: ended.signal });
    expect([failure(left).error, times]).toEqual(['version_conflict', 1]);
    expect((await counted()).current_data).toEqual({ n: 1 });
  });

  it('whose signal is aborted before it, or while it changes the document, writes nothing', async () => {
    const ended = new AbortController();
    let times = 0;
    const change = (data: Counts) => {
      times += 1;
      ended.abort();
      return { ...data, n: 1 };
    };
    for (let call = 0; call < 2; call += 1) {
      await expect(updateState(states(), id, change, { signal: ended.signal })).rejects.toMatchObject({
        name: 'ConnectionError',
        fault: 'aborted',
      });
    }
    expect(times).toBe(1);
    expect(await counted()).toMatchObject({ version: 1, current_data: { n: 0 } });
  });

  it('that merges is made once where others changed something else', async () => {
    let times = 0;
    const change = async (data: Counts) => {
      times += 1;
      must(await states().mergePatch(id, { other: times }, {}));
      return { ...data, mine: 1 };
    };
    const written = await updateState(states(), id, change, { onConflict: 'merge' });
    expect(must(written)).toMatchObject({ merged: true, current_data: { n: 0, other: 1, mine: 1 } });
    expect(times).toBe(1);
  });

  it('that merges is made again where others changed the same place', async () => {
    let times = 0;
    const change = async (data: Counts) => {
      times += 1;
      if (times === 1) must(await states().mergePatch(id, { n: 7 }, {}));
      return { ...data, n: (data['n'] ?? 0) + 1 };
    };
    expect(must(await updateState(states(), id, change, { onConflict: 'merge' }))).toMatchObject({
      current_data: { n: 8 },
    });
    expect(times).toBe(2);
  });

  it('that changes nothing writes nothing', async () => {
    const before = harness.dump();
    for (const change of [(data: JsonObject) => data, () => undefined]) {
      const state = must(await updateState(states(), id, change));
      expect(state).toMatchObject({ version: 1, changed: false, current_data: { n: 0 } });
    }
    expect(harness.dump()).toBe(before);
  });

  it('is a function that is declared apart, or of a document of which no type is known', async () => {
    function count(data: Counts) {
      data['n'] = (data['n'] ?? 0) + 1;
    }
    const countLater = async (data: Counts) => {
      await Promise.resolve();
      count(data);
    };
    must(await updateState<Counts>(states(), id, count));
    must(await updateState<Counts>(states(), id, countLater));
    const written = await updateState(states(), id, (data) => {
      data['m'] = 1;
    });
    expect(must(written).current_data['m']).toBe(1);
    expect(must(written).current_data).toEqual({ n: 2, m: 1 });
    expectTypeOf<() => string>().not.toExtend<Change<Counts>>();
    expectTypeOf<() => Promise<{ n: string }>>().not.toExtend<Change<Counts>>();
  });

  it('changes a copy: what the service holds stays as it is until it is written', async () => {
    await expect(
      updateState<Counts>(states(), id, (data) => {
        data['n'] = 99;
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    expect(await counted()).toMatchObject({ version: 1, current_data: { n: 0 } });
  });

  it('ends with the last conflict after its tries', async () => {
    let times = 0;
    const change = async (data: Counts) => {
      times += 1;
      must(await states().mergePatch(id, { n: times }, {}));
      return { ...data, mine: 1 };
    };
    const result = await updateState(states(), id, change, { triesMax: 3 });
    expect(failure(result).error).toBe('version_conflict');
    expect(times).toBe(3);
    expect(await counted()).toMatchObject({ version: 4, current_data: { n: 3 } });
  });

  it('is refused as any write, and then made no second time', async () => {
    let times = 0;
    const change = () => ({ n: -(times += 1) });
    expect(failure(await updateState(states(), id, change)).error).toBe('validation_failed');
    expect(times).toBe(1);
    expect(failure(await updateState(states(), 'sta_none', change)).error).toBe('state_not_found');
    expect(await counted()).toMatchObject({ version: 1 });
  });
});
