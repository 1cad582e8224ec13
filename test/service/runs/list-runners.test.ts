// The list of runners, page by page.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { BadCursorError } from '../../../src/ports/storage/reader.js';
import { must, openHarness, type Harness } from '../harness.js';

let harness: Harness;
beforeEach(async () => {
  harness = await openHarness();
});
afterEach(() => harness.close());

it('comes in pages, each runner once, the first to register first', async () => {
  const { runners } = harness.operator;
  const ids: string[] = [];
  for (let count = 0; count < 5; count += 1) {
    if (count % 2 === 0) harness.clock.advance(1);
    ids.push(must(await runners.register({ hostname: 'here', executor_types: ['command'] })).runner_id);
  }
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = must(await runners.list({ limit: 2, ...(cursor === undefined ? {} : { cursor }) }));
    expect(page.items.length).toBeLessThanOrEqual(2);
    seen.push(...page.items.map((one) => one.runner_id));
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  expect(seen).toEqual(ids);
  expect(must(await runners.list()).items).toHaveLength(5);
});

it('refuses a cursor of another list', async () => {
  await expect(harness.operator.runners.list({ cursor: 'nonsense' })).rejects.toThrow(BadCursorError);
});
