// Lists whose items may be large: how far a page goes, and that every reader gets to the end.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Result } from '../../src/domain/errors.js';
import type { Countersign } from '../../src/ports/service.js';
import type { Listed, PageQuery } from '../../src/ports/api/index.js';
import { must, openHarness, type Harness } from './harness.js';

const KB = 1024;
const ITEMS = 7;
const big = 'x'.repeat(30 * KB);
/** Of large items to a page, of which a fourth would be past the bound. */
const LIMITS = { listBytesPerPageMax: 100 * KB, stateBytesMax: 40 * KB, schemaBytesMax: 40 * KB };

type List = (query: PageQuery) => Promise<Result<Listed<unknown>>>;

describe('a list of large items', () => {
  let harness: Harness;
  let operator: Countersign;
  beforeEach(async () => {
    harness = await openHarness({ ...LIMITS, promptBytesMax: 40 * KB });
    ({ operator } = harness);
  });
  afterEach(() => harness.close());

  const register = (name: string, description: string) =>
    operator.schemas.register({ name, json_schema: { type: 'object', description } });
  const each = async (make: (i: number) => Promise<Result<unknown>>, items = ITEMS) => {
    for (let i = 0; i < items; i += 1) must(await make(i));
  };
  const pages = async (list: List, query: PageQuery) => {
    const sizes: number[] = [];
    let cursor: string | null = '';
    do {
      const page: Listed<unknown> = must(await list(cursor === '' ? query : { ...query, cursor }));
      sizes.push(page.items.length);
      cursor = page.next_cursor;
    } while (cursor !== null);
    return sizes;
  };

  const fill: Record<string, { fill: () => Promise<void>; list: () => List }> = {
    'schemas, by name': {
      fill: () => each((i) => register(`s${String(i)}`, big)),
      list: () => (query) => operator.schemas.list(query),
    },
    'versions of a schema': {
      fill: () => each((i) => register('plan', `${big}${String(i)}`)),
      list: () => (query) => operator.schemas.versions('plan', query),
    },
    'states with their documents': {
      fill: async () => {
        must(await register('plan', ''));
        await each(() => operator.states.create({ schema_name: 'plan', initial_data: { big } }));
      },
      list: () => (query) => operator.states.list({ ...query, include: 'data' }),
    },
    runs: {
      fill: () => each(() => operator.runs.create({ type: 'start_session', prompt: big })),
      list: () => (query) => operator.runs.list(query),
    },
    webhooks: {
      fill: () =>
        each(() =>
          operator.webhooks.create({
            url: 'https://example.com',
            events: ['workflow_state_updated'],
            schema_name: 'plan',
            when: { description: big },
          }),
        ),
      list: () => (query) => operator.webhooks.list(query),
    },
  };

  it.each(Object.keys(fill))('ends a page of %s once it comes to the bound, and goes on', async (name) => {
    const { fill: make, list } = fill[name]!;
    await make();
    expect(await pages(list(), { limit: 1000 })).toEqual([4, 3]);
    expect(await pages(list(), { limit: 2 })).toEqual([2, 2, 2, 1]);
  });

  it('gives at least one item, however large, and all of those that are small', async () => {
    must(await register('plan', ''));
    await each(() => operator.states.create({ schema_name: 'plan', initial_data: { n: 1 } }), 20);
    const list: List = (query) => operator.states.list({ ...query, include: 'data' });
    expect(await pages(list, { limit: 1000 })).toEqual([20]);
    await harness.close();
    harness = await openHarness({ listBytesPerPageMax: 10 });
    ({ operator } = harness);
    must(await register('plan', ''));
    await each(() => operator.states.create({ schema_name: 'plan', initial_data: { n: 12345 } }), 3);
    expect(await pages(list, { limit: 1000 })).toEqual([1, 1, 1]);
  });
});
