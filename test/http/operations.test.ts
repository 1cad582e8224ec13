// Health, numbers, and the service's description of itself.
import { describe, expect, test } from 'vitest';
import { ERRORS } from '../../src/domain/errors.js';
import { COMPONENTS } from '../../src/ports/api/components.js';
import { docsPage } from '../../src/http/openapi/docs-page.js';
import { openApiDocument, ROUTES } from '../../src/http/index.js';
import { ok, fakeApp, OPERATOR, fail } from './fake-host.js';

describe('health', () => {
  test('healthz is ok whatever else is wrong', async () => {
    const { app, host } = fakeApp({}, { draining: () => true });
    host.isReady = () => Promise.reject(new Error('no database'));
    const response = await app.request('/healthz');
    expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }]);
  });

  test.each([
    [{ status: 'ok', database: 'ok' }, 200, false, 'ok'],
    [{ status: 'ok', database: 'slow' }, 200, false, 'slow'],
    [{ status: 'draining' }, 503, true, 'ok'],
    [{ status: 'draining' }, 503, false, 'closing'],
    [{ status: 'unavailable', database: 'lost' }, 503, false, 'lost'],
    [{ status: 'unavailable', database: 'not_writable' }, 503, false, 'not_writable'],
    [{ status: 'unavailable' }, 503, false, new Error('no database')],
  ] as const)('readyz is %s, %i', async (health, code, draining, found) => {
    const { app, host } = fakeApp({}, { draining: () => draining });
    host.isReady = () => (found instanceof Error ? Promise.reject(found) : Promise.resolve(found));
    const response = await app.request('/readyz');
    expect([response.status, await response.json()]).toEqual([code, health]);
  });
});

describe('metrics', () => {
  test('count requests by route, method and status, and records by status', async () => {
    const { app } = fakeApp({ 'runs.get': () => fail('run_not_found', 'No') });
    await app.request('/runs/r1');
    await app.request('/runs/r2');
    await app.request('/nothing');
    const text = await (await app.request('/metrics')).text();
    expect(text).toContain('http_requests_total{route="/runs/{id}",method="GET",status="404"} 2');
    expect(text).toContain('http_requests_total{route="none",method="any",status="404"} 1');
    expect(text).toContain(
      'http_request_duration_seconds_bucket{le="0.001",route="/runs/{id}",method="GET"} 2',
    );
    expect(text).toContain(
      'http_request_duration_seconds_bucket{le="+Inf",route="/runs/{id}",method="GET"} 2',
    );
    expect(text).toContain('http_request_duration_seconds_count{route="/runs/{id}",method="GET"} 2');
    expect(text).toContain('countersign_runs{status="pending"} 2');
    expect(text).toContain('process_cpu_seconds_total');
    for (const line of text.split('\n'))
      expect(line).toMatch(/^$|^# |^[a-z_0-9]+(\{[^\n]*\})? -?[0-9.e+-]+$|N[aA][nN]$/);
  });

  test('with tokens in use are for operators and tokens', async () => {
    const { app, host } = fakeApp({}, { auth: true });
    host.identity = fail('unauthorized', 'No token');
    expect((await app.request('/metrics')).status).toBe(401);
    host.identity = ok({ kind: 'session', sessionId: 's', rootSessionId: 's', runId: null });
    expect((await app.request('/metrics')).status).toBe(403);
    host.identity = ok({ kind: 'token', role: 'reader', tokenName: 't' });
    expect((await app.request('/metrics')).status).toBe(200);
    host.identity = ok(OPERATOR);
    expect((await app.request('/metrics')).status).toBe(200);
  });

  test('on an open loopback are for anyone', async () => {
    const { app, host } = fakeApp();
    expect((await app.request('/metrics')).headers.get('content-type')).toMatch(/^text\/plain/);
    expect(host.credentials).toEqual([]);
  });
});

const document: any = openApiDocument(ROUTES, '1.2.3');
/** What a reference leads to. */
const resolved = (value: any): any =>
  value?.$ref === undefined
    ? value
    : value.$ref
        .slice(2)
        .split('/')
        .reduce((at: any, name: string) => at[name], document);
/** The codes of a problem answer. */
const codesOf = (answer: any): string[] => {
  const schema = resolved(answer).content?.['application/problem+json']?.schema;
  if (schema === undefined) return [];
  return (schema.oneOf ?? [schema]).map((form: any) => resolved(form).allOf[1].properties.error.const);
};
const operations: any[] = Object.entries(document.paths).flatMap(([path, methods]: [string, any]) =>
  Object.entries(methods).map(([method, operation]: [string, any]) => ({ path, method, ...operation })),
);

function* everything(value: unknown): Generator<any> {
  if (typeof value !== 'object' || value === null) return;
  yield value;
  for (const item of Object.values(value)) yield* everything(item);
}

describe('the OpenAPI document', () => {
  test('is served, with the version of the product', async () => {
    const { app } = fakeApp();
    const served: any = await (await app.request('/openapi.json')).json();
    expect(served).toEqual(document);
    expect([served.openapi, served.info.version]).toEqual(['3.1.0', '1.2.3']);
  });

  test('has every registered route, and no other', () => {
    const { app } = fakeApp();
    const registered = app.routes.map(
      ({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`,
    );
    const described = operations
      .filter(({ path }) => path !== '/ws')
      .map(({ method, path }) => `${String(method).toUpperCase()} ${String(path)}`);
    expect(described.sort()).toEqual(registered.sort());
  });

  test('gives each operation a name of its own, a summary, a tag, answers and security', () => {
    const names = operations.map(({ operationId }) => operationId);
    expect(new Set(names).size).toBe(names.length);
    const tags = document.tags.map((tag: any) => tag.name);
    for (const operation of operations) {
      expect(operation.operationId).toMatch(/^[a-z][A-Za-z]+$/);
      expect(operation.summary).toBeTruthy();
      expect(tags).toContain(operation.tags[0]);
      expect(operation.security.length).toBeGreaterThan(0);
      expect(Object.keys(operation.responses).some((status) => /^[123]/.test(status))).toBe(true);
      for (const [status, reference] of Object.entries<any>(operation.responses)) {
        const answer = resolved(reference);
        expect(status).toMatch(/^[1-5]\d\d$|^default$/);
        expect(answer.description).toBeTypeOf('string');
        expect(Object.keys(answer).every((key) => ['description', 'headers', 'content'].includes(key))).toBe(
          true,
        );
      }
    }
  });

  test('describes every parameter of a path, and each parameter once', () => {
    for (const { path, parameters } of operations) {
      const own = parameters.map(resolved);
      const inPath = own.filter((parameter: any) => parameter.in === 'path');
      expect(inPath.map((parameter: any) => `{${parameter.name}}`)).toEqual(path.match(/\{\w+\}/g) ?? []);
      expect(inPath.every((parameter: any) => parameter.required === true)).toBe(true);
      expect(new Set(own.map((parameter: any) => `${parameter.in} ${parameter.name}`)).size).toBe(own.length);
      expect(own.every((parameter: any) => typeof parameter.schema === 'object')).toBe(true);
    }
  });

  test('every reference leads somewhere, and every component is referred to', () => {
    const used = new Set<string>();
    for (const { $ref } of everything(document)) {
      if ($ref === undefined) continue;
      used.add($ref);
      let found: any = document;
      for (const name of $ref.slice(2).split('/')) found = found?.[name];
      expect(found, $ref).toBeTypeOf('object');
    }
    const unused = Object.keys(COMPONENTS).filter((name) => !used.has(`#/components/schemas/${name}`));
    expect(unused).toEqual([]);
  });

  test('names the codes of every problem', () => {
    const put = document.paths['/workflow-states/{id}'].put;
    const codes = (status: number) => codesOf(put.responses[status]);
    expect(codes(412)).toEqual(['version_conflict']);
    expect(codes(409)).toContain('version_conflict');
    expect(codes(415)).toEqual(['unsupported_media_type']);
    expect(codes(413)).toEqual(expect.arrayContaining(['limit_exceeded', 'payload_too_large']));
    expect(codes(421)).toEqual(['host_refused']);
    expect(Object.keys(document['x-error-codes'])).toEqual(Object.keys(ERRORS));
  });

  test.each([
    [
      ['createState', 'openKeyState'],
      ['schema_too_complex', 'transition_refused'],
    ],
    [['replaceState', 'patchState', 'operateOnState', 'revertState', 'migrateState'], ['schema_too_complex']],
    [
      ['setKey', 'operateOnKey', 'writeKeys', 'appendKeyEvent'],
      ['schema_too_complex', 'transition_refused'],
    ],
    [
      ['createSession', 'createRun'],
      ['invalid_schema', 'schema_too_complex', 'agent_not_found', 'agent_broken'],
    ],
    [['createRun'], ['session_not_external', 'session_busy']],
  ])('%j can answer %j', (named, wanted) => {
    for (const name of named) {
      const operation = operations.find(({ operationId }) => operationId === name);
      expect(operation, name).toBeDefined();
      const listed = Object.values(operation.responses).flatMap(codesOf);
      expect(listed, name).toEqual(expect.arrayContaining(wanted));
    }
  });

  test('lists the three forms of a patch', () => {
    expect(Object.keys(document.paths['/workflow-states/{id}'].patch.requestBody.content)).toEqual([
      'application/json-patch+json',
      'application/merge-patch+json',
      'application/json',
    ]);
  });
});

describe('the reference page', () => {
  const html = docsPage(openApiDocument(ROUTES, '1.2.3'));

  test('shows every operation with its path, parameters, bodies, answers and codes', () => {
    for (const { operationId, method, path, parameters, requestBody, responses } of operations) {
      const section =
        html.split(`<section class="operation" id="${String(operationId)}">`)[1]?.split('</section>')[0] ??
        '';
      expect(section, operationId).toContain(
        `>${String(method).toUpperCase()}</code><code>${String(path)}</code>`,
      );
      for (const { name } of parameters.map(resolved))
        expect(section).toContain(`<code>${String(name)}</code>`);
      for (const type of Object.keys(requestBody?.content ?? {})) expect(section).toContain(type);
      for (const status of Object.keys(responses)) expect(section).toContain(status);
      for (const code of Object.values(responses).flatMap(codesOf)) {
        expect(section).toContain(`#error-${code}"`);
      }
    }
  });

  test('every link within the page has its target, once', () => {
    const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [, target] of html.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(target);
  });

  test('holds nothing from elsewhere and no script', async () => {
    expect(html).not.toMatch(/<script|<link|<img|\son\w+=|src=|href="?[a-z]+:/);
    const { app } = fakeApp();
    const response = await app.request('/docs');
    expect(await response.text()).toBe(html);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  test('escapes all texts', () => {
    const evil = '<script>alert("1\'&")</script>';
    const page = docsPage({
      info: { title: evil, version: evil, description: evil },
      tags: [{ name: evil }],
      paths: {
        [evil]: {
          [evil]: {
            operationId: evil,
            summary: `\`${evil}\``,
            tags: [evil],
            parameters: [{ name: evil, in: evil, description: evil, schema: { pattern: evil } }],
            requestBody: { content: { [evil]: { schema: { $ref: `#/components/schemas/${evil}` } } } },
            responses: { [evil]: { description: evil, content: { [evil]: { schema: { [evil]: evil } } } } },
          },
        },
      },
      components: { schemas: { [evil]: { const: evil } } },
      'x-error-codes': { [evil]: { title: evil, retryable: true, statuses: [evil] } },
    });
    expect(page).not.toContain('<script');
    expect(page).not.toContain('alert("');
  });
});
