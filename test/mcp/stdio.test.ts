// How a connection on standard input and output ends.
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/domain/limits.js';
import { serveMcpStdio } from '../../src/mcp/index.js';
import { StdioConnection } from '../../src/mcp/transports/stdio-connection.js';
import { ConnectionError } from '../../src/client/index.js';
import type { Logger } from '../../src/ports/runtime.js';
import type { Countersign } from '../../src/ports/service.js';
import { openHarness, silent, type Harness } from '../service/harness.js';

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};
const INITIALIZED = { jsonrpc: '2.0', method: 'notifications/initialized' };
const START = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'start_agent_session', arguments: { prompt: 'Go.' } },
};

let harness: Harness;
beforeEach(async () => {
  harness = await openHarness();
});
afterEach(() => harness.close());

function serve(
  service: Countersign,
  bodyBytesMax: number = DEFAULT_LIMITS.bodyBytesMax,
  logger: Logger = silent,
) {
  const stdin = new PassThrough();
  // Takes all answers before anyone reads.
  const stdout = new PassThrough({ highWaterMark: 2 ** 20 });
  const stop = new AbortController();
  const ended = serveMcpStdio(
    {
      service,
      once: (_, work) => work(service),
      caller: { session: null, stateId: null },
      limits: { ...DEFAULT_LIMITS, bodyBytesMax },
      logger,
      version: '0.0.0',
      stdin,
      stdout,
    },
    stop.signal,
  );
  const say = (message: object) => stdin.write(`${JSON.stringify(message)}\n`);
  const answers = async () => {
    stdout.end();
    const lines = (await text(stdout)).trim().split('\n');
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
  };
  return { stdin, say, ended, stop, answers };
}

const runs = async () => {
  const listed = await harness.operator.runs.list({});
  return listed.ok ? listed.value.items : null;
};

test('requests that are open when the input ends have their effect, and are answered', async () => {
  const { stdin, say, ended, answers } = serve(harness.operator);
  say(INITIALIZE);
  say(INITIALIZED);
  say(START);
  stdin.end();
  expect(await ended).toBe(true);
  expect(await runs()).toHaveLength(1);
  expect(await answers()).toMatchObject([
    { id: 0 },
    { id: 1, result: { structuredContent: { status: 'pending' } } },
  ]);
});

/** A service whose requests for a run never end. `asked` resolves at the first of them. */
function withEndlessRuns() {
  let begun: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => (begun = resolve));
  const create = () => {
    begun();
    return new Promise<never>(() => undefined);
  };
  return { asked, service: { ...harness.operator, runs: { ...harness.operator.runs, create } } };
}

test.each(['the signal', 'the cancellation by the client'])(
  'a request without end is waited for only until %s',
  async (what) => {
    const { asked, service } = withEndlessRuns();
    const { stdin, say, ended, stop, answers } = serve(service);
    say(INITIALIZE);
    say(INITIALIZED);
    say(START);
    await asked;
    if (what === 'the signal') stop.abort();
    else say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    stdin.end();
    expect(await ended).toBe(true);
    expect(await answers()).toMatchObject([{ id: 0 }]);
    expect(await runs()).toEqual([]);
  },
);

test.each([
  ['file:///etc/hosts', 'not the URI of a state'],
  ['countersign://states/wfstate_none', 'There is no'],
])('a subscription to %s has invalid params', async (uri, why) => {
  const { stdin, say, ended, answers } = serve(harness.operator);
  say(INITIALIZE);
  say(INITIALIZED);
  say({ jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri } });
  stdin.end();
  expect(await ended).toBe(true);
  expect(await answers()).toMatchObject([
    { id: 0 },
    { id: 1, error: { code: -32602, message: expect.stringContaining(why) } },
  ]);
});

test('a call that the client gives up leaves no warning', async () => {
  const lines: string[] = [];
  const logger = { ...silent, warn: (_: object, message: string) => void lines.push(message) };
  let begun: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => (begun = resolve));
  const wait = (_id: string, _body: unknown, signal?: AbortSignal) => {
    begun();
    return new Promise<never>((_, reject) => {
      signal?.addEventListener('abort', () => reject(new ConnectionError('aborted', 'Given up')));
    });
  };
  const service = { ...harness.operator, states: { ...harness.operator.states, wait } };
  const { stdin, say, ended } = serve(service, DEFAULT_LIMITS.bodyBytesMax, logger);
  say(INITIALIZE);
  say(INITIALIZED);
  const params = { name: 'wait_for_state', arguments: { until: {}, state_id: 'wfstate_1' } };
  say({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  await asked;
  say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
  stdin.end();
  expect(await ended).toBe(true);
  expect(lines).toEqual([]);
});

test('a call that the service does not answer says so, and what to do', async () => {
  const create = () => Promise.reject(new ConnectionError('unreachable', 'The service cannot be reached'));
  const { runs } = harness.operator;
  const { stdin, say, ended, answers } = serve({ ...harness.operator, runs: { ...runs, create } });
  say(INITIALIZE);
  say(INITIALIZED);
  say(START);
  stdin.end();
  expect(await ended).toBe(true);
  const [, answer] = await answers();
  expect(answer).toMatchObject({ id: 1, result: { isError: true } });
  expect(answer.result.content[0].text).toBe(
    'unreachable: The service cannot be reached\nNext: wait a few seconds and call start_agent_session again; if it fails again, tell whoever runs the service; none of your tools can fix it.',
  );
});

test('a message that is too long ends the connection as faulty, and has no effect', async () => {
  const { say, ended } = serve(harness.operator, 4096);
  say(INITIALIZE);
  say(INITIALIZED);
  say({ ...START, params: { ...START.params, arguments: { prompt: 'a'.repeat(3 * 4096) } } });
  expect(await ended).toBe(false);
  expect(await runs()).toEqual([]);
});

const PING = (id: unknown) => ({ jsonrpc: '2.0', id, method: 'ping' });

test.each<[string, string, unknown]>([
  ['no JSON', 'hello', { id: null, error: { code: -32700 } }],
  [
    'an array as params',
    '{"jsonrpc":"2.0","id":7,"method":"ping","params":[]}',
    { id: 7, error: { code: -32600 } },
  ],
  ['no version', '{"id":"a","method":"ping"}', { id: 'a', error: { code: -32600 } }],
  [
    'no id that can be answered',
    '{"jsonrpc":"2.0","id":null,"method":"ping"}',
    { id: null, error: { code: -32600 } },
  ],
  ['a number', '5', { id: null, error: { code: -32600 } }],
  ['an empty batch', '[]', { id: null, error: { code: -32600 } }],
])('a line that is no message (%s) is answered, and the next one too', async (_, line, refusal) => {
  const { stdin, say, ended, answers } = serve(harness.operator);
  say(INITIALIZE);
  stdin.write(`${line}\n\n`);
  say(PING(1));
  stdin.end();
  expect(await ended).toBe(true);
  const all = await answers();
  expect(all).toHaveLength(3);
  expect(all).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ id: 1, result: {} }),
      expect.objectContaining({ jsonrpc: '2.0' }),
    ]),
  );
  expect(all.find(({ error }) => error !== undefined)).toMatchObject(refusal as object);
});

test('malformed notifications and answers get no answer', async () => {
  const { stdin, say, ended, answers } = serve(harness.operator);
  say(INITIALIZE);
  stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized","params":[]}\n');
  stdin.write('{"jsonrpc":"2.0","id":{},"result":null}\n');
  stdin.end();
  expect(await ended).toBe(true);
  expect(await answers()).toMatchObject([{ id: 0 }]);
});

test.each([
  { method: 'tools/list', params: null },
  { method: 'tools/list', params: { cursor: null } },
  { method: 'tools/call', params: { name: 'list_agent_sessions', arguments: null } },
  { method: 'tools/call', params: { name: 'list_agent_sessions', _meta: null } },
  { method: 'tools/call', params: { name: 'list_agent_sessions', _meta: { progressToken: null } } },
])('optional members may be null: %j', async (request) => {
  const { stdin, say, ended, answers } = serve(harness.operator);
  say(INITIALIZE);
  say({ jsonrpc: '2.0', id: 1, ...request });
  stdin.end();
  expect(await ended).toBe(true);
  const [, answer] = await answers();
  expect(answer).toMatchObject({ id: 1, result: {} });
  expect(answer.result.isError).toBeUndefined();
});

test('null stays a wrong value of an argument', async () => {
  const { stdin, say, ended, answers } = serve(harness.operator);
  say(INITIALIZE);
  const params = { name: 'list_agent_sessions', arguments: { cursor: null } };
  say({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  stdin.end();
  expect(await ended).toBe(true);
  expect(await answers()).toMatchObject([{ id: 0 }, { id: 1, result: { isError: true } }]);
});

test('a batch is answered in one line when all of it is answered', async () => {
  const { stdin, say, ended, answers } = serve(harness.operator);
  say(INITIALIZE);
  say([PING(1), INITIALIZED, 5, PING('b')]);
  stdin.end();
  expect(await ended).toBe(true);
  const [, batch, ...more] = await answers();
  expect(more).toEqual([]);
  expect(batch).toHaveLength(3);
  expect(batch).toEqual(
    expect.arrayContaining([
      { jsonrpc: '2.0', id: 1, result: {} },
      { jsonrpc: '2.0', id: 'b', result: {} },
      expect.objectContaining({ id: null }),
    ]),
  );
});

test('a batch is answered without the request that the client cancels', async () => {
  const { asked, service } = withEndlessRuns();
  const { stdin, say, ended, answers } = serve(service);
  say(INITIALIZE);
  say([START, PING(2)]);
  await asked;
  say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
  stdin.end();
  expect(await ended).toBe(true);
  expect(await answers()).toMatchObject([{ id: 0 }, [{ id: 2, result: {} }]]);
});

test('messages arrive in any pieces', async () => {
  const { stdin, ended, answers } = serve(harness.operator);
  const lines = [INITIALIZE, PING('äöü'), PING(2)]
    .map((message) => `${JSON.stringify(message)}\r\n`)
    .join('');
  for (const byte of Buffer.from(lines)) stdin.write(Buffer.of(byte));
  stdin.end();
  expect(await ended).toBe(true);
  expect(await answers()).toMatchObject([{ id: 0 }, { id: 'äöü' }, { id: 2 }]);
});

test('the last line may lack its newline', async () => {
  const { stdin, say, ended, answers } = serve(harness.operator);
  say(INITIALIZE);
  stdin.end(JSON.stringify(START));
  expect(await ended).toBe(true);
  expect(await answers()).toMatchObject([{ id: 0 }, { id: 1, result: {} }]);
  expect(await runs()).toHaveLength(1);
});

test('a byte order mark is ignored', async () => {
  const { stdin, ended, answers } = serve(harness.operator);
  stdin.end(`\ufeff${JSON.stringify(INITIALIZE)}\n`);
  expect(await ended).toBe(true);
  expect(await answers()).toMatchObject([{ id: 0, result: {} }]);
});

test('a line in another encoding has no effect', async () => {
  const { stdin, say, ended, answers } = serve(harness.operator);
  say(INITIALIZE);
  const latin = JSON.stringify({ ...START, params: { ...START.params, arguments: { prompt: 'Größe' } } });
  stdin.write(Buffer.from(`${latin}\n`, 'latin1'));
  stdin.end();
  expect(await ended).toBe(true);
  expect(await answers()).toEqual(
    expect.arrayContaining([expect.objectContaining({ id: null, error: expect.anything() })]),
  );
  expect(await runs()).toEqual([]);
});

test.each(['batch', 'refusals'])(
  'a slow reader gets all of the %s after the input has ended',
  async (what) => {
    const output = new PassThrough({ highWaterMark: 1 });
    const input = new PassThrough();
    const connection = new StdioConnection(input, output, 1000);
    connection.onmessage = (message) => {
      if ('id' in message) void connection.send({ jsonrpc: '2.0', id: message.id ?? 0, result: {} });
    };
    await connection.start();
    input.end(what === 'batch' ? `${JSON.stringify([PING(1), PING(2)])}\n` : '5\n6\n');
    await once(input, 'end');
    let isAnswered = false;
    const answered = connection.answered().then(() => (isAnswered = true));
    await nextTurn();
    expect(isAnswered).toBe(false);
    const written = text(output);
    await answered;
    output.end();
    expect((await written).trim().split('\n')).toHaveLength(what === 'batch' ? 1 : 2);
    await connection.close();
  },
);

test('many answers to a slow reader print no warning', async () => {
  const warnings: string[] = [];
  const note = ({ message }: Error) => void warnings.push(message);
  process.on('warning', note);
  const stdout = new PassThrough({ highWaterMark: 1 });
  const transport = new StdioConnection(new PassThrough(), stdout, 1000);
  await transport.start();
  const sent = Array.from({ length: 20 }, (_, id) => transport.send({ jsonrpc: '2.0', id, result: {} }));
  await nextTurn();
  const written = text(stdout);
  await Promise.all(sent);
  stdout.end();
  expect((await written).trim().split('\n')).toHaveLength(20);
  await transport.close();
  process.off('warning', note);
  expect(warnings).toEqual([]);
});
