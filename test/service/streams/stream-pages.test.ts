// Pages of streams are read once for all followers that are at the same place.
import { describe, expect, it } from 'vitest';
import { StreamPages } from '../../../src/service/streams/stream-pages.js';
import { bookmark } from '../../../src/service/streams/stream-views.js';
import type { StreamEvent } from '../../../src/ports/api/index.js';
import { pause } from '../../support/eventually.js';

const event = (id: number): StreamEvent => bookmark(String(id));

/** Longer than the end of a source is remembered. */
const LATER_MS = 80;

describe('pages of a stream', () => {
  /** A source of `count` events, of which a page gives at most two. */
  function source() {
    const events: StreamEvent[] = [];
    let commits = 0;
    const pages = new StreamPages(10_000, () => commits);
    const page = (place: number) =>
      pages.page('source ' + String(place), place, async () => {
        await pause(1);
        const found = events.slice(place, place + 2);
        return {
          ok: true,
          value: {
            events: found,
            next: place + found.length,
            hasMore: place + found.length < events.length,
            bytes: 100,
          },
        };
      });
    const ids = async (place: number) => {
      const found = await page(place);
      return found.ok ? found.value.events.map(({ id }) => id) : found.failure;
    };
    const add = (...more: readonly number[]) => {
      events.push(...more.map(event));
      commits += 1;
    };
    return { pages, ids, add };
  }

  it('are read once for readers that ask at the same time', async () => {
    const { pages, ids, add } = source();
    add(1, 2, 3);
    expect(await Promise.all([ids(0), ids(0), ids(0)])).toEqual([
      ['1', '2'],
      ['1', '2'],
      ['1', '2'],
    ]);
    expect(pages.reads).toBe(1);
  });

  it('stay where more followed, and are read again for what has come behind the last one', async () => {
    const { pages, ids, add } = source();
    add(1, 2, 3);
    expect([await ids(0), await ids(2)]).toEqual([['1', '2'], ['3']]);
    add(4);
    await pause(LATER_MS);
    expect([await ids(0), await ids(2)]).toEqual([
      ['1', '2'],
      ['3', '4'],
    ]);
    expect(pages.reads).toBe(3);
  });

  it('with nothing in them are read again after the next commit, and not before', async () => {
    const { pages, ids, add } = source();
    expect([await ids(0), await ids(0)]).toEqual([[], []]);
    expect(pages.reads).toBe(1);
    add(1);
    expect(await ids(0)).toEqual(['1']);
  });
});
