// The list of states as resources.
import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fail } from '../../src/domain/errors.js';
import { DEFAULT_LIMITS } from '../../src/domain/limits.js';
import { createMcpServer } from '../../src/mcp/server.js';
import type { Countersign } from '../../src/ports/service.js';
import { must, openHarness, silent, type Harness } from '../service/harness.js';

const LISTED_MAX = 100;

let harness: Harness;
beforeEach(async () => {
  harness = await openHarness();
});
afterEach(() => harness.close());

async function listedBy(service: Countersign) {
  const server = createMcpServer({
    service,
    once: (_, work) => work(service),
    caller: { session: null, stateId: null },
    limits: DEFAULT_LIMITS,
    logger: silent,
    version: '0.0.0',
    subscribe: false,
  });
  const [near, far] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'test', version: '1' });
  await Promise.all([server.connect(far), client.connect(near)]);
  return client.listResources().finally(() => client.close());
}

test('the list of resources has the states that changed last', async () => {
  const { states, schemas } = harness.operator;
  must(await schemas.register({ name: 'any', json_schema: { type: 'object' } }));
  const ids: string[] = [];
  for (let at = 0; at <= LISTED_MAX + 1; at += 1) {
    harness.clock.advance(1000);
    ids.push(must(await states.create({ schema_name: 'any', initial_data: {} })).state_id);
  }
  const [first = '', second = ''] = ids;
  harness.clock.advance(1000);
  must(await states.mergePatch(first, { a: 1 }, {}));
  const { resources } = await listedBy(harness.operator);
  const listed = resources.map(({ name }) => name);
  expect(listed).toHaveLength(LISTED_MAX);
  expect(listed.slice(0, 2)).toEqual([first, ids.at(-1)]);
  expect(listed).not.toContain(second);
});

test('a list that fails is empty, since some clients drop a server whose list fails', async () => {
  const { states } = harness.operator;
  const without = (list: typeof states.list) => ({ ...harness.operator, states: { ...states, list } });
  const refused = without(() => Promise.resolve(fail('session_not_found', 'There is no such session')));
  const away = without(() => Promise.reject(new Error('fetch failed')));
  await expect(listedBy(refused)).resolves.toMatchObject({ resources: [] });
  await expect(listedBy(away)).resolves.toMatchObject({ resources: [] });
});
