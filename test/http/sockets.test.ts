// WebSockets in front of the real service.
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket, type ClientOptions } from 'ws';
import { DEFAULT_LIMITS, type Limits } from '../../src/domain/limits.js';
import { createHttpApp, listen, type Listening } from '../../src/http/index.js';
import { addToken, must, openHarness, PlayedRunner, silent, type Harness } from '../service/harness.js';
import { eventually } from '../support/eventually.js';

const LIMITS = {
  streamBookmarkMs: 20_000,
  streamStallMs: 200,
  socketAuthMs: 150,
  socketMessageBytesMax: 1000,
};

/** A caller that remembers what it was sent. */
class Caller {
  readonly got: any[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;
  #wake: () => void = () => undefined;

  private constructor(readonly socket: WebSocket) {
    socket.on('message', (data: Buffer) => {
      this.got.push(JSON.parse(data.toString()));
      this.#wake();
    });
    this.closed = new Promise((resolve) =>
      socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() })),
    );
  }

  static async open(url: string, options: ClientOptions = {}, protocols: string[] = []): Promise<Caller> {
    const caller = new Caller(new WebSocket(`${url.replace('http', 'ws')}/ws`, protocols, options));
    await new Promise<void>((resolve, reject) => {
      caller.socket.once('open', resolve).once('error', reject);
    });
    return caller;
  }
  say(message: unknown) {
    this.socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  }
  async until(test: (got: any) => boolean): Promise<any> {
    for (;;) {
      const found = this.got.find(test);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
  async ask(message: unknown): Promise<any> {
    const before = this.got.length;
    this.say(message);
    return this.until(
      (one) => this.got.indexOf(one) >= before && /ed$|error/.test(one.type) && !('data' in one),
    );
  }
}

describe('a WebSocket', () => {
  let harness: Harness;
  let served: Listening;
  let id: string;
  const open = async (auth = false, over: Partial<Limits> = {}) => {
    harness = await openHarness({ ...LIMITS, ...over }, auth);
    must(await harness.operator.schemas.register({ name: 'plan', json_schema: { type: 'object' } }));
    must(await harness.operator.sessions.create({ session_name: 'root', external: true }));
    id = must(
      await harness.operator.states.create({
        schema_name: 'plan',
        initial_data: { n: 1 },
        root_session_name: 'root',
      }),
    ).state_id;
    const app = createHttpApp({
      host: harness.service,
      limits: { ...DEFAULT_LIMITS, ...LIMITS, ...over },
      logger: silent,
      clock: { now: () => Date.now(), wall: () => Date.now() },
      auth,
      allowedHosts: [],
      allowedOrigins: [],
      version: '1',
      draining: () => false,
    });
    served = await listen(app, { host: '127.0.0.1', port: 0, drainMs: 500 });
  };
  beforeEach(() => open());
  afterEach(async () => {
    const closed = served.close();
    await harness.close();
    await closed;
  });
  const reopen = async (...args: Parameters<typeof open>) => {
    const closed = served.close();
    await harness.close();
    await closed;
    await open(...args);
  };
  const write = async (data: object) => must(await harness.operator.states.mergePatch(id, data as never, {}));
  const versionsOf = (caller: Caller, subscription: string) =>
    caller.got
      .filter((one) => one.subscription === subscription && one.type === 'workflow_state_updated')
      .map((one) => one.data.version);

  it('gives the events of what it is subscribed to, with ids, from any version on', async () => {
    const caller = await Caller.open(served.url);
    await write({ n: 2 });
    const reply = await caller.ask({
      type: 'subscribe',
      state_id: id,
      since_version: 0,
      subscription: 'mine',
    });
    expect(reply).toEqual({ type: 'subscribed', subscription: 'mine' });
    await write({ n: 3 });
    const third = await caller.until((one) => one.id === '3');
    expect(third).toMatchObject({
      type: 'workflow_state_updated',
      subscription: 'mine',
      data: { version: 3 },
    });
    expect(versionsOf(caller, 'mine')).toEqual([1, 2, 3]);
  });

  it('holds several subscriptions apart: a state, a tree, everything', async () => {
    const caller = await Caller.open(served.url);
    const names = ['state', 'tree', 'all'];
    await caller.ask({ type: 'subscribe', subscription: 'state', state_id: id });
    await caller.ask({ type: 'subscribe', subscription: 'tree', root_session: 'root' });
    await caller.ask({ type: 'subscribe', subscription: 'all' });
    await write({ n: 2 });
    for (const name of names)
      await caller.until((one) => one.subscription === name && one.data?.version === 2);
    expect(await caller.ask({ type: 'unsubscribe', subscription: 'state' })).toEqual({
      type: 'unsubscribed',
      subscription: 'state',
    });
    await write({ n: 3 });
    for (const name of ['tree', 'all'])
      await caller.until((one) => one.subscription === name && one.data?.version === 3);
    expect(names.map((name) => versionsOf(caller, name).at(-1))).toEqual([2, 3, 3]);
  });

  it('tells of one key when its value changes or goes, and of nothing else', async () => {
    const caller = await Caller.open(served.url, { headers: { 'x-agent-session-name': 'root' } });
    await caller.ask({ type: 'subscribe', key: 'status', subscription: 'key' });
    for (const data of [
      { n: 2 },
      { status: 'open' },
      { n: 3 },
      { status: { deep: 1 } },
      { status: { deep: 2 } },
      { status: null },
    ]) {
      await write(data);
    }
    await caller.until((one) => one.type === 'state_key_deleted');
    expect(
      caller.got.filter((one) => one.type.startsWith('state_key')).map((one) => [one.type, one.data]),
    ).toEqual([
      ['state_key_updated', { key: 'status', value: 'open', version: 3 }],
      ['state_key_updated', { key: 'status', value: { deep: 1 }, version: 5 }],
      ['state_key_updated', { key: 'status', value: { deep: 2 }, version: 6 }],
      ['state_key_deleted', { key: 'status', version: 7 }],
    ]);
  });

  it.each([
    ['nothing of JSON', '{', 'invalid_json'],
    ['an unknown message', { type: 'shout' }, 'invalid_request'],
    ['an unknown member', { type: 'subscribe', stateId: 'x' }, 'invalid_request'],
    ['a state that is not there', { type: 'subscribe', state_id: 'none' }, 'state_not_found'],
    [
      'a version beyond the present',
      { type: 'subscribe', state_id: 'ID', since_version: 9 },
      'version_not_found',
    ],
    ['a version of everything', { type: 'subscribe', since_version: 1 }, 'invalid_request'],
    ['a key of no state', { type: 'subscribe', key: 'a' }, 'invalid_request'],
    ['a session that is not there', { type: 'subscribe', key: 'a', session: 'none' }, 'session_not_found'],
    [
      'a place for a key',
      { type: 'subscribe', key: 'n', session: 'root', since: '100-0' },
      'invalid_request',
    ],
    ['a tree for a key', { type: 'subscribe', key: 'n', root_session: 'root' }, 'invalid_request'],
    [
      'a snapshot of a key',
      { type: 'subscribe', key: 'n', state_id: 'ID', snapshot: true },
      'invalid_request',
    ],
    ['a key of two', { type: 'subscribe', key: 'n', state_id: 'ID', session: 'root' }, 'invalid_request'],
    ['a session without a key', { type: 'subscribe', session: 'root' }, 'invalid_request'],
    ['a session beside a state', { type: 'subscribe', state_id: 'ID', session: 'root' }, 'invalid_request'],
    ['a snapshot of a tree', { type: 'subscribe', root_session: 'root', snapshot: true }, 'invalid_request'],
    ['a snapshot of everything', { type: 'subscribe', snapshot: true }, 'invalid_request'],
    ['an unknown subscription', { type: 'unsubscribe', subscription: 'x' }, 'invalid_request'],
  ])('answers %s with a problem, and stays open', async (_what, message, error) => {
    const caller = await Caller.open(served.url);
    const text = JSON.stringify(message).replace('"ID"', JSON.stringify(id));
    const answer = await caller.ask(message === '{' ? '{' : text);
    expect(answer).toMatchObject({ type: 'error', problem: { error, status: expect.any(Number) } });
    expect((await caller.ask({ type: 'subscribe', state_id: id })).type).toBe('subscribed');
  });

  it('does not take the subscription to a key for a read of its state', async () => {
    const root = await harness.as('root');
    must(await root.states.get(id));
    await write({ theirs: 1 });
    const caller = await Caller.open(served.url, { headers: { 'x-agent-session-name': 'root' } });
    await caller.ask({ type: 'subscribe', key: 'n' });
    const written = must(await root.states.replace(id, { n: 2 }, { baseVersion: 'last_read' }));
    expect(written).toMatchObject({ merged: true, current_data: { n: 2, theirs: 1 } });
  });

  it('says where a message stops being JSON', async () => {
    const caller = await Caller.open(served.url);
    expect((await caller.ask('{"type": "subscribe",\n "key": oops}')).problem).toMatchObject({
      error: 'invalid_json',
      detail: 'The message is not JSON at line 2, column 9: expected value',
      ...{ position: 30, line: 2, column: 9 },
      errors: [{ pointer: '', message: 'is not JSON at line 2, column 9', expected: 'value' }],
    });
    expect((await caller.ask('')).problem).toMatchObject({ error: 'invalid_json', line: 1, column: 1 });
  });

  it('sends nothing of a subscription once it has ended, and its name may be used again', async () => {
    for (let n = 2; n <= 40; n += 1) await write({ n });
    const caller = await Caller.open(served.url);
    const subscribe = { type: 'subscribe', subscription: 'a', state_id: id, since_version: 0 };
    caller.say(subscribe);
    caller.say({ type: 'unsubscribe', subscription: 'a' });
    caller.say(subscribe);
    await caller.until(({ id: at }) => at === '40');
    const ended = caller.got.findIndex(({ type }) => type === 'unsubscribed');
    const versions = caller.got
      .slice(ended)
      .flatMap(({ type, id: at }) => (type === 'workflow_state_updated' ? [at] : []));
    expect(versions).toEqual(Array.from({ length: 40 }, (_, i) => String(i + 1)));
  });

  it('finds a free name for a subscription without one', async () => {
    const caller = await Caller.open(served.url);
    await caller.ask({ type: 'subscribe', subscription: 'sub_1' });
    expect(await caller.ask({ type: 'subscribe' })).toEqual({ type: 'subscribed', subscription: 'sub_2' });
  });

  it('names the subscription of a message that it refuses, and takes no binary message', async () => {
    const caller = await Caller.open(served.url);
    const refused = await caller.ask({ type: 'subscribe', subscription: 'mine', since_version: -1 });
    expect(refused).toMatchObject({ type: 'error', subscription: 'mine' });
    caller.socket.send(Buffer.from('{"type":"subscribe"}'), { binary: true });
    const { problem } = await caller.until(({ problem: one }) => one?.detail.includes('binary'));
    expect(problem).toMatchObject({ error: 'invalid_request', errors: [{ pointer: '' }] });
  });

  it('is bounded: subscriptions, connections, and the size of a message', async () => {
    await reopen(false, { subscriptionsPerSocketMax: 1, socketsMax: 1 });
    const caller = await Caller.open(served.url);
    await caller.ask({ type: 'subscribe', state_id: id });
    const second = await caller.ask({ type: 'subscribe', state_id: id });
    expect(second.problem).toMatchObject({ error: 'limit_exceeded', limit: 'subscriptionsPerSocketMax' });
    await expect(Caller.open(served.url)).rejects.toThrow('503');
    caller.say('x'.repeat(2000));
    expect((await caller.closed).code).toBe(1009);
    await new Promise((resolve) => setTimeout(resolve, 20));
    (await Caller.open(served.url)).socket.terminate();
  });

  describe('whose message is much too large', () => {
    const CLOSED_1009 = Buffer.from([0x88, 2, 0x03, 0xf1]);
    /** A connection that has sent the head of a masked text of 2 ** 40 bytes, and what it receives. */
    const begin = async () => {
      const socket = connect(served.port, '127.0.0.1');
      socket.on('error', () => undefined);
      const key = Buffer.alloc(16).toString('base64');
      socket.write(
        `GET /ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
          `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`,
      );
      await new Promise((resolve) => socket.once('data', resolve));
      const received: Buffer[] = [];
      socket.on('data', (data: Buffer) => received.push(data));
      const closed = new Promise<Buffer>((resolve) =>
        socket.once('close', () => resolve(Buffer.concat(received))),
      );
      socket.write(Buffer.from([0x81, 0xff, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]));
      return { socket, closed };
    };

    it('is told why it is closed, and not reset while it sends', async () => {
      await reopen(false, { socketAuthMs: 20_000 });
      const { socket, closed } = await begin();
      const sent = new Promise((resolve) => socket.write(Buffer.alloc(20 * 1024 * 1024), resolve));
      expect(await sent).toBeFalsy();
      expect((await closed).subarray(0, 4)).toEqual(CLOSED_1009);
    });

    it('is closed in the end where it never stops', async () => {
      const { socket, closed } = await begin();
      const sending = setInterval(() => socket.write(Buffer.alloc(1000)), 5);
      const received = await closed;
      clearInterval(sending);
      expect(received.subarray(0, 4)).toEqual(CLOSED_1009);
    });
  });

  it.each([
    ['another host', { headers: { host: 'elsewhere.example' } }, '421'],
    ['another origin', { origin: 'https://elsewhere.example' }, '403'],
    ['an unknown session', { headers: { 'x-agent-session-name': 'nobody' } }, '404'],
  ])('is not opened for %s', async (_what, options, status) => {
    await expect(Caller.open(served.url, options)).rejects.toThrow(status);
  });

  it('shows a session its own tree only', async () => {
    must(await harness.operator.sessions.create({ session_name: 'other', external: true }));
    const caller = await Caller.open(served.url, { headers: { 'x-agent-session-name': 'other' } });
    for (const message of [
      { type: 'subscribe', state_id: id },
      { type: 'subscribe', root_session: 'root' },
      { type: 'subscribe', key: 'n', session: 'root' },
    ]) {
      expect((await caller.ask(message)).problem.error).toMatch(/^(state|session)_not_found$/);
    }
  });

  describe('where tokens are asked for', () => {
    beforeEach(() => reopen(true));

    it('is opened without one, and closed where none is shown in time, or something else comes first', async () => {
      const silentCaller = await Caller.open(served.url);
      expect((await silentCaller.closed).code).toBe(1008);
      const rash = await Caller.open(served.url);
      expect((await rash.ask({ type: 'subscribe', state_id: id })).problem.error).toBe('unauthorized');
      expect((await rash.closed).code).toBe(1008);
    });

    it('is refused with a wrong one, in a header, as a protocol, or in the first message', async () => {
      await expect(Caller.open(served.url, { headers: { authorization: 'Bearer wrong' } })).rejects.toThrow(
        '401',
      );
      await expect(Caller.open(served.url, {}, ['countersign', 'bearer.wrong'])).rejects.toThrow('401');
      const caller = await Caller.open(served.url);
      expect((await caller.ask({ type: 'authenticate', token: 'wrong' })).problem.error).toBe('unauthorized');
      expect((await caller.closed).code).toBe(1008);
    });

    describe('and several callers come', () => {
      const bearer = async (name: string) => {
        const run = { type: 'start_session' as const, session_name: name, prompt: 'go' };
        must(await harness.operator.runs.create(run));
        const claimed = await (await PlayedRunner.register(harness)).take(name);
        return claimed.environment['COUNTERSIGN_TOKEN']!;
      };
      const named = (token: string) =>
        Caller.open(served.url, { headers: { authorization: `Bearer ${token}` } });

      it('those who are unknown have few places of their own, and lose them in time', async () => {
        await reopen(true, { unidentifiedSocketsMax: 2, socketsMax: 2, socketAuthMs: 800 });
        const token = await bearer('one');
        const unknown = [await Caller.open(served.url), await Caller.open(served.url)];
        await expect(Caller.open(served.url)).rejects.toThrow('503');
        // They are nobody's hindrance, also where they go on talking and take nothing.
        const known = await named(token);
        for (const one of unknown) {
          one.socket.pause();
          one.say('no JSON');
          one.socket.ping();
        }
        const again = await eventually('there is a place again', () =>
          Caller.open(served.url).catch(() => null),
        );
        expect(await again.ask({ type: 'authenticate', token })).toEqual({ type: 'authenticated' });
        expect(known.socket.readyState).toBe(WebSocket.OPEN);
        // Both places of the known are taken now: the next who says who it is has to come later.
        const late = await Caller.open(served.url);
        expect((await late.ask({ type: 'authenticate', token })).problem).toMatchObject({
          error: 'overloaded',
          limit: 'socketsMax',
        });
        expect((await late.closed).code).toBe(1008);
      });

      it('the sessions of a tree have a share', async () => {
        await reopen(true, { socketsPerTreeMax: 1 });
        const [one, two] = [await bearer('one'), await bearer('two')];
        const first = await named(one);
        await expect(named(one)).rejects.toThrow('503');
        await named(two);
        first.socket.close();
        await eventually('the place is free again', () => named(one).catch(() => null));
      });

      it('a token that is no operator has a share', async () => {
        await reopen(true, { socketsPerCallerMax: 1 });
        const reader = addToken(harness, 'reader', 'one');
        await named(reader);
        await expect(named(reader)).rejects.toThrow('503');
        await named(addToken(harness, 'reader', 'two'));
      });
    });

    it('never takes one in the URL', async () => {
      const asked = new WebSocket(`${served.url.replace('http', 'ws')}/ws?token=t`);
      await expect(new Promise((_, reject) => asked.once('error', reject))).rejects.toThrow('422');
    });
  });

  it('is closed with 1001 when the service stops', async () => {
    const caller = await Caller.open(served.url);
    await caller.ask({ type: 'subscribe', state_id: id });
    void served.close();
    expect((await caller.closed).code).toBe(1001);
  });

  it('is closed where its reader takes nothing, while writers go on', async () => {
    const caller = await Caller.open(served.url);
    await caller.ask({ type: 'subscribe', state_id: id });
    caller.socket.pause();
    for (let n = 0; n < 60; n += 1) await write({ text: String(n).repeat(200_000) });
    await new Promise((resolve) => setTimeout(resolve, 600));
    caller.socket.resume();
    const { code } = await caller.closed;
    expect([1013, 1006]).toContain(code);
    expect(versionsOf(caller, 'sub_1').length).toBeLessThan(60);
  });
});
