// The header of writes whose documents are close to the size that they may have.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/domain/limits.js';
import { createHttpApp, type HttpApp } from '../../../src/http/index.js';
import { OPERATIONS, undeclared } from '../openapi/conformity.js';
import { must, openHarness, silent, type Harness } from '../../service/harness.js';

const LIMITS = { stateBytesMax: 1000 };
let harness: Harness;
let app: HttpApp;

beforeEach(async () => {
  harness = await openHarness(LIMITS);
  must(await harness.operator.schemas.register({ name: 'plan', json_schema: { type: 'object' } }));
  app = createHttpApp({
    host: harness.service,
    limits: { ...DEFAULT_LIMITS, ...LIMITS },
    logger: silent,
    clock: { now: () => Date.now(), wall: () => Date.now() },
    auth: false,
    allowedHosts: [],
    allowedOrigins: [],
    version: '1',
    draining: () => false,
  });
});
afterEach(() => harness.close());

/** Holds each answer against the OpenAPI document too. */
const send = async (method: string, path: string, body: unknown) => {
  const response = await app.request(`http://127.0.0.1${path}`, {
    method,
    headers: { 'content-type': 'application/json', host: '127.0.0.1' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  const operation = OPERATIONS.find(
    (one) => one.method === method && new RegExp(`^${one.path.replace(/\{\w+\}/g, '[^/]+')}$`).test(path),
  );
  if (operation === undefined) throw new Error(`there is no ${method} ${path}`);
  expect(undeclared(operation, { status: response.status, headers: response.headers, text })).toEqual([]);
  const value = JSON.parse(text) as Record<string, any>;
  return { status: response.status, warning: response.headers.get('countersign-warning'), value };
};

it('says so on every way of writing, and nothing where there is room', async () => {
  const text = 'x'.repeat(850);
  const created = await send('POST', '/workflow-states', { schema_name: 'plan', initial_data: { text } });
  expect(created).toMatchObject({ status: 201, warning: 'stateBytesMax; actual=861; maximum=1000' });
  const { state_id: id, root_session_id: root } = created.value;
  const put = await send('PUT', `/workflow-states/${String(id)}`, { data: { text, n: 1 } });
  expect(put).toMatchObject({ status: 200, warning: 'stateBytesMax; actual=867; maximum=1000' });
  expect(put.value['warnings']).toMatchObject([{ keyword: 'stateBytesMax' }]);
  const key = await send('PUT', `/sessions/${String(root)}/state/keys/n`, { value: 23 });
  expect(key).toMatchObject({ status: 200, warning: 'stateBytesMax; actual=868; maximum=1000' });
  const batch = await send('POST', `/sessions/${String(root)}/state/batch`, {
    operations: [{ op: 'set', key: 'n', value: 234 }],
  });
  expect(batch).toMatchObject({ status: 200, warning: 'stateBytesMax; actual=869; maximum=1000' });
  must(await harness.operator.sessions.create({ session_name: 'other', external: true }));
  const opened = await send('POST', '/sessions/other/state', { initial_state: { text } });
  expect(opened).toMatchObject({ status: 201, warning: 'stateBytesMax; actual=861; maximum=1000' });
  const small = await send('PUT', `/workflow-states/${String(id)}`, { data: {} });
  expect(small).toMatchObject({ status: 200, warning: null });
});

it('says so on the writes of a workflow record', async () => {
  must(await harness.operator.sessions.create({ session_name: 'flow', external: true }));
  const initial_data = { text: 'x'.repeat(410) };
  const created = await send('POST', '/workflow-states', {
    schema_name: 'orchestrator-workflow',
    initial_data,
    root_session_name: 'flow',
  });
  expect(created.status).toBe(201);
  const path = `/workflow-states/${String(created.value['state_id'])}/workflow`;
  for (const [method, where, body] of [
    ['PUT', 'phase', { phase: 'validation' }],
    ['PUT', 'mode', { mode: 'disabled' }],
  ] as const) {
    const written = await send(method, `${path}/${where}`, body);
    expect(written).toMatchObject({ status: 200, value: { warnings: [{ keyword: 'stateBytesMax' }] } });
    expect(written.warning).toMatch(/^stateBytesMax; actual=[0-9]+; maximum=1000$/);
  }
});
