// A fuzzer over the OpenAPI document: requests that satisfy its schemas, and requests that do not, to a running service.
// `COUNTERSIGN_TEST_RUNS` multiplies how many of each kind every operation gets.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EXAMPLES } from '../../../src/http/openapi/examples/index.js';
import { startCoordinator, type Coordinator } from '../../../src/main/coordinator.js';
import { silent } from '../../service/harness.js';
import { arbitraryOf, brokenOf } from './arbitrary.js';
import { OPERATIONS, resolved, undeclared, type Answered, type Operation } from './conformity.js';
import { runs } from '../../support/runs.js';

const RUNS = runs(6);
/** The same requests every time; another seed by `FUZZ_SEED`. */
const SEED = Number(process.env['FUZZ_SEED'] ?? 1);
const dir = mkdtempSync(join(tmpdir(), 'countersign-fuzz-'));
let coordinator: Coordinator;
/** Ids that are there, by the names that examples have for them. */
const known = new Map<string, string>([['ses_example', 'fuzzed']]);

interface Sent {
  readonly path: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly contentType?: string;
  readonly body?: unknown;
}

beforeAll(async () => {
  coordinator = await startCoordinator({
    host: '127.0.0.1',
    port: 0,
    db: join(dir, 'fuzz.db'),
    auth: false,
    allowHosts: [],
    allowOrigins: [],
    limits: { waitMsMax: 5, pollTimeoutMs: 5 },
    logger: silent,
  });
  await post('/workflow-schemas', { name: 'review', json_schema: { type: 'object' } });
  await post('/sessions', { session_name: 'fuzzed', external: true });
  const state = await post('/sessions/fuzzed/state', { initial_state: { note: 'x', tasks: [] } });
  known.set('wfstate_example', String(state['state_id']));
});
afterAll(async () => {
  await coordinator.close();
  rmSync(dir, { recursive: true, force: true });
});

async function post(path: string, body: object): Promise<Record<string, unknown>> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(coordinator.url + path, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  return (await response.json()) as Record<string, unknown>;
}

async function send({ path, method }: Operation, sent: Sent): Promise<Answered> {
  const where = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) =>
    encodeURIComponent(String(sent.path[name])),
  );
  const query = new URLSearchParams(
    Object.entries(sent.query).map(([name, value]): [string, string] => [name, String(value)]),
  );
  const stop = new AbortController();
  const response = await fetch(`${coordinator.url}${where}${query.size === 0 ? '' : `?${String(query)}`}`, {
    method,
    headers: sent.contentType === undefined ? {} : { 'content-type': sent.contentType },
    ...(sent.contentType === undefined ? {} : { body: JSON.stringify(sent.body) }),
    signal: stop.signal,
  });
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  const text = isStream ? 'events' : await response.text();
  if (isStream) stop.abort();
  return { status: response.status, headers: response.headers, text };
}

function parameters({ id, spec }: Operation, place: 'path' | 'query'): fc.Arbitrary<Record<string, any>> {
  const own = spec.parameters.map(resolved).filter((one: any) => one.in === place);
  const example = EXAMPLES[id]?.[place] ?? {};
  const values = own.map(({ name, schema }: any) => {
    const shown = example[name];
    const there = typeof shown === 'string' ? known.get(shown) : undefined;
    // A segment of dots is a step in the path to whoever makes a URL of it.
    const any = arbitraryOf(schema).filter((value) => place === 'query' || !/^\.{0,2}$/.test(String(value)));
    return [name, there === undefined ? any : fc.oneof({ weight: 4, arbitrary: fc.constant(there) }, any)];
  });
  const requiredKeys = own.filter((one: any) => one.required === true).map((one: any) => one.name);
  return fc.record(Object.fromEntries(values), { requiredKeys, noNullPrototype: true });
}

function bodies(
  { spec }: Operation,
  of: (schema: any) => fc.Arbitrary<unknown>,
): fc.Arbitrary<Partial<Sent>> | null {
  const content = Object.entries<any>(spec.requestBody?.content ?? {});
  if (content.length === 0) return null;
  return fc.oneof(
    ...content.map(([contentType, { schema }]) => of(schema).map((body) => ({ contentType, body }))),
  );
}

/** What says that a request has not the form that the document gives. */
const OF_FORM = new Set([
  'invalid_request',
  'invalid_json',
  'unsupported_media_type',
  'malformed_request',
  'patch_failed',
]);
/** What no schema says: members of the query that go only with others, places that have to be there, names twice. */
const BEYOND_SCHEMAS: readonly RegExp[] = [
  /needs after_version|contradicts|takes the place of|needs base_version|only together/,
  /stands twice|belongs to another tree|is not a cursor of this list/,
  /has no effect without|a condition is about versions|is not what \?event/,
  /name the root once|say once what|goes with the delivery|is not answered here/,
  /^\/(agent_id|tool_name|stop_hook_active|background_tasks)/,
  /is a name that no member may have|where are callbacks to be sent|say which session to resume/,
  /an external session cannot be resumed|only events of states have a schema/,
];

function problemOf({ text }: Answered): { error?: string; detail?: string } {
  try {
    return JSON.parse(text ?? '') as { error?: string; detail?: string };
  } catch {
    return {};
  }
}

/** The Unicode that no URL and no JSON text can carry is not sent. */
const tested = OPERATIONS.filter(({ id }) => id !== 'openSocket' && id !== 'mcp');

describe('every operation', () => {
  test.each(tested.map((one) => [one.id, one] as const))(
    '%s answers what satisfies its schemas as it says',
    { timeout: 60_000 },
    async (_id, operation) => {
      const body = bodies(operation, arbitraryOf) ?? fc.constant({});
      const requests = fc.record({
        path: parameters(operation, 'path'),
        query: parameters(operation, 'query'),
        body,
      });
      await fc.assert(
        fc.asyncProperty(requests, async ({ path, query, body: content }) => {
          const answer = await send(operation, { path, query, ...content });
          expect(undeclared(operation, answer)).toEqual([]);
          expect(answer.status).not.toBe(500);
          const { error = '', detail = '' } = problemOf(answer);
          if (answer.status === 422 && OF_FORM.has(error) && error !== 'patch_failed') {
            expect(
              BEYOND_SCHEMAS.some((pattern) => pattern.test(detail)),
              `${error}: ${detail}`,
            ).toBe(true);
          }
          expect(['invalid_json', 'unsupported_media_type', 'malformed_request']).not.toContain(error);
        }),
        { numRuns: RUNS, seed: SEED },
      );
    },
  );

  test.each(tested.filter(({ spec }) => spec.requestBody !== undefined).map((one) => [one.id, one] as const))(
    '%s refuses a body that its schemas do not take',
    { timeout: 60_000 },
    async (_id, operation) => {
      const requests = fc.record({
        path: parameters(operation, 'path'),
        body: bodies(operation, brokenOf) ?? fc.constant({}),
      });
      await fc.assert(
        fc.asyncProperty(requests, async ({ path, body }) => {
          const answer = await send(operation, { path, query: {}, ...body });
          expect(undeclared(operation, answer)).toEqual([]);
          // The gate before a tool is answered with a denial, whatever is wrong.
          const denied = operation.id === 'answerHook' && answer.text?.includes('denies') === true;
          if (!denied) expect(answer.status, answer.text).toBeGreaterThanOrEqual(400);
          expect(answer.status).not.toBe(500);
        }),
        { numRuns: RUNS, seed: SEED },
      );
    },
  );

  test.each(tested.map((one) => [one.id, one] as const))(
    '%s refuses a query that it does not know',
    async (_id, operation) => {
      const path = EXAMPLES[operation.id]?.path ?? {};
      const answer = await send(operation, { path, query: { not_a_member: 1 } });
      expect(undeclared(operation, answer)).toEqual([]);
      if (operation.id !== 'answerHook') expect(answer.status, answer.text).toBeGreaterThanOrEqual(400);
    },
  );
});
