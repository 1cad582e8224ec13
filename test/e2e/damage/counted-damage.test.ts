// Each damaged record that a request or background work meets is logged once, and counted.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { appOn } from '../../service/http-app.js';
import { must, openHarness, type Harness } from '../../service/harness.js';

let harness: Harness;
let stateId: string;
const app = appOn(() => harness);

beforeEach(async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  harness = await openHarness();
  const { operator } = harness;
  must(await operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
  must(await operator.sessions.create({ session_name: 'root', external: true }));
  const root = await harness.as('root');
  stateId = must(await root.states.create({ schema_name: 'any', initial_data: {} })).state_id;
  must(await root.states.patch(stateId, [{ op: 'add', path: '/n', value: 1 }], {}));
});
afterEach(async () => {
  await harness.close();
  vi.restoreAllMocks();
});

const counted = async () => {
  const text = await (await app.request('/metrics')).text();
  return /countersign_damaged_records\{status="met"\} (\d+)/.exec(text)?.[1];
};

it.each([
  ['an event', "update state_events set kind = 'odd' where version = 2", 'events'],
  ['a schema', "update workflow_schemas set json_schema = '{'", 'schema'],
  ['a snapshot', 'delete from state_snapshots', 'document'],
])('%s that requests need', async (_what, sql, part) => {
  harness.tamper(sql);
  await harness.restart();
  expect(await counted()).toBe('0');
  const path = {
    events: `/workflow-states/${stateId}/events`,
    schema: '/workflow-schemas/any',
    document: `/workflow-states/${stateId}`,
  }[part]!;
  for (let request = 0; request < 3; request += 1) {
    const answer = await app.request(path);
    expect([answer.status, await answer.json()]).toMatchObject([500, { error: 'record_damaged' }]);
  }
  expect(await counted()).toBe('1');
});

it('a record that is set aside', async () => {
  must(
    await (await harness.as('root')).sessions.create({ session_name: 'kid', external: true, callback: true }),
  );
  harness.tamper("update sessions set settings = '' where session_name = 'kid'");
  await harness.restart();
  must(await harness.operator.sessions.stop('kid', { reason: 'Nobody needs it.' }));
  expect(await counted()).toBe('1');
});
