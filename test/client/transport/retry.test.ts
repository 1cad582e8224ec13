import { describe, expect, it, vi } from 'vitest';
import {
  ConnectionError,
  createClient,
  type CountersignService,
  type RetryOptions,
} from '../../../src/client/index.js';
import { ERRORS, type ErrorCode } from '../../../src/domain/errors.js';

/** Time that only passes in pauses and in answers that take long; pauses are noted. */
function standing() {
  const clock = {
    ms: 0,
    pauses: [] as number[],
    now: () => clock.ms,
    pause: (ms: number) => {
      clock.pauses.push(ms);
      clock.ms += ms;
      return Promise.resolve();
    },
  };
  return clock;
}

interface Asked {
  readonly method: string;
  readonly url: string;
  readonly key: string | null;
  readonly body: string | undefined;
}

type Step = Response | Error | (() => Response | Error);

/** A client whose requests are answered with the steps, one after the other, and the last for ever. */
function played(
  steps: readonly Step[],
  retry: RetryOptions | false = {},
  signal?: AbortSignal,
  idempotencyKey?: string,
) {
  const clock = standing();
  const asked: Asked[] = [];
  const client = createClient({
    url: 'http://countersign.example',
    signal,
    idempotencyKey,
    retry: retry === false ? false : { clock, random: () => 0.5, ...retry },
    fetch: (url, init) => {
      const { href } = new URL(url);
      const key = new Headers(init.headers).get('idempotency-key');
      asked.push({ method: init.method, url: href, key, body: init.body });
      const step = steps[Math.min(asked.length, steps.length) - 1]!;
      const answer = typeof step === 'function' ? step() : step instanceof Error ? step : step.clone();
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
  });
  return { client, clock, asked };
}

const lost = Object.assign(new TypeError('fetch failed'), { cause: new Error('ECONNRESET') });
const gone = new Response(null, { status: 204 });
const ok = Response.json({ items: [], next_cursor: null });
const run = Response.json(
  Object.fromEntries(
    'run_id type purpose session_id session_name prompt status attempt runner_id metadata error created_at claimed_at started_at completed_at'
      .split(' ')
      .map((name) => [name, null]),
  ),
);
const failure = (error: string, status = 503, more: object = {}, headers: Record<string, string> = {}) =>
  Response.json({ title: error, status, detail: '', error, ...more }, { status, headers });

const WRITTEN_KEY = { root_session_id: 'r', state_id: 's', key: 'k', changed: true, global_version: 2 };
const START = { type: 'start_session', prompt: 'go' } as const;

describe('an idempotency key', () => {
  it('is made where there is no randomUUID, as in a page over plain HTTP', async () => {
    const missing = vi.spyOn(crypto, 'randomUUID').mockImplementation(() => {
      throw new TypeError('crypto.randomUUID is not a function');
    });
    try {
      const { client, asked } = played([run]);
      await client.runs.create(START);
      await client.runs.create(START);
      const keys = asked.map(({ key }) => key);
      expect(keys).toEqual([
        expect.stringMatching(/^[0-9a-f]{32}$/),
        expect.stringMatching(/^[0-9a-f]{32}$/),
      ]);
      expect(keys[0]).not.toBe(keys[1]);
    } finally {
      missing.mockRestore();
    }
  });
});

describe('a request', () => {
  it.each(Object.keys(ERRORS) as ErrorCode[])(
    'is sent again after %s only where that helps',
    async (code) => {
      const { client, asked } = played([failure(code), ok], { triesMax: 2 });
      const result = await client.runs.list({});
      expect([result.ok, asked.length]).toEqual(ERRORS[code].retryable ? [true, 2] : [false, 1]);
    },
  );

  it.each([
    [true, 2],
    [false, 1],
  ])('is sent again after an error of a newer service where that says so: %s', async (retryable, times) => {
    const { client, asked } = played([failure('moon_phase', 409, { retryable }), ok]);
    await client.runs.list({});
    expect(asked).toHaveLength(times);
  });

  it('is sent again where a gateway limits requests, in words of its own', async () => {
    const { client, asked } = played([failure('rate_limited', 429), ok]);
    await client.runs.list({});
    expect(asked).toHaveLength(2);
  });

  it.each([502, 503, 504])('is not answered by a gateway that says %i as JSON of its own', async (status) => {
    const foreign = () =>
      Response.json({ timestamp: 1, status, error: 'Gateway Timeout', path: '/' }, { status });
    const { client } = played([foreign, foreign, foreign]);
    await expect(client.runs.list({})).rejects.toMatchObject({ fault: 'unreachable' });
  });

  it.each([401, 404])('is not refused by what is not the service, and answers %i as JSON', async (status) => {
    const { client } = played([() => Response.json({ error: 'Not Found' }, { status })]);
    await expect(client.runs.list({})).rejects.toMatchObject({ fault: 'not_understood' });
  });

  it.each([
    ['GET', (client: CountersignService) => client.runs.list({}), ok],
    ['POST', (client: CountersignService) => client.runs.create(START), run],
    ['DELETE', (client: CountersignService) => client.sessions.remove('a'), gone],
  ] as const)('of the method %s is sent again where the answer is lost', async (method, call, answer) => {
    const { client, asked } = played([lost, failure('nobody home', 502), answer]);
    expect(await call(client)).toMatchObject({ ok: true });
    expect(asked.map((one) => one.method)).toEqual([method, method, method]);
  });

  it('that changes something is the same one each time, by its key and as it was', async () => {
    const body = { ...START, metadata: { n: 1 } };
    const { client, asked } = played([
      () => {
        body.metadata.n = 2;
        return lost;
      },
      run,
    ]);
    await client.runs.create(body);
    expect(new Set(asked.map(({ key }) => key)).size).toBe(1);
    expect(asked[0]?.key).toMatch(/^[0-9a-f]{32}$/);
    expect(asked.map((one) => one.body)).toEqual([asked[0]?.body, asked[0]?.body]);
    await client.runs.create(START);
    expect(asked[2]?.key).not.toBe(asked[0]?.key);
  });

  it('that deletes a key is the same one each time', async () => {
    const { client, asked } = played([lost, Response.json({ ...WRITTEN_KEY })]);
    expect(await client.keys.remove('root', 'k', {})).toMatchObject({ ok: true });
    expect(new Set(asked.map(({ key }) => key)).size).toBe(1);
    expect(asked[0]?.key).toMatch(/^[0-9a-f]{32}$/);
  });

  it('that changes nothing has no key', async () => {
    const { client, asked } = played([failure('state_not_found', 404)]);
    await client.states.get('sta_1');
    await client.states.wait('sta_1', { until: {} });
    await client.states.replace('sta_1', {}, { dryRun: true });
    await client.states.remove('sta_1');
    expect(asked.map(({ key }) => key)).toEqual([null, null, null, null]);
  });

  it('is sent once, and without a key, where the options say so', async () => {
    const { client, asked } = played([lost], false);
    await expect(client.runs.create(START)).rejects.toThrow(ConnectionError);
    expect(asked).toMatchObject([{ key: null }]);
  });

  it.each([
    ['a page of another server', new Response('<html>', { status: 404 })],
    ['a redirect', new Response(null, { status: 302, headers: { location: '/' } })],
  ])('is not sent again after %s', async (_, answer) => {
    const { client, asked } = played([answer]);
    await expect(client.runs.list({})).rejects.toMatchObject({ fault: 'not_understood' });
    expect(asked).toHaveLength(1);
  });
});

describe('a deletion', () => {
  it('that is sent again and finds nothing is done', async () => {
    const { client } = played([lost, failure('state_not_found', 404)]);
    expect(await client.states.remove('sta_1')).toEqual({ ok: true, value: null });
  });

  it('that finds nothing at once is refused', async () => {
    const { client } = played([failure('state_not_found', 404)]);
    expect(await client.states.remove('sta_1')).toMatchObject({ failure: { error: 'state_not_found' } });
  });
});

describe('pauses', () => {
  it('are random between nothing and a bound that doubles up to the longest', async () => {
    const { client, clock } = played([lost], { triesMax: 6, firstPauseMs: 100, pauseMsMax: 500 });
    await expect(client.runs.list({})).rejects.toMatchObject({ fault: 'unreachable' });
    expect(clock.pauses).toEqual([50, 100, 200, 250, 250]);
    const none = played([lost], { triesMax: 3, random: () => 0 });
    await expect(none.client.runs.list({})).rejects.toThrow(ConnectionError);
    expect(none.clock.pauses).toEqual([0, 0]);
  });

  it('are as long as the service asks for, in seconds or until a date', async () => {
    const { client, clock } = played([failure('overloaded', 503, {}, { 'retry-after': '7' }), ok]);
    await client.runs.list({});
    expect(clock.pauses).toEqual([7000]);
    const date = new Date(Date.now() + 20_000).toUTCString();
    const other = played([failure('overloaded', 503, {}, { 'retry-after': date }), ok]);
    await other.client.runs.list({});
    expect(other.clock.pauses[0]).toBeGreaterThan(15_000);
  });

  it('are as long as a gateway asks for whose clock is a day ahead', async () => {
    const [date, until] = [0, 7000].map((ms) => new Date(Date.now() + 86_400_000 + ms).toUTCString());
    const headers = { date: date ?? '', 'retry-after': until ?? '' };
    const { client, clock } = played([new Response('<html>', { status: 503, headers }), ok]);
    await client.runs.list({});
    expect(clock.pauses).toEqual([7000]);
  });

  it('are as long as a gateway asks for whose service is away', async () => {
    const away = new Response('<html>', { status: 503, headers: { 'retry-after': '7' } });
    const { client, clock } = played([away, ok]);
    await client.runs.list({});
    expect(clock.pauses).toEqual([7000]);
  });

  it('that would end too late are not made: the last answer stands', async () => {
    const later = failure('overloaded', 503, {}, { 'retry-after': '3600' });
    const { client, clock } = played([later]);
    expect(await client.runs.list({})).toMatchObject({ failure: { error: 'overloaded' } });
    expect(clock.pauses).toEqual([]);
  });
});

describe('attempts end', () => {
  it('with the number of tries', async () => {
    const { client, asked } = played([failure('session_busy', 409)]);
    expect(await client.sessions.stop('a')).toMatchObject({ failure: { error: 'session_busy' } });
    expect(asked).toHaveLength(5);
  });

  it('with the time, also where the first request is under way all along', async () => {
    const { client, clock, asked } = played([failure('idempotency_in_flight', 409)], { withinMs: 30_000 });
    expect(await client.runs.create(START)).toMatchObject({ failure: { error: 'idempotency_in_flight' } });
    expect(asked.length).toBeGreaterThan(10);
    expect(clock.ms).toBeLessThanOrEqual(30_000);
  });

  it('at once when the caller gives up, in a pause too', async () => {
    const stop = new AbortController();
    const { client, asked } = played([lost], { clock: undefined, firstPauseMs: 60_000 }, stop.signal);
    const ended = expect(client.runs.list({})).rejects.toThrow(ConnectionError);
    setTimeout(() => stop.abort(), 5);
    await ended;
    expect(asked.length).toBeLessThan(3);
  });
});

describe('a wait that is asked for again', () => {
  const notYet = (clock: { ms: number }, after: number) => () => {
    clock.ms += after;
    return lost;
  };

  it('asks for what is left of it', async () => {
    let clock = { ms: 0 };
    const steps = [() => notYet(clock, 4000)(), () => notYet(clock, 9000)(), failure('state_not_found', 404)];
    const one = played(steps, { random: () => 0 });
    clock = one.clock;
    await one.client.states.get('sta_1', undefined, { afterVersion: 3, waitMs: 10_000 });
    expect(one.asked.map(({ url }) => new URL(url).searchParams.get('wait'))).toEqual([
      '10000ms',
      '6000ms',
      '0ms',
    ]);
    const other = played(steps, { random: () => 0 });
    clock = other.clock;
    await other.client.states.wait('sta_1', { until: true, timeout_ms: 10_000 });
    expect(other.asked.map(({ body }) => JSON.parse(body ?? '').timeout_ms)).toEqual([10_000, 6000, 0]);
  });

  it('has the time of the wait on top of that for retries', async () => {
    let clock = { ms: 0 };
    const one = played([() => notYet(clock, 20_000)(), ok], { withinMs: 1000, random: () => 0 });
    clock = one.clock;
    expect(await one.client.sessions.pullCallbacks('a', 20_000)).toMatchObject({ ok: true });
    expect(one.asked).toHaveLength(2);
  });
});

describe('a client with an idempotency key', () => {
  const keysOf = async (ask: (client: CountersignService) => Promise<unknown>) => {
    const keys: (string | null)[] = [];
    const client = createClient({
      url: 'http://countersign.example',
      idempotencyKey: 'call-7',
      retry: false,
      fetch: (_, init) => {
        keys.push(new Headers(init.headers).get('idempotency-key'));
        return Promise.resolve(failure('overloaded'));
      },
    });
    await ask(client);
    return keys;
  };

  it('has one key for each place that it changes, and none where it reads', async () => {
    const keys = await keysOf(async ({ states, runs }) => {
      await states.patch('a', [], { baseVersion: 'last_read' });
      await states.get('a');
      await runs.create(START);
      await states.patch('a', [], {});
    });
    const [patch, read, start, again] = keys;
    expect(patch).toMatch(/^call-7-[0-9a-f]{16}$/);
    expect(start).toMatch(/^call-7-[0-9a-f]{16}$/);
    expect([read, again]).toEqual([null, patch]);
    expect(start).not.toBe(patch);
  });

  it('has another key for each accepted call to the same place, and the same ones in the next client', async () => {
    const keysOfCalls = async () => {
      const { client, asked } = played([run, failure('overloaded', 503), run], false, undefined, 'call-7');
      for (let n = 0; n < 4; n += 1) await client.runs.create(START);
      return asked.map(({ key }) => key);
    };
    const keys = await keysOfCalls();
    const [first, refused, second, third] = keys;
    expect(second).toBe(refused);
    expect(new Set([first, second, third]).size).toBe(3);
    expect(await keysOfCalls()).toEqual(keys);
  });

  it('has another key for each call that is in progress', async () => {
    const { client, asked } = played([run], false, undefined, 'call-7');
    await Promise.all([client.runs.create(START), client.runs.create(START)]);
    expect(new Set(asked.map(({ key }) => key)).size).toBe(2);
  });

  it('has the same keys in whatever order it calls', async () => {
    const places = Array.from({ length: 2000 }, (_, at) => `wfstate_${String(at)}`);
    const inOrder = (ids: readonly string[]) =>
      keysOf(async ({ states }) => {
        for (const id of ids) await states.patch(id, [], {});
      });
    const keys = await inOrder(places);
    expect(new Set(keys).size).toBe(places.length);
    expect((await inOrder(places.toReversed())).toReversed()).toEqual(keys);
  });
});
