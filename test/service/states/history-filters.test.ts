// The history of a state, limited to a key or to a session.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Countersign } from '../../../src/ports/service.js';
import type { EventQuery } from '../../../src/ports/api/index.js';
import { must, openHarness, type Harness } from '../harness.js';

let harness: Harness;
let child: Countersign;
let stateId: string;

beforeAll(async () => {
  harness = await openHarness({ listItemsMax: 4 });
  const { operator } = harness;
  must(await operator.sessions.create({ session_name: 'root', external: true }));
  must(await operator.sessions.create({ session_name: 'kid', parent_session_name: 'root', external: true }));
  const root = await harness.as('root');
  child = await harness.as('kid');
  stateId = must(await root.keys.open('root', { initial_state: { a: 0 } })).state_id;
  must(await root.keys.set('root', 'a', 1, {}));
  must(await child.keys.set('kid', 'b', 1, {}));
  must(await root.states.replace(stateId, { a: 1, b: 2 }, {}));
  must(await root.keys.set('root', 'c', 1, {}));
  must(await root.keys.set('root', 'c', 2, {}));
  must(await child.states.mergePatch(stateId, { a: 3, c: 3 }, {}));
  must(await root.keys.set('root', 'a/b', 1, {}));
});
afterAll(() => harness.close());

/** Versions of all pages, one list for each page. */
async function pages(query: EventQuery): Promise<number[][]> {
  const found: number[][] = [];
  let since: number | undefined;
  do {
    const from = since === undefined ? {} : { since };
    const page = must(await harness.operator.states.events(stateId, { ...query, ...from }));
    expect(page.has_more).toBe(page.next_since !== undefined);
    found.push(page.events.map(({ version }) => version));
    since = page.next_since;
  } while (since !== undefined);
  return found;
}

describe('the history of a state', () => {
  it('tells where the next page begins, filtered or not', async () => {
    expect(await pages({ limit: 3 })).toEqual([
      [1, 2, 3],
      [4, 5, 6],
      [7, 8],
    ]);
  });

  it('is limited to the writes that changed a key, by what they changed and not by how', async () => {
    expect((await pages({ key: 'a' })).flat()).toEqual([1, 2, 7]);
    expect((await pages({ key: 'b' })).flat()).toEqual([3, 4]);
    expect((await pages({ key: 'a/b' })).flat()).toEqual([8]);
    expect((await pages({ key: 'none' })).flat()).toEqual([]);
  });

  it('is limited to the writes of a session, by id or name', async () => {
    expect((await pages({ session: 'kid' })).flat()).toEqual([3, 7]);
    const { session_id } = must(await harness.operator.sessions.get('kid'));
    expect((await pages({ session: session_id, key: 'c' })).flat()).toEqual([7]);
    expect((await pages({ session: 'unknown' })).flat()).toEqual([]);
  });

  it('goes on behind a page without a match, and ends a page at its limit', async () => {
    expect(await pages({ key: 'c' })).toEqual([[], [5, 6, 7]]);
    expect(await pages({ key: 'c', limit: 2 })).toEqual([[], [5, 6], [7]]);
    expect(await pages({ session: 'kid', key: 'c' })).toEqual([[], [7]]);
  });

  it('of keys has the events of the key alone', async () => {
    const { events } = must(await harness.operator.keys.events('root', { key: 'c', since: 4 }));
    expect(events.map(({ version, key, value }) => [version, key, value])).toEqual([
      [5, 'c', 1],
      [6, 'c', 2],
      [7, 'c', 3],
    ]);
  });
});
