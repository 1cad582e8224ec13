// Envelopes, entity tags and preconditions of workflow states.
import { describe, expect, test } from 'vitest';
import { StateReplies } from '../../src/http/replies/state-reply.js';
import { ok, fakeApp, ENVELOPE, FakeHost, json, fail, type Script } from './fake-host.js';

const script: Script = {
  'states.get': () => ok(ENVELOPE),
  'states.getAt': () => ok({ state_id: 'st_1', version: 7, pointer: '/phase', value: 'plan' }),
  'states.replace': () => ok({ ...ENVELOPE, changed: true }),
  'states.create': () => ok(ENVELOPE),
  'sessions.state': () => ok(ENVELOPE),
};
const { app, host } = fakeApp(script);

describe('the text of an envelope', () => {
  test('is that of JSON.stringify', () => {
    const { current_data: data, ...rest } = ENVELOPE;
    const replies = new StateReplies(new FakeHost());
    for (const envelope of [
      ENVELOPE,
      { current_data: data, ...rest },
      { ...rest, current_data: data },
      { ...ENVELOPE, current_data: {} },
      { ...ENVELOPE, current_data: { a: null } },
      { ...ENVELOPE, current_data: { current_data: null, wide: 'ü😀' } },
      { ...ENVELOPE, root_session_name: 'a"current_data":null,ü"b', changed: true },
      { ...ENVELOPE, changed: false, merged: true, warnings: [{ pointer: '/ö' }] },
      { ...ENVELOPE, schema_id: 'sch_2', schema_name: 'ä', schema_version: 2, updated_by: 'ses_"ß"' },
      { ...ENVELOPE, version: 8, changed: undefined },
      ENVELOPE,
    ]) {
      const text = JSON.stringify(envelope);
      expect(replies.textOf(envelope)).toEqual({ text, bytes: Buffer.byteLength(text) });
    }
  });

  test('stands in a list as it is, beside states without a document', async () => {
    const { current_data: data, ...summary } = ENVELOPE;
    const page = { items: [{ ...summary, current_data: data }, summary], next_cursor: 'c' };
    const list = fakeApp({ 'states.list': () => ok(page) });
    const response = await list.app.request('/workflow-states?include=data');
    expect(await response.text()).toBe(JSON.stringify(page));
  });

  test('leaves as it is', async () => {
    const response = await app.request('/workflow-states/st_1');
    expect(await response.text()).toBe(JSON.stringify(ENVELOPE));
  });
});

describe('ETag', () => {
  test.each([
    ['GET /workflow-states/st_1', undefined],
    ['GET /workflow-states/st_1?pointer=/phase', undefined],
    ['PUT /workflow-states/st_1', { data: {} }],
    ['POST /workflow-states', { schema_name: 'tasks', initial_data: {} }],
  ])('is the version on %s', async (call, body) => {
    const [method = '', url = ''] = call.split(' ');
    const response = await app.request(url, body === undefined ? { method } : json(method, body));
    expect(response.ok).toBe(true);
    expect(response.headers.get('etag')).toBe('"7"');
  });

  test('is not on the answer of a dry run, whose version is no one’s', async () => {
    const response = await app.request('/workflow-states/st_1?dry_run=true', json('PUT', { data: {} }));
    expect(response.headers.get('etag')).toBeNull();
  });
});

test('a missing document is told with what would have been taken', async () => {
  const response = await app.request('/workflow-states/st_1', json('PUT', {}));
  expect(response.status).toBe(422);
  expect(await response.json()).toMatchObject({
    error: 'invalid_request',
    errors: [{ pointer: '/data', keyword: 'required', expected: 'The whole document' }],
  });
});

describe('If-None-Match', () => {
  test.each([
    ['"7"', 304],
    ['W/"7"', 304],
    ['"5", "7"', 304],
    ['"5",W/"7","9"', 304],
    ['*', 304],
    ['"5"', 200],
    ['"5", "8"', 200],
    ['7', 200],
  ])('%s gives %i', async (header, status) => {
    for (const url of ['/workflow-states/st_1', '/workflow-states/st_1?pointer=/phase']) {
      const response = await app.request(url, { headers: { 'if-none-match': header } });
      expect(response.status).toBe(status);
      expect(response.headers.get('etag')).toBe('"7"');
      if (status === 304) expect(await response.text()).toBe('');
    }
  });
});

describe('If-Match', () => {
  const put = (ifMatch: string) =>
    app.request('/workflow-states/st_1', json('PUT', { data: {} }, { 'if-match': ifMatch }));
  const asked = () => host.asked.at(-1)?.args[2];

  test('one tag is the expected version', async () => {
    expect((await put('"12"')).status).toBe(200);
    expect(asked()).toMatchObject({ ifMatch: 12 });
  });

  test('with the id of the state says the same as the version', async () => {
    expect((await put('"12.st_1"')).status).toBe(200);
    expect(asked()).toMatchObject({ ifMatch: 12 });
  });

  test('* is no expectation', async () => {
    expect((await put('*')).status).toBe(200);
    expect(asked()).toMatchObject({ ifMatch: undefined });
  });

  test.each([
    ['"1", "2"', [1, 2]],
    ['"1" , , "2.st_1",', [1, 2]],
    ['"1", W/"2", "x", "3.st_2"', [1]],
    ['W/"7"', []],
    ['"x"', []],
    ['"0"', []],
    ['"01"', []],
    ['""', []],
    ['"7.st_2"', []],
    ['"99999999999999999999"', []],
  ])('%s is a list of which one has to hold', async (header, versions) => {
    expect((await put(header)).status).toBe(200);
    expect(asked()).toMatchObject({ ifMatch: versions });
  });

  test.each(['7', '"7', '"1" "2"', '"1", *', 'w/"7"', ',', ''])(
    '%s is refused, and what is accepted is named',
    async (header) => {
      host.asked.length = 0;
      const response = await put(header);
      expect(response.status).toBe(422);
      expect(await response.json()).toMatchObject({
        error: 'invalid_request',
        errors: [{ pointer: '/headers/if-match', expected: expect.stringContaining('such as "7"') }],
      });
      expect(host.asked).toEqual([]);
    },
  );

  test('holds for DELETE too', async () => {
    host.asked.length = 0;
    const headers = { 'if-match': '"7"' };
    await app.request('/workflow-states/st_1', { method: 'DELETE', headers });
    expect(host.asked).toEqual([{ verb: 'states.remove', args: ['st_1', { ifMatch: 7 }] }]);
  });

  test('a version conflict is 412 with it and 409 with expected_version', async () => {
    const conflict = { current_version: 8, your_version: 7, current_data: { a: 1 } };
    const { app: refusing } = fakeApp({
      'states.replace': () => fail('version_conflict', 'Not 7', conflict),
    });
    const with412 = await refusing.request(
      '/workflow-states/st_1',
      json('PUT', { data: {} }, { 'if-match': '"7"' }),
    );
    const with409 = await refusing.request(
      '/workflow-states/st_1',
      json('PUT', { data: {}, expected_version: 7 }),
    );
    expect([with412.status, with409.status]).toEqual([412, 409]);
    expect(await with412.json()).toMatchObject({ error: 'version_conflict', status: 412, ...conflict });
    expect(await with409.json()).toMatchObject({ error: 'version_conflict', status: 409, ...conflict });
  });
});
