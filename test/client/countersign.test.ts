import { afterEach, describe, expect, it } from 'vitest';
import { ConnectionError, Countersign, CountersignError } from '../../src/client/index.js';
import { problem, startHttpDouble, type HttpDouble, type Reply } from './http-double.js';

const doubles: HttpDouble[] = [];
afterEach(async () => {
  await Promise.all(doubles.splice(0).map((double) => double.close()));
});

async function served(reply: Reply | null) {
  const double = await startHttpDouble(() => reply);
  doubles.push(double);
  return { double, cs: new Countersign({ url: double.url, sessionName: 'child', retry: false }) };
}

const thrown = async (promise: Promise<unknown>) => {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof CountersignError)) throw new Error('no CountersignError', { cause: error });
  return error;
};

describe('Countersign', () => {
  it('gives the values of answers', async () => {
    const { double, cs } = await served({
      status: 200,
      body: { items: [{ run_id: 'run_1' }], next_cursor: null },
    });
    const { items } = await cs.runs.list({ status: 'running' });
    expect(items[0]?.run_id).toBe('run_1');
    expect(double.asked[0]).toMatchObject({
      url: '/runs?status=running',
      headers: { 'x-agent-session-name': 'child' },
    });
  });

  it.each([NaN, Infinity, -Infinity])('sends no null in place of %s', async (number) => {
    const { double, cs } = await served({ status: 200, body: {} });
    const error = await thrown(cs.states.replace('sta_1', { 'a/b': [{}, number] }));
    expect(error.code).toBe('invalid_request');
    expect(error.failure.members['errors']).toMatchObject([{ pointer: '/data/a~1b/1' }]);
    expect(double.asked).toEqual([]);
  });

  it('lets arguments be left out of which nothing has to be said', async () => {
    const { double, cs } = await served(problem(404, 'state_not_found', ''));
    const calls = [
      () => cs.runs.list(),
      () => cs.states.replace('sta_1', { a: 1 }),
      () => cs.states.patch('sta_1', []),
      () => cs.states.mergePatch('sta_1', {}),
      () => cs.states.ops('sta_1', []),
      () => cs.states.revert('sta_1', 1),
      () => cs.states.migrate('sta_1', { schema_version: 2 }),
      () => cs.states.events('sta_1'),
      () => cs.sessions.create(),
    ];
    for (const call of calls) expect((await thrown(call())).code).toBe('state_not_found');
    const sent = double.asked.map(({ url, body }) => `${url} ${body}`).sort();
    expect(sent).toEqual([
      '/runs ',
      '/sessions {}',
      '/workflow-states/sta_1 {"data":{"a":1}}',
      '/workflow-states/sta_1 {"operations":[]}',
      '/workflow-states/sta_1 {}',
      '/workflow-states/sta_1/events ',
      '/workflow-states/sta_1/migrate {"schema_version":2}',
      '/workflow-states/sta_1/ops {"operations":[]}',
      '/workflow-states/sta_1/revert {"to_version":1}',
    ]);
  });

  it('throws refusals with all that they say', async () => {
    const errors = [{ pointer: '/a/b', keyword: 'type', message: 'must be a string', expected: 'string' }];
    const { cs } = await served(problem(422, 'validation_failed', 'It does not fit.', { errors }));
    const error = await thrown(cs.states.replace('sta_1', {}));
    expect(error).toMatchObject({
      name: 'CountersignError',
      message: 'validation_failed: It does not fit.',
      code: 'validation_failed',
      status: 422,
      detail: 'It does not fit.',
      retryable: false,
      pointer: '/a/b',
      members: { errors },
    });
  });

  it.each([
    ['write_scope_violation', { pointer: '/x' }, '/x'],
    ['merge_conflict', { conflicts: [{ pointer: '/y', base: 1, theirs: 2, yours: 3 }] }, '/y'],
    ['state_not_found', {}, null],
  ])('names the place that %s is about', async (code, members, pointer) => {
    const { cs } = await served(problem(409, code, '', members));
    expect((await thrown(cs.states.get('sta_1'))).pointer).toBe(pointer);
  });

  it('says of a refusal of its own that no status came with it', async () => {
    const { cs } = await served(null);
    expect(await thrown(cs.runs.get('..'))).toMatchObject({
      code: 'invalid_request',
      status: null,
      retryable: false,
    });
  });

  it('says whether a retry can help, also of a code that it does not know', async () => {
    const { cs } = await served(problem(409, 'moon_phase', 'Not now.', { retryable: true }));
    expect(await thrown(cs.runs.list())).toMatchObject({ code: 'invalid_request', retryable: true });
  });

  it('throws lost connections as what they are', async () => {
    const { double, cs } = await served(null);
    await double.close();
    await expect(cs.runs.list()).rejects.toThrow(ConnectionError);
  });

  it('has no events to watch once the signal is aborted, also while it connects', async () => {
    const { cs } = await served(problem(404, 'state_not_found', ''));
    expect(await cs.watch('sta_1', { since: 0, signal: AbortSignal.abort() }).next()).toEqual({
      done: true,
      value: undefined,
    });
    const ended = new AbortController();
    const first = cs.watch({}, { signal: ended.signal }).next();
    ended.abort();
    expect(await first).toEqual({ done: true, value: undefined });
  });

  it('watches no longer once the signal of the client is aborted', async () => {
    const bookmark = 'id: 1\nevent: bookmark\ndata: {}\n\n';
    const replies: Reply[] = [
      { status: 200, headers: { 'content-type': 'text/event-stream' }, body: bookmark },
    ];
    const double = await startHttpDouble(() => replies.shift() ?? null);
    doubles.push(double);
    const ended = new AbortController();
    const events = new Countersign({ url: double.url, signal: ended.signal }).watch('sta_1');
    expect((await events.next()).value).toMatchObject({ event: 'bookmark' });
    const next = events.next();
    ended.abort();
    await expect(next).rejects.toMatchObject({ name: 'ConnectionError', fault: 'aborted' });
  });

  it('throws where update, waitFor and watch are refused', async () => {
    const { cs } = await served(problem(404, 'state_not_found', ''));
    expect((await thrown(cs.update('sta_1', () => undefined))).code).toBe('state_not_found');
    expect((await thrown(cs.waitFor('sta_1', { until: true }))).code).toBe('state_not_found');
    expect((await thrown(cs.watch('sta_1').next())).code).toBe('state_not_found');
    const result = await cs.results.states.get('sta_1');
    expect(result).toMatchObject({ ok: false, failure: { error: 'state_not_found' } });
  });
});
