// Repeated requests whose stored answer cannot be rebuilt, held against the OpenAPI document.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/domain/limits.js';
import { createHttpApp, type HttpApp } from '../../../src/http/index.js';
import { must, openHarness, silent, type Harness } from '../../service/harness.js';
import { OPERATIONS, undeclared } from './conformity.js';

let harness: Harness;
let app: HttpApp;
let stateId: string;

beforeEach(async () => {
  harness = await openHarness();
  app = createHttpApp({
    host: harness.service,
    limits: { ...DEFAULT_LIMITS, keptAnswerBytesMax: 10 },
    logger: silent,
    clock: harness.clock,
    auth: false,
    allowedHosts: [],
    allowedOrigins: [],
    version: '1',
    draining: () => false,
  });
  must(await harness.operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
  for (const session_name of ['root', 'other', 'third'])
    must(await harness.operator.sessions.create({ session_name, external: true }));
  stateId = must(
    await harness.operator.states.create({
      schema_name: 'any',
      initial_data: { n: 0 },
      root_session_name: 'root',
    }),
  ).state_id;
});
afterEach(() => harness.close());

test.each<[string, string, object, string?]>([
  ['replaceState', '/workflow-states/{state}', { data: { n: 1 } }],
  ['patchState', '/workflow-states/{state}', { operations: [{ op: 'add', path: '/a', value: 1 }] }],
  [
    'operateOnState',
    '/workflow-states/{state}/ops',
    { operations: [{ op: 'set', pointer: '/n', value: 1 }] },
  ],
  ['revertState', '/workflow-states/{state}/revert', { to_version: 1 }],
  ['migrateState', '/workflow-states/{state}/migrate', { schema_version: 1 }],
  ['setKey', '/sessions/root/state/keys/a', { value: 1 }],
  ['operateOnKey', '/sessions/root/state/keys/n/ops', { operation: 'increment', delta: 1 }],
  ['appendKeyEvent', '/sessions/root/state/events', { type: 'set', key: 'b', value: 1 }],
  ['createState', '/workflow-states', { schema_name: 'any', initial_data: {}, root_session_name: 'other' }],
  ['openKeyState', '/sessions/third/state', { initial_state: {} }],
])(
  '%s declares the answer to a request that was carried out on a state which is gone',
  async (id, path, body) => {
    const operation = OPERATIONS.find((one) => one.id === id);
    if (operation === undefined) throw new Error(`there is no ${id}`);
    const send = async () => {
      const response = await app.request(path.replace('{state}', stateId), {
        method: operation.method,
        headers: { 'content-type': 'application/json', 'idempotency-key': 'k' },
        body: JSON.stringify(body),
      });
      return { status: response.status, headers: response.headers, text: await response.text() };
    };
    const first = await send();
    expect([200, 201]).toContain(first.status);
    expect(undeclared(operation, first)).toEqual([]);
    must(await harness.operator.states.remove(JSON.parse(first.text).state_id));
    const before = harness.dump();
    const again = await send();
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([404, 'true']);
    expect(undeclared(operation, again)).toEqual([]);
    expect(operation.spec.responses).toHaveProperty('410');
    expect(harness.dump()).toBe(before);
  },
);

test('a wait whose condition did not hold waits again when it is sent again', async () => {
  const wait = async () => {
    const response = await app.request(`/workflow-states/${stateId}/wait`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'k' },
      body: JSON.stringify({ until: { properties: { n: { const: 1 } } }, timeout_ms: 0 }),
    });
    const { matched } = JSON.parse(await response.text());
    return { matched, replayed: response.headers.get('idempotency-replayed') };
  };
  expect(await wait()).toMatchObject({ matched: false, replayed: null });
  must(await harness.operator.states.mergePatch(stateId, { n: 1 }, {}));
  expect(await wait()).toMatchObject({ matched: true, replayed: null });
});
