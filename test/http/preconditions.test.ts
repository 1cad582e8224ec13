// Entity tags: which of them a read has, and what it makes of the conditions that name them.
import { describe, expect, test } from 'vitest';
import { ROUTES } from '../../src/http/index.js';
import { ok, fakeApp, ENVELOPE, type Script } from './fake-host.js';

const FACTS = { version: 3, updated_at: '2026-01-01T00:00:00.000Z', updated_by: null };
const script: Script = {
  'states.get': () => ok(ENVELOPE),
  'states.getAt': () => ok({ state_id: 'st_1', version: 7, pointer: '/phase', value: 'plan' }),
  'sessions.state': () => ok(ENVELOPE),
  'keys.all': () =>
    ok({
      root_session_id: 'r',
      state_id: 'st_1',
      keys: { a: { value: 1, ...FACTS } },
      global_version: 9,
    }),
  'keys.get': () =>
    ok({ root_session_id: 'r', state_id: 'st_1', key: 'a', value: 1, ...FACTS, global_version: 9 }),
};
const { app, host } = fakeApp(script);
const read = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  app.request(path, { method, headers });

const READS: readonly (readonly [string, string])[] = [
  ['/workflow-states/st_1', '"7"'],
  ['/workflow-states/st_1?pointer=/phase', '"7"'],
  ['/workflow-states/st_1?at_version=7', '"7"'],
  ['/sessions/root/workflow-state', '"7.st_1"'],
  ['/sessions/root/state/keys/a', '"3.st_1"'],
];

test('every read whose answer has an ETag takes both conditions, and says so', () => {
  const tagged = ROUTES.filter(({ method, answers }) => method === 'GET' && answers[200]?.etag === true);
  expect(tagged.map(({ path }) => path).sort()).toEqual([
    '/sessions/{id}/state',
    '/sessions/{id}/state/keys/{key}',
    '/sessions/{id}/workflow-state',
    '/workflow-states/{id}',
  ]);
  for (const { headers, answers, errors } of tagged) {
    expect(Object.keys(headers ?? {})).toEqual(['If-Match', 'If-None-Match']);
    expect(answers[304]?.etag).toBe(true);
    expect(errors).toContain('version_conflict');
  }
});

describe.each(READS)('%s', (path, etag) => {
  test('has its tag, and 304 for whoever has it', async () => {
    expect((await read(path)).headers.get('etag')).toBe(etag);
    for (const header of [etag, `W/${etag}`, `"0", ${etag}`, '*']) {
      const known = await read(path, { 'if-none-match': header });
      expect([known.status, known.headers.get('etag'), await known.text()]).toEqual([304, etag, '']);
      expect((await read(path, { 'if-none-match': header }, 'HEAD')).status).toBe(304);
    }
    expect((await read(path, { 'if-none-match': '"8", W/"x"' })).status).toBe(200);
  });

  test('is given only where If-Match holds, which is looked at first', async () => {
    for (const header of [etag, `"0", ${etag}`, '*']) {
      expect((await read(path, { 'if-match': header })).status).toBe(200);
    }
    for (const header of ['"8"', `W/${etag}`, '"x"', '"7.st_2"']) {
      const other = await read(path, { 'if-match': header, 'if-none-match': etag });
      const problem: any = await other.json();
      expect([other.status, problem.error]).toEqual([412, 'version_conflict']);
      expect([problem.current_version, problem.your_version]).toEqual([etag === '"3.st_1"' ? 3 : 7, null]);
      expect(problem).toHaveProperty(
        path.includes('pointer') || path.includes('keys') ? 'current_value' : 'current_data',
      );
    }
    expect((await read(path, { 'if-match': 'x' })).status).toBe(422);
    expect((await read(path, { 'if-match': etag, 'if-none-match': etag })).status).toBe(304);
  });
});

test('the tag of a state may hold its id, which is in the URL', async () => {
  const path = '/workflow-states/st_1';
  expect((await read(path, { 'if-none-match': '"7.st_1"' })).status).toBe(304);
  expect((await read(path, { 'if-none-match': '"7.st_2"' })).status).toBe(200);
  expect((await read(path, { 'if-match': '"7.st_1"' })).status).toBe(200);
});

test.each(['"3"', '"3.st_2"', '"2.st_1"'])('a key is not known by %s', async (tag) => {
  expect((await read('/sessions/root/state/keys/a', { 'if-none-match': tag })).status).toBe(200);
});

test('a key says the version of its state in a header, since its body must not change with it', async () => {
  const response = await read('/sessions/root/state/keys/a');
  expect(response.headers.get('x-workflow-state-version')).toBe('9');
  expect(await response.json()).toEqual({
    root_session_id: 'r',
    state_id: 'st_1',
    key: 'a',
    value: 1,
    ...FACTS,
  });
});

test('the tag of all keys is one of what is said of each', async () => {
  const path = '/sessions/root/state';
  const etag = (await read(path)).headers.get('etag') ?? '';
  expect(etag).toMatch(/^"9\.st_1\.[\w-]{12}"$/);
  expect((await read(path, { 'if-none-match': etag })).status).toBe(304);
  expect((await read(path, { 'if-match': etag })).status).toBe(200);
  expect((await read(path, { 'if-match': '"9.st_1"' })).status).toBe(412);
  const other = fakeApp({
    'keys.all': () =>
      ok({
        root_session_id: 'r',
        state_id: 'st_1',
        keys: { a: { value: 1, ...FACTS, version: 4 } },
        global_version: 9,
      }),
  });
  expect((await other.app.request(path)).headers.get('etag')).not.toBe(etag);
});

test.each(['3', '"3', '"a" "b"'])('%s is no condition of a write of a key', async (tag) => {
  for (const name of ['if-match', 'if-none-match']) {
    host.asked.length = 0;
    const response = await app.request('/sessions/root/state/keys/a', {
      method: 'PUT',
      headers: { 'content-type': 'application/json', [name]: tag },
      body: '{"value": 1}',
    });
    const problem: any = await response.json();
    expect([response.status, problem.error, problem.errors[0].pointer]).toEqual([
      422,
      'invalid_request',
      `/headers/${name}`,
    ]);
    expect(host.asked).toEqual([]);
  }
});
