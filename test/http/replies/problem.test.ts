// From codes to statuses, and what becomes of things that are thrown.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ERRORS, type ErrorCode } from '../../../src/domain/errors.js';
import { problemReply, STATUS, statusesOf, statusOf } from '../../../src/http/replies/problem.js';
import { NoThreadError } from '../../../src/ports/schema-engine.js';
import { BadCursorError } from '../../../src/ports/storage/reader.js';
import { CommitUnknownError, StorageError } from '../../../src/ports/storage/storage.js';
import { fakeApp, type Script } from '../fake-host.js';

const codes = Object.keys(ERRORS) as ErrorCode[];
const failure = (error: ErrorCode, members = {}) => ({ error, detail: 'd', members });

describe('the table', () => {
  test('has exactly the codes of the domain', () => {
    expect(Object.keys(STATUS).sort()).toEqual([...codes].sort());
    for (const code of codes) expect(statusesOf(code)).toContain(STATUS[code]);
  });

  /** `code` status[/status], as docs/http-api.md or the contract lists them. */
  test.each([
    ['invalid_request', [422]],
    ['invalid_json', [400]],
    ['unsupported_media_type', [415]],
    ['payload_too_large', [413]],
    ['schema_not_found', [404]],
    ['invalid_schema', [422]],
    ['schema_too_complex', [422]],
    ['incompatible_schema', [409]],
    ['schema_in_use', [409]],
    ['state_not_found', [404]],
    ['state_exists', [409]],
    ['validation_failed', [422]],
    ['transition_refused', [422]],
    ['patch_failed', [422]],
    ['version_conflict', [409, 412]],
    ['merge_conflict', [409]],
    ['write_scope_violation', [403]],
    ['limit_exceeded', [413, 422]],
    ['version_compacted', [410]],
    ['key_not_found', [404]],
    ['key_type_mismatch', [409]],
    ['workflow_required', [409]],
    ['workflow_entry_not_found', [404]],
    ['workflow_entry_exists', [409]],
    ['mode_refused', [409]],
    ['session_not_found', [404]],
    ['session_exists', [409]],
    ['session_busy', [409]],
    ['tree_too_deep', [422]],
    ['run_not_found', [404]],
    ['lease_lost', [409]],
    ['runner_not_found', [404]],
    ['callback_not_found', [404]],
    ['idempotency_in_flight', [409]],
    ['idempotency_mismatch', [422]],
    ['unauthorized', [401]],
    ['forbidden', [403]],
    ['host_refused', [421]],
    ['origin_refused', [403]],
    ['overloaded', [503]],
    ['record_damaged', [500]],
    ['state_tampered', [500]],
    ['storage_full', [507]],
    ['storage_busy', [503]],
    ['storage_failed', [503]],
    ['storage_lost', [503]],
    ['internal', [500]],
    ['route_not_found', [404]],
    ['method_not_allowed', [405]],
    ['malformed_request', [400]],
    ['headers_too_large', [431]],
    ['request_timeout', [408]],
    ['expectation_failed', [417]],
    ['upgrade_required', [426]],
    ['method_unknown', [501]],
  ] as const)('%s is %j, as the contract says', (code, statuses) => {
    expect([...statusesOf(code)].sort()).toEqual([...statuses]);
  });

  test('limit_exceeded is 413 where the limit is a size', () => {
    expect(statusOf(failure('limit_exceeded', { limit: 'stateBytesMax' }), false)).toBe(413);
    expect(statusOf(failure('limit_exceeded', { limit: 'documentDepthMax' }), false)).toBe(422);
    expect(statusOf(failure('limit_exceeded'), false)).toBe(422);
  });

  test('a problem has its code, texts, members and request id', () => {
    const { text, status, headers } = problemReply(
      failure('state_exists', { state_id: 'st_1' }),
      'req_1',
      false,
    );
    expect(JSON.parse(text ?? '')).toEqual({
      type: '/docs#error-state_exists',
      title: ERRORS.state_exists.title,
      status: 409,
      detail: 'd',
      error: 'state_exists',
      state_id: 'st_1',
      retryable: false,
      request_id: 'req_1',
    });
    expect([status, headers['content-type']]).toEqual([409, 'application/problem+json']);
  });
});

describe('what is thrown', () => {
  const script: Script = {};
  const { app, lines } = fakeApp(script);
  const ask = async (error: Error) => {
    lines.length = 0;
    script['runs.list'] = () => {
      throw error;
    };
    const response = await app.request('/runs?cursor=x', { headers: { 'x-request-id': 'abc-1' } });
    return { status: response.status, headers: response.headers, problem: (await response.json()) as any };
  };

  test('a bug is internal, logged with its stack, and nothing of it is told', async () => {
    const { status, problem } = await ask(new TypeError('secret /etc/path is undefined'));
    expect([status, problem.error, problem.request_id]).toEqual([500, 'internal', 'abc-1']);
    expect(JSON.stringify(problem)).not.toContain('secret');
    const logged = lines.find((line) => line.message === 'request failed');
    expect(logged?.level).toBe('error');
    expect((logged?.fields['err'] as Error).stack).toContain('secret');
    expect(logged?.fields['request_id']).toBe('abc-1');
  });

  test.each([
    ['storage_full', 507, null],
    ['storage_busy', 503, '1'],
    ['storage_failed', 503, '1'],
    ['storage_lost', 503, null],
  ] as const)('a database that cannot be used is %s', async (code, status, retryAfter) => {
    const answer = await ask(new StorageError(code, 'What to do.', { cause: new Error('/secret/path') }));
    expect(answer.headers.get('retry-after')).toBe(retryAfter);
    expect([answer.status, answer.problem.error, answer.problem.detail]).toEqual([
      status,
      code,
      'What to do.',
    ]);
    expect(answer.problem.retryable).toBe(true);
    expect(JSON.stringify(answer.problem)).not.toContain('secret');
  });

  test('a thread that the system does not give is overloaded', async () => {
    const answer = await ask(new NoThreadError('The system gives no thread', { cause: new Error('secret') }));
    expect([answer.status, answer.problem.error, answer.headers.get('retry-after')]).toEqual([
      503,
      'overloaded',
      '1',
    ]);
    expect(answer.problem.detail).toBe('The system gives no thread. Try again later.');
    expect(JSON.stringify(answer.problem)).not.toContain('secret');
  });

  test('a commit of which nothing is known is storage_failed and says so', async () => {
    const { status, problem } = await ask(new CommitUnknownError('the thread ended'));
    expect([status, problem.error]).toEqual([503, 'storage_failed']);
    expect(problem.detail).toContain('not known');
  });

  test('a cursor that is none of ours is invalid_request at the cursor', async () => {
    const { status, problem } = await ask(new BadCursorError('bad'));
    expect([status, problem.error, problem.errors[0].pointer]).toEqual([
      422,
      'invalid_request',
      '/query/cursor',
    ]);
  });
});

describe('paths that no route takes', () => {
  const { app } = fakeApp();

  test.each(['/nothing', '/runs/', '/runs/a/b/c', '/workflow-states/st_1/nothing'])(
    '%s is route_not_found',
    async (path) => {
      const response = await app.request(path);
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ error: 'route_not_found' });
    },
  );

  test.each([
    ['PUT', '/runs', 'POST, GET, HEAD, OPTIONS'],
    ['POST', '/workflow-states/st_1', 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS'],
    ['DELETE', '/openapi.json', 'GET, HEAD, OPTIONS'],
    ['GET', '/runner/register', 'POST, OPTIONS'],
  ])('%s %s is method_not_allowed', async (method, path, allow) => {
    const response = await app.request(path, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe(allow);
    expect(await response.json()).toMatchObject({ error: 'method_not_allowed', allowed: allow.split(', ') });
  });

  test('the page of the dashboard takes GET, where it is built', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'countersign-page-'));
    mkdirSync(join(folder, 'assets'));
    writeFileSync(join(folder, 'index.html'), '<!doctype html>');
    const built = fakeApp({}, { dashboard: folder });
    rmSync(folder, { recursive: true });
    const ask = async (method: string, on = built) => {
      const { status, headers } = await on.app.request('/', { method });
      return [status, headers.get('allow')];
    };
    expect(await ask('GET')).toEqual([200, null]);
    expect(await ask('OPTIONS')).toEqual([204, 'GET, HEAD, OPTIONS']);
    expect(await ask('POST')).toEqual([405, 'GET, HEAD, OPTIONS']);
    expect(await ask('OPTIONS', fakeApp())).toEqual([404, null]);
  });

  test('HEAD answers like GET without the body', async () => {
    const response = await app.request('/healthz', { method: 'HEAD' });
    expect([response.status, await response.text()]).toEqual([200, '']);
  });
});
