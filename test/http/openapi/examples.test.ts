// The examples of the OpenAPI document, sent to a running service on a real socket and a real database. Each answer has to
// be what the document says of it. `RECORD=1` writes the examples anew.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EXAMPLES, type Example } from '../../../src/http/openapi/examples/index.js';
import { startCoordinator, type Coordinator } from '../../../src/main/coordinator.js';
import { silent } from '../../service/harness.js';
import { eventually } from '../../support/eventually.js';
import { Receiver } from '../../support/receiver.js';
import {
  document,
  faultsOf,
  OPERATIONS,
  resolved,
  undeclared,
  type Answered,
  type Operation,
} from './conformity.js';
import { FLOW, type Step } from './flow.js';
import { record } from './record.js';

const dir = mkdtempSync(join(tmpdir(), 'countersign-openapi-'));
let coordinator: Coordinator;
let receiver: Receiver;
/** What the service gave for each name of the examples. */
const bound = new Map<string, string>();
const made: Record<string, Example> = {};

beforeAll(async () => {
  receiver = await Receiver.open();
  bound.set('https://ci.example/hooks/review', receiver.url('/review'));
  const agents = join(dir, 'agents');
  mkdirSync(agents);
  writeFileSync(
    join(agents, 'reviewer.json'),
    JSON.stringify({ description: 'Reviews a change', executor: 'claude-code', model: 'sonnet' }),
  );
  coordinator = await startCoordinator({
    host: '127.0.0.1',
    port: 0,
    db: join(dir, 'examples.db'),
    auth: false,
    allowHosts: [],
    allowOrigins: [],
    limits: {},
    agents,
    webhookAllow: 'private',
    logger: silent,
  });
});
afterAll(async () => {
  await coordinator.close();
  await receiver.close();
  rmSync(dir, { recursive: true, force: true });
});

/** With the ids that the service gave in place of those of the examples. */
function sent<T>(value: T): T {
  let text = JSON.stringify(value);
  for (const [name, real] of bound) text = text.replaceAll(`"${name}"`, JSON.stringify(real));
  return JSON.parse(text) as T;
}

function at(value: any, pointer: string): unknown {
  return pointer
    .slice(1)
    .split('/')
    .reduce((found, name) => found?.[name], value);
}

async function readSome(response: Response): Promise<string | undefined> {
  if (response.body === null) return undefined;
  if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true) return response.text();
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  while (!text.includes('\ndata: ')) {
    const { done, value } = await reader.read();
    if (done) break;
    text += decoder.decode(value, { stream: true });
  }
  await reader.cancel();
  return text;
}

async function send({ spec: _, path, method }: Operation, step: Step | Example): Promise<Answered> {
  const {
    path: names = {},
    query = {},
    headers = {},
    body,
    contentType = 'application/json',
  } = sent({
    ...step,
  });
  const where = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) =>
    encodeURIComponent(String(names[name])),
  );
  const search = new URLSearchParams(
    Object.entries(query).map(([name, one]): [string, string] => [name, String(one)]),
  );
  const response = await fetch(`${coordinator.url}${where}${search.size === 0 ? '' : `?${String(search)}`}`, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': contentType }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, text: await readSome(response) };
}

/** Members of the example that the answer does not have, or has with a value of another type. */
function differences(example: unknown, real: unknown, place = ''): string[] {
  if (typeof example !== typeof real || Array.isArray(example) !== Array.isArray(real)) {
    return example === null || real === null ? [] : [`${place}: ${JSON.stringify(real)}`];
  }
  if (typeof example !== 'object' || example === null || real === null) return [];
  return Object.entries(example).flatMap(([name, value]) =>
    Object.hasOwn(real as object, name)
      ? differences(value, (real as Record<string, unknown>)[name], `${place}/${name}`)
      : [`${place}/${name} is missing`],
  );
}

/** Sends a read again until it has what is to be bound: what follows from a commit may take a moment. */
async function sendUntilBound(operation: Operation, step: Step): Promise<Answered> {
  const pointers = operation.method === 'GET' ? Object.values(step.bind ?? {}) : [];
  for (let tries = 0; ; tries += 1) {
    const answer = await send(operation, step);
    const isThere = (pointer: string) => at(JSON.parse(answer.text ?? 'null'), pointer) !== undefined;
    if (tries === 100 || pointers.every(isThere)) return answer;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function post(path: string, body: object): Promise<void> {
  const response = await fetch(coordinator.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.status, await response.text()).toBeLessThan(300);
}

const operationOf = (id: string) => OPERATIONS.find((one) => one.id === id)!;

describe('the examples of the OpenAPI document', () => {
  test('are sent to a running service, which answers as the document says', { timeout: 60_000 }, async () => {
    for (const step of FLOW) {
      const operation = operationOf(step.id);
      const answer = await sendUntilBound(operation, step);
      const faults = undeclared(operation, answer);
      expect(faults, `${step.id} ${JSON.stringify(sent(step))}`).toEqual([]);
      expect(answer.status, `${step.id}: ${answer.text ?? ''}`).toBeLessThan(300);
      const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true;
      const value = isJson ? JSON.parse(answer.text ?? '') : answer.text;
      for (const [name, pointer] of Object.entries(step.bind ?? {})) {
        const real = at(value, pointer);
        expect(real, `${step.id}: ${answer.text ?? ''}`).toBeTypeOf('string');
        bound.set(name, String(real));
      }
      if (step.setup === true) continue;
      const { id, shows, ...rest } = step;
      const request = { ...rest, bind: undefined };
      const shown = shows ?? (value === '' || value === undefined ? undefined : value);
      made[id] = { ...request, status: answer.status, ...(shown === undefined ? {} : { answer: shown }) };
      if (process.env['RECORD'] !== undefined) continue;
      const example = EXAMPLES[id];
      expect({ ...example, status: 0, answer: null }, id).toEqual({ ...request, status: 0, answer: null });
      expect([example?.status, differences(example?.answer, shows ?? value)], id).toEqual([
        answer.status,
        [],
      ]);
    }
    if (process.env['RECORD'] !== undefined) await record(made, bound);
  });

  test('are there for every operation, and are what its schemas say', () => {
    for (const { id, path, method, spec } of OPERATIONS) {
      if (path === '/ws') continue;
      const example = EXAMPLES[id];
      expect(
        example,
        `${method} ${path} needs a step in test/http/openapi/flow.ts; then RECORD=1`,
      ).toBeDefined();
      expect(spec.description, id).toMatch(/\w.*\.$/);
      for (const parameter of spec.parameters.map(resolved)) {
        const given =
          parameter.in === 'path' ? example!.path : parameter.in === 'query' ? example!.query : {};
        if (parameter.required) expect(given, id).toHaveProperty([parameter.name]);
        const value = given?.[parameter.name];
        if (value !== undefined) expect(faultsOf(parameter.schema, value), id).toEqual([]);
      }
      const bodies = Object.values<any>(spec.requestBody?.content ?? {});
      const shown = bodies.filter(({ examples }) => examples !== undefined);
      expect(shown.length > 0, id).toBe(bodies.length > 0 && example!.body !== undefined);
      for (const { schema, examples } of shown)
        expect(faultsOf(schema, examples.example.value), id).toEqual([]);
      for (const answer of Object.values(spec.responses).map(resolved)) {
        for (const { schema, examples } of Object.values<any>(answer.content ?? {})) {
          if (examples !== undefined) expect(faultsOf(schema, examples.example.value), id).toEqual([]);
        }
      }
    }
  });
});

describe('the webhooks of the OpenAPI document', () => {
  test('are what a receiver is sent, kind by kind', { timeout: 60_000 }, async () => {
    const kinds = Object.keys(document.webhooks);
    const events = kinds.filter((kind) => kind !== 'callback');
    await post('/webhooks', { url: receiver.url('/all'), events });
    const callback_url = receiver.url('/callbacks');
    await post('/sessions', { session_name: 'told', external: true, delivery: 'webhook', callback_url });
    await post('/sessions/told/state', { initial_state: { n: 1 } });
    await post('/sessions', {
      session_name: 'kid',
      external: true,
      parent_session_name: 'told',
      callback: true,
    });
    await post('/sessions/kid/events', { type: 'session_start' });
    await post('/sessions/kid/events', { type: 'session_stop', result_text: 'done' });
    await post('/sessions/told/state/batch', { operations: [{ op: 'set', key: 'n', value: 2 }] });
    await post('/sessions/kid/completion/skip', {});
    await post('/runs', { type: 'start_session', session_name: 'ran', prompt: 'Do it.' });
    const found = await fetch(`${coordinator.url}/sessions/told/workflow-state`);
    const { state_id } = (await found.json()) as { state_id: string };
    await fetch(`${coordinator.url}/workflow-states/${state_id}`, { method: 'DELETE' });
    const heard = () => new Set(receiver.received.map(({ json }) => json.type));
    await eventually('a message of each kind', () => kinds.every((kind) => heard().has(kind)), 10_000);
    for (const { json, headers } of receiver.received) {
      const { parameters, requestBody } = document.webhooks[json.type].post;
      expect(faultsOf(requestBody.content['application/json'].schema, json), JSON.stringify(json)).toEqual(
        [],
      );
      for (const { name, required, schema } of parameters.map(resolved)) {
        const value = headers[String(name).toLowerCase()];
        if (required) expect(value).toBeDefined();
        if (value !== undefined) expect(faultsOf(schema, value), name).toEqual([]);
      }
    }
    for (const { post: operation } of Object.values<any>(document.webhooks)) {
      const { schema, examples } = operation.requestBody.content['application/json'];
      expect(faultsOf(schema, examples.example.value), operation.operationId).toEqual([]);
    }
  });
});
