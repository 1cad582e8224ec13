// Writes on large documents: in another thread, with the same result, and the event loop free meanwhile.
import { afterEach, describe, expect, it } from 'vitest';
import type { Limits } from '../../../src/domain/limits.js';
import { must, openHarness, failure, type Harness } from '../harness.js';

const members = (count: number, value: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${String(at)}`, value]));
const scalars = (count: number, value: number) => ({ items: Array.from({ length: count }, () => value) });

/** How often the event loop came round while something was under way. */
async function roundsDuring<T>(
  work: () => Promise<T>,
): Promise<{ readonly rounds: number; readonly came: T }> {
  let rounds = 0;
  let over = false;
  const next = () => {
    rounds += 1;
    if (!over) setImmediate(next);
  };
  setImmediate(next);
  const came = await work();
  over = true;
  return { rounds, came };
}

describe('writes on large documents', () => {
  let harness: Harness;
  const open = async (data: object, limits: Partial<Limits> = {}) => {
    harness = await openHarness(limits);
    const { operator } = harness;
    must(await operator.schemas.register({ name: 'plan', json_schema: { type: 'object' } }));
    return must(await operator.states.create({ schema_name: 'plan', initial_data: data as never })).state_id;
  };
  afterEach(() => harness.close());

  const writes = [
    ['a whole document', (id: string) => harness.operator.states.replace(id, scalars(12_000, 2), {})],
    [
      'a merge patch',
      (id: string) => harness.operator.states.mergePatch(id, { ...members(9_000, 3), m1: null }, {}),
    ],
    [
      'operators',
      (id: string) =>
        harness.operator.states.ops(
          id,
          [
            ...Array.from({ length: 300 }, (_, at) => ({
              op: 'set',
              pointer: `/m${String(at * 3)}`,
              value: at,
            })),
            { op: 'delete', pointer: '/m5' },
            { op: 'append', pointer: '/new', items: [1, 2, 3] },
          ],
          {},
        ),
    ],
    [
      'a whole document on an older one',
      async (id: string) => {
        must(await harness.operator.states.mergePatch(id, { theirs: 1 }, {}));
        const yours = { ...members(12_000, 1), m7: 7 };
        return harness.operator.states.replace(id, yours, { baseVersion: 1 });
      },
    ],
  ] as const;
  it.each(writes)('%s gives the same document and history in another thread', async (_, write) => {
    const results = [];
    for (const inlineWriteValuesMax of [Infinity, 100]) {
      const id = await open(members(12_000, 1), { inlineWriteValuesMax });
      const wrote = must(await write(id));
      const { events } = must(await harness.operator.states.events(id, { since: wrote.version - 1 }));
      results.push({ data: wrote.current_data, patch: events[0]?.patch, version: wrote.version });
      if (inlineWriteValuesMax === Infinity) await harness.close();
    }
    expect(results[1]).toEqual(results[0]);
  });

  it('leave the event loop free while others have written since', async () => {
    const id = await open(scalars(100_000, 1));
    must(await harness.operator.states.replace(id, scalars(100_000, 2), {}));
    const { rounds, came } = await roundsDuring(() =>
      harness.operator.states.replace(id, scalars(100_000, 3), { baseVersion: 1, onConflict: 'overwrite' }),
    );
    expect(must(came).version).toBe(3);
    // On this thread it would be a handful.
    expect(rounds).toBeGreaterThan(100);
  });

  it('lists the conflicts of another thread as those of this one', async () => {
    const id = await open(members(12_000, 1));
    must(await harness.operator.states.replace(id, members(12_000, 2), {}));
    const refused = failure(
      await harness.operator.states.replace(id, members(12_000, 3), { baseVersion: 1 }),
    );
    expect(refused).toMatchObject({ error: 'merge_conflict', members: { conflicts_total: 12_000 } });
    expect(refused.members['conflicts']).toHaveLength(20);
  });

  it('that take too long are refused by the name of the limit, and nothing is written', async () => {
    const id = await open(scalars(100_000, 1), { documentWorkMs: 1 });
    const before = harness.dump();
    const refused = failure(await harness.operator.states.replace(id, scalars(100_000, 2), {}));
    expect(refused).toMatchObject({
      error: 'limit_exceeded',
      members: { limit: 'documentWorkMs', maximum: 1 },
    });
    expect(harness.dump()).toBe(before);
  });

  it('that wait together are committed in batches of bounded weight, all of them and in order', async () => {
    const id = await open({ items: [] });
    const items = Array.from({ length: 500 }, (_, at) => `item ${String(at)}`);
    const results = await Promise.all(
      Array.from({ length: 100 }, () =>
        harness.operator.states.ops(id, [{ op: 'append', pointer: '/items', items }], {}),
      ),
    );
    expect(results.map((one) => must(one).version)).toEqual(Array.from({ length: 100 }, (_, at) => at + 2));
    const { current_data: data } = must(await harness.operator.states.get(id));
    expect(data['items']).toHaveLength(50_000);
  });

  it('are answered with a warning from four fifths of the limit on', async () => {
    const id = await open({}, { stateBytesMax: 1000 });
    const wrote = async (length: number) =>
      must(await harness.operator.states.replace(id, { text: 'x'.repeat(length) }, {}));
    expect(await wrote(700)).not.toHaveProperty('warnings');
    expect((await harness.service.counts())['states']).toEqual({ near_limit: 0 });
    expect(await wrote(900)).toMatchObject({
      warnings: [{ pointer: '', keyword: 'stateBytesMax', expected: { maximum: 1000, actual: 911 } }],
    });
    expect((await harness.service.counts())['states']).toEqual({ near_limit: 1 });
    expect(await wrote(10)).not.toHaveProperty('warnings');
    expect((await harness.service.counts())['states']).toEqual({ near_limit: 0 });
  });
});
