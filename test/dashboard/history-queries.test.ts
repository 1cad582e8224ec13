// What the queries of the history ask for as a state goes on: no event twice, since each may have a megabyte.
import { QueryClient } from '@tanstack/react-query';
import { expect, it } from 'vitest';
import { historyChunk, keyHistory, sessionWrites } from '../../src/dashboard/api/history-queries.js';

/** A state whose versions are all kept, and the versions that were sent. */
function played(pageMax = 1000) {
  const sent: number[] = [];
  const events = (_id: string, { since, limit }: { since: number; limit: number }) => {
    const versions = Array.from({ length: Math.min(limit, pageMax) }, (_, n) => since + n + 1);
    sent.push(...versions);
    return { events: versions.map((version) => ({ version })), next_since: versions.at(-1) };
  };
  const client: any = { states: { events } };
  const queries = new QueryClient();
  const read = async (options: any) => {
    const found: any[] = await queries.query(options);
    return found.map(({ version }) => version);
  };
  return { client, read, sent, queries };
}

const upTo = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n);

it.each([
  ['a part', (client: any, version: number) => historyChunk(client, 's', 0, { oldest: 1, version })],
  ['a key', (client: any, version: number) => keyHistory(client, 's', version, 'k')],
  ['a session', (client: any, version: number) => sessionWrites(client, 's', 'ses_1', version)],
] as const)('that of %s reads each event once', async (_name, query) => {
  const { client, read, sent, queries } = played(7);
  for (const version of [20, 21, 21, 40])
    expect(await read(query(client, version))).toEqual(upTo(1, version));
  expect(sent).toEqual(upTo(1, 40));
  queries.clear();
});

it('that of a key begins anew once so many versions have passed that it knows none of those', async () => {
  const { client, read, sent, queries } = played();
  await read(keyHistory(client, 's', 10, 'k'));
  expect(await read(keyHistory(client, 's', 505, 'k'))).toEqual(upTo(6, 505));
  expect(await read(keyHistory(client, 's', 2000, 'k'))).toEqual(upTo(1501, 2000));
  expect(sent).toEqual([...upTo(1, 505), ...upTo(1501, 2000)]);
  expect(await read(keyHistory(client, 's', 2000, 'other'))).toEqual(upTo(1501, 2000));
  queries.clear();
});
