// Promises and conditions that cannot be kept are refused as the OpenAPI document says, by every operation that takes some.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCoordinator, type Coordinator } from '../../../src/main/coordinator.js';
import { silent } from '../../service/harness.js';
import { OPERATIONS, undeclared } from './conformity.js';

const dir = mkdtempSync(join(tmpdir(), 'countersign-impossible-'));
let coordinator: Coordinator;
let state = '';

/** @returns The answer, and what the document does not say of it. */
async function post(id: string, where: string, body: object) {
  const response = await fetch(coordinator.url + where, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  const operation = OPERATIONS.find((one) => one.id === id);
  if (operation === undefined) throw new Error(`there is no ${id}`);
  const answer = { status: response.status, headers: response.headers, text };
  return { body: JSON.parse(text), undeclared: undeclared(operation, answer) };
}

beforeAll(async () => {
  coordinator = await startCoordinator({
    host: '127.0.0.1',
    port: 0,
    db: join(dir, 'impossible.db'),
    auth: false,
    allowHosts: [],
    allowOrigins: [],
    limits: {},
    logger: silent,
  });
  const schema = (properties: object) => ({ type: 'object', properties, additionalProperties: false });
  for (const json_schema of [schema({ a: { type: 'string' } }), schema({ b: { type: 'string' } })])
    await post('registerSchema', '/workflow-schemas', { name: 'closed', json_schema });
  for (const name of ['with', 'without', 'later'])
    await post('createSession', '/sessions', { session_name: name, external: true });
  const made = await post('createState', '/workflow-states', {
    schema_name: 'closed',
    schema_version: 1,
    initial_data: {},
    root_session_name: 'with',
  });
  state = made.body.state_id;
  for (const [parent, rest] of [
    ['with', {}],
    ['later', { await_state: true }],
  ] as const) {
    const contract = { pointer: '/a', schema: { type: 'string' } };
    const child = { session_name: `child-of-${parent}`, external: true, parent_session_name: parent };
    await post('createSession', '/sessions', { ...child, completion: { contract, ...rest } });
  }
});
afterAll(async () => {
  await coordinator.close();
  rmSync(dir, { recursive: true, force: true });
});

const child = (name: string, parent: string) => ({ session_name: name, parent_session_name: parent });
const work = { type: 'start_session', prompt: 'go' };
const at = (pointer: string) => ({ completion: { contract: { pointer, schema: { type: 'string' } } } });

test.each<[code: string, id: string, where: string, body: object]>([
  ['state_required', 'createSession', '/sessions', { ...child('x', 'without'), external: true, ...at('/a') }],
  ['state_required', 'createRun', '/runs', { ...child('x', 'without'), ...work, ...at('/a') }],
  [
    'contract_impossible',
    'createSession',
    '/sessions',
    { ...child('x', 'with'), external: true, ...at('/z') },
  ],
  ['contract_impossible', 'createRun', '/runs', { ...child('x', 'with'), ...work, ...at('/z') }],
  [
    'contract_impossible',
    'createRun',
    '/runs',
    { ...child('x', 'with'), ...work, completion: { ...at('/a').completion, write_scope: ['/b'] } },
  ],
  [
    'write_scope_impossible',
    'createRun',
    '/runs',
    { ...child('x', 'with'), ...work, completion: { write_scope: ['/z'] } },
  ],
  ['contract_impossible', 'migrateState', '/workflow-states/{state}/migrate', { schema_version: 2 }],
  [
    'contract_impossible',
    'createState',
    '/workflow-states',
    { schema_name: 'closed', initial_data: {}, root_session_name: 'later' },
  ],
  [
    'contract_impossible',
    'openKeyState',
    '/sessions/later/state',
    { schema_name: 'closed', initial_state: {} },
  ],
  ['condition_impossible', 'waitForState', '/workflow-states/{state}/wait', { until: { required: ['z'] } }],
  ['workflow_required', 'waitForState', '/workflow-states/{state}/wait', { until: 'phase=complete' }],
  [
    'workflow_required',
    'createWebhook',
    '/webhooks',
    {
      url: 'https://ci.example/',
      events: ['workflow_state_updated'],
      state_id: '{state}',
      when: 'phase=complete',
    },
  ],
])('%s is declared for %s', async (code, id, where, body) => {
  const named = JSON.parse(JSON.stringify(body).replace('{state}', state));
  const answer = await post(id, where.replace('{state}', state), named);
  expect(answer.body.error, answer.body.detail).toBe(code);
  expect(answer.undeclared).toEqual([]);
});
