// Entity tags and conditions against the whole service on a real database: what a tag stands for, and that nothing is
// written where a condition does not hold.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/index.js';
import { DEFAULT_LIMITS } from '../../src/domain/limits.js';
import { createHttpApp, type HttpApp } from '../../src/http/index.js';
import { must, openHarness, failure, silent, type Harness } from '../service/harness.js';

let harness: Harness;
let app: HttpApp;
let id: string;

async function ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await app.request(path, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const answer: any = text === '' ? null : JSON.parse(text);
  return { status: response.status, etag: response.headers.get('etag') ?? '', answer, text };
}
const KEY = '/sessions/root/state/keys';
const put = (key: string, value: unknown, headers?: Record<string, string>) =>
  ask('PUT', `${KEY}/${key}`, { value }, headers);
const open = async () => {
  const state = await ask('POST', '/sessions/root/state', { initial_state: { n: 0 } });
  return String(state.answer.state_id);
};

beforeEach(async () => {
  harness = await openHarness();
  app = createHttpApp({
    host: harness.service,
    limits: DEFAULT_LIMITS,
    logger: silent,
    clock: harness.clock,
    auth: false,
    allowedHosts: [],
    allowedOrigins: [],
    version: 'test',
    draining: () => false,
  });
  must(await harness.operator.sessions.create({ session_name: 'root', external: true }));
  id = await open();
});
afterEach(() => harness.close());

async function refusedUnwritten(asked: () => ReturnType<typeof ask>) {
  const before = harness.dump();
  const found = await asked();
  expect(harness.dump()).toBe(before);
  return [found.status, found.answer.error];
}

describe('the tag of a key', () => {
  it('stays with what the key says while another key is written, and a write may expect it', async () => {
    const first = await ask('GET', `${KEY}/n`);
    await put('other', 1);
    const second = await ask('GET', `${KEY}/n`);
    expect([second.etag, second.text]).toEqual([first.etag, first.text]);
    expect((await ask('GET', `${KEY}/n`, undefined, { 'if-none-match': first.etag })).status).toBe(304);
    const written = await put('n', 1, { 'if-match': first.etag });
    expect(written.status).toBe(200);
    const third = await ask('GET', `${KEY}/n`);
    expect(third.etag).toBe(written.etag);
    expect(third.etag).not.toBe(first.etag);
    expect(await refusedUnwritten(() => put('n', 2, { 'if-match': first.etag }))).toEqual([
      412,
      'version_conflict',
    ]);
  });

  it('is another where the key was deleted and is the same again', async () => {
    const first = await ask('GET', `${KEY}/n`);
    await ask('DELETE', `${KEY}/n`);
    expect((await put('n', 0)).status).toBe(201);
    expect((await ask('GET', `${KEY}/n`)).etag).not.toBe(first.etag);
  });
});

describe('PUT of a key', () => {
  it('is 201 where it makes the key, also when it is sent again, and 200 after that', async () => {
    const headers = { 'idempotency-key': 'one' };
    const made = await put('a', 1, headers);
    expect([made.status, made.answer.created]).toEqual([201, true]);
    expect((await put('a', 1, headers)).status).toBe(201);
    const same = await put('a', 1);
    expect([same.status, same.answer.created]).toEqual([200, undefined]);
    expect((await put('a', 2)).status).toBe(200);
    expect((await put('b', null)).status).toBe(201);
  });

  it('takes lists, * and what must not be', async () => {
    const { etag } = await ask('GET', `${KEY}/n`);
    const refused: readonly [string, Record<string, string>][] = [
      ['missing', { 'if-match': '*' }],
      ['missing', { 'if-match': '"1", "2"' }],
      ['n', { 'if-match': '"8", "9"' }],
      ['n', { 'if-match': `W/${etag}` }],
      ['n', { 'if-match': '"x"' }],
      ['n', { 'if-match': '"5",' }],
      ['n', { 'if-match': `, "5.${id}"` }],
      ['n', { 'if-match': '"9007199254740993"' }],
      ['n', { 'if-none-match': '*' }],
      ['n', { 'if-none-match': `"8", W/${etag}` }],
      ['n', { 'if-match': etag, 'if-none-match': etag }],
    ];
    for (const [key, headers] of refused) {
      expect([headers, await refusedUnwritten(() => put(key, 5, headers))]).toEqual([
        headers,
        [412, 'version_conflict'],
      ]);
    }
    expect((await put('n', 1, { 'if-match': `"9", ${etag}` })).status).toBe(200);
    expect((await put('n', 2, { 'if-match': '*', 'if-none-match': etag })).status).toBe(200);
    expect((await put('new', 1, { 'if-none-match': '*' })).status).toBe(201);
    expect((await put('newer', 1, { 'if-none-match': '"1"' })).status).toBe(201);
  });

  it('and the other writes of a key hold to the same conditions', async () => {
    const increment = (key: string, headers: Record<string, string>) =>
      ask('POST', `${KEY}/${key}/ops`, { operation: 'increment', delta: 1 }, headers);
    expect(await refusedUnwritten(() => increment('missing', { 'if-match': '*' }))).toEqual([
      412,
      'version_conflict',
    ]);
    const remove = (key: string, headers: Record<string, string>) =>
      ask('DELETE', `${KEY}/${key}`, undefined, headers);
    // Without the condition there would be nothing to delete: that is what is said (RFC 9110, section 13.2.1).
    expect(await refusedUnwritten(() => remove('missing', { 'if-match': '*' }))).toEqual([
      404,
      'key_not_found',
    ]);
    expect(await refusedUnwritten(() => remove('n', { 'if-match': '"7", "8"' }))).toEqual([
      412,
      'version_conflict',
    ]);
    expect((await remove('n', { 'if-match': '"1", "8"' })).status).toBe(200);
  });
});

describe('the client', () => {
  const client = () =>
    createClient({
      url: 'http://localhost',
      retry: false,
      fetch: async (url, init) => app.request(url, init),
    });

  it('says with a key which version its state has, and sends every condition', async () => {
    const { keys } = client();
    must(await keys.set('root', 'other', 1, {}));
    expect(must(await keys.get('root', 'n'))).toMatchObject({ version: 1, global_version: 2 });
    expect(must(await keys.set('root', 'new', 1, {})).created).toBe(true);
    for (const options of [
      { ifMatch: [{ version: 8 }, { version: 9 }] },
      { ifMatch: [] },
      { ifMatch: 1, ifNoneMatch: [{ version: 1, stateId: id }] },
      { ifAbsent: true },
    ]) {
      expect(failure(await keys.set('root', 'n', 5, options)).error).toBe('version_conflict');
    }
    expect(failure(await keys.set('root', 'missing', 5, { ifMatch: '*' })).error).toBe('version_conflict');
    must(await keys.set('root', 'n', 5, { ifMatch: [{ version: 9 }, { version: 1, stateId: id }] }));
  });

  it('sends those of states too', async () => {
    const { states } = client();
    const options = [
      { ifMatch: [7, 8] },
      { ifMatch: [] },
      { ifNoneMatch: '*' },
      { ifNoneMatch: [1] },
    ] as const;
    for (const one of options) {
      expect(failure(await states.replace(id, {}, one)).error).toBe('version_conflict');
      expect(failure(await states.remove(id, one)).error).toBe('version_conflict');
    }
    must(await states.replace(id, {}, { ifMatch: [1, 7] }));
    must(await states.remove(id, { ifMatch: 2 }));
  });
});

describe("the tag of a tree's state", () => {
  it('is another for the next state of the tree, at the same version', async () => {
    const path = '/sessions/root/workflow-state';
    const first = await ask('GET', path);
    expect(first.etag).toBe(`"1.${id}"`);
    expect((await ask('GET', path, undefined, { 'if-none-match': first.etag })).status).toBe(304);
    await ask('DELETE', `/workflow-states/${id}`);
    const next = await open();
    const second = await ask('GET', path, undefined, { 'if-none-match': first.etag });
    expect([second.status, second.etag, second.answer.state_id]).toEqual([200, `"1.${next}"`, next]);
    // The tag of the old state holds for no write of the new one.
    const stale = () => ask('PUT', `/workflow-states/${next}`, { data: {} }, { 'if-match': first.etag });
    expect(await refusedUnwritten(stale)).toEqual([412, 'version_conflict']);
    const fresh = await ask('PUT', `/workflow-states/${next}`, { data: {} }, { 'if-match': second.etag });
    expect([fresh.status, fresh.etag]).toEqual([200, '"2"']);
  });
});

describe('a write of a state', () => {
  const write = (headers: Record<string, string>, body: object = { data: { n: 9 } }) =>
    ask('PUT', `/workflow-states/${id}`, body, headers);

  it('takes lists, * and what must not be', async () => {
    const refused: readonly Record<string, string>[] = [
      { 'if-match': '"2", "3"' },
      { 'if-match': 'W/"1"' },
      { 'if-match': '"x"' },
      // Empty elements of a list count for nothing (RFC 9110, section 5.6.1).
      { 'if-match': '"5",' },
      { 'if-match': ', "5"' },
      { 'if-match': `"5.${id}",` },
      { 'if-match': '"9007199254740993"' },
      { 'if-none-match': '*' },
      { 'if-none-match': '"1"' },
      { 'if-none-match': '"5", W/"1"' },
      { 'if-match': '"1"', 'if-none-match': '"1"' },
    ];
    for (const headers of refused) {
      expect([headers, await refusedUnwritten(() => write(headers))]).toEqual([
        headers,
        [412, 'version_conflict'],
      ]);
    }
    const both = () => write({ 'if-match': '"1", "2"' }, { data: {}, expected_version: 2 });
    expect(await refusedUnwritten(both)).toEqual([409, 'version_conflict']);
    expect((await write({ 'if-match': '"1", "2"' })).etag).toBe('"2"');
    expect((await write({ 'if-match': '*', 'if-none-match': '"1"' }, { data: {} })).etag).toBe('"3"');
  });

  it('that deletes holds to them too', async () => {
    const remove = (headers: Record<string, string>) =>
      ask('DELETE', `/workflow-states/${id}`, undefined, headers);
    expect(await refusedUnwritten(() => remove({ 'if-match': '"2"' }))).toEqual([412, 'version_conflict']);
    expect(await refusedUnwritten(() => remove({ 'if-none-match': '"1"' }))).toEqual([
      412,
      'version_conflict',
    ]);
    expect((await remove({ 'if-match': '"1"' })).status).toBe(204);
    expect((await remove({ 'if-match': '*' })).status).toBe(404);
  });
});
