// Which answers move a session's read cursor: only those that bring it the document.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHttpApp, type HttpApp } from '../../src/http/index.js';
import { DEFAULT_LIMITS } from '../../src/domain/limits.js';
import type { Countersign } from '../../src/ports/service.js';
import { must, openHarness, silent, type Harness } from '../service/harness.js';
import { json } from './fake-host.js';

let harness: Harness;
let app: HttpApp;
let operator: Countersign;
let trees = 0;

beforeAll(async () => {
  harness = await openHarness();
  ({ operator } = harness);
  app = createHttpApp({
    host: harness.service,
    limits: DEFAULT_LIMITS,
    logger: silent,
    clock: harness.clock,
    auth: false,
    allowedHosts: [],
    allowedOrigins: [],
    version: '0.0.0',
    draining: () => false,
  });
  must(await operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
});
afterAll(() => harness.close());

interface Reader {
  readonly state: string;
  readonly session: string;
  /** Requests as the session. */
  readonly get: (path: string, init?: RequestInit) => Promise<Response>;
  readonly write: (data: object) => Promise<unknown>;
}

/** A session that has read version 1 of its tree's state; its sibling has then written version 2. */
async function reader(): Promise<Reader> {
  const session = `reader-${String((trees += 1))}`;
  must(await operator.sessions.create({ session_name: session, external: true }));
  const body = { schema_name: 'any', initial_data: { parts: { base: 1 } }, root_session_name: session };
  const { state_id: state } = must(await operator.states.create(body));
  const get = async (path: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    headers.set('x-agent-session-name', session);
    return app.request(path, { ...init, headers });
  };
  await get(`/workflow-states/${state}`);
  must(await operator.states.mergePatch(state, { parts: { sibling: 2 } }, {}));
  const write = async (data: object): Promise<unknown> =>
    (await get(`/workflow-states/${state}`, json('PUT', { data, base_version: 'last_read' }))).json();
  return { state, session, get, write };
}

/** A wait whose caller disconnects before the answer. */
async function abandoned({ get }: Reader, path: string): Promise<void> {
  const caller = new AbortController();
  const answer = get(path, { signal: caller.signal });
  caller.abort();
  await answer;
}

const none: RequestInit = { headers: { 'if-none-match': '*' } };
const head: RequestInit = { method: 'HEAD' };

describe('the read cursor stays where it is', () => {
  it.each<[string, (reader: Reader) => Promise<unknown>]>([
    ['HEAD of a state', ({ get, state }) => get(`/workflow-states/${state}`, head)],
    ['HEAD at a pointer', ({ get, state }) => get(`/workflow-states/${state}?pointer=`, head)],
    ['HEAD of a session’s state', ({ get, session }) => get(`/sessions/${session}/workflow-state`, head)],
    ['HEAD of the keys', ({ get, session }) => get(`/sessions/${session}/state`, head)],
    ['If-None-Match: *', ({ get, state }) => get(`/workflow-states/${state}`, none)],
    ['… at a pointer', ({ get, state }) => get(`/workflow-states/${state}?pointer=`, none)],
    ['… of a session’s state', ({ get, session }) => get(`/sessions/${session}/workflow-state`, none)],
    ['… of the keys', ({ get, session }) => get(`/sessions/${session}/state`, none)],
    [
      'a wait that its caller gave up',
      (one) => abandoned(one, `/workflow-states/${one.state}?after_version=2&wait=60s`),
    ],
    [
      'a wait at a pointer that its caller gave up',
      (one) => abandoned(one, `/workflow-states/${one.state}?pointer=&after_version=2&wait=60s`),
    ],
  ])('%s', async (_, read) => {
    const one = await reader();
    await read(one);
    const written = await one.write({ parts: { base: 1, mine: 3 } });
    expect(written).toMatchObject({
      merged: true,
      current_data: { parts: { base: 1, mine: 3, sibling: 2 } },
    });
  });
});

describe('the read cursor moves', () => {
  it.each<[string, (reader: Reader) => Promise<Response>, number]>([
    ['GET', ({ get, state }) => get(`/workflow-states/${state}`), 200],
    ['GET of a session’s state', ({ get, session }) => get(`/sessions/${session}/workflow-state`), 200],
    ['GET of the keys', ({ get, session }) => get(`/sessions/${session}/state`), 200],
    [
      'a wait that is over',
      ({ get, state }) => get(`/workflow-states/${state}?after_version=1&wait=60s`),
      200,
    ],
    [
      '304 to the version that the caller has',
      ({ get, state }) => get(`/workflow-states/${state}`, { headers: { 'if-none-match': '"2"' } }),
      304,
    ],
  ])('%s', async (_, read, status) => {
    const one = await reader();
    const response = await read(one);
    expect(response.status).toBe(status);
    await response.text();
    expect(await one.write({ parts: { base: 1 } })).toMatchObject({
      merged: false,
      current_data: { parts: { base: 1 } },
    });
  });
});
