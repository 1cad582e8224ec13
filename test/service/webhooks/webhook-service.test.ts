// Webhooks from the commit to a real receiver on the loopback.
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type * as api from '../../../src/ports/api/index.js';
import { eventually } from '../../support/eventually.js';
import { Receiver, type Received } from '../../support/receiver.js';
import { must, openHarness, PlayedRunner, failure, type Harness } from '../harness.js';

const LOOPBACK = { allow: ['127.0.0.0/8'], random: () => 0.5 };

let harness: Harness;
let receiver: Receiver;
let stateId: string;
const begin = async (limits: Parameters<typeof openHarness>[0]) => {
  harness = await openHarness(limits, false, LOOPBACK);
  receiver = await Receiver.open();
  const { operator } = harness;
  must(await operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
  must(await operator.sessions.create({ session_name: 'root', external: true }));
  const root = await harness.as('root');
  stateId = must(await root.states.create({ schema_name: 'any', initial_data: { n: 0 } })).state_id;
};
beforeEach(() => begin({}));
const end = async () => {
  await harness.close();
  await receiver.close();
};
afterEach(async () => {
  expect(must(await harness.operator.operations.doctor()).findings).toEqual([]);
  vi.useRealTimers();
  await end();
});

const hook = async (body: Partial<api.WebhookCreate> = {}) =>
  must(
    await harness.operator.webhooks.create({
      url: receiver.url(),
      events: ['workflow_state_updated'],
      ...body,
    }),
  );
const set = async (n: number, state = stateId) =>
  must(await harness.operator.states.mergePatch(state, { n }, {}));
const deliveries = async (webhookId: string) =>
  must(await harness.operator.webhooks.deliveries(webhookId, {})).items;
const ended = (webhookId: string, status: string) =>
  eventually(`a delivery is ${status}`, async () =>
    (await deliveries(webhookId)).find((one) => one.status === status),
  );
const versions = (received: readonly Received[]) =>
  received.map(({ json }) => json.data['version'] as number).sort((a, b) => a - b);

describe('a webhook', () => {
  it('is told of each accepted write, signed so that the library of Standard Webhooks takes it', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: harness.clock.now() });
    const { secret, webhook_id } = await hook();
    await set(1);
    const [first] = await receiver.got(1);
    expect(first!.json).toEqual({
      type: 'workflow_state_updated',
      timestamp: '2026-01-01T00:00:00.000Z',
      data: expect.objectContaining({
        state_id: stateId,
        version: 2,
        patch: [{ op: 'replace', path: '/n', value: 1 }],
        updated_by_session: null,
      }),
    });
    const verified = new Webhook(secret).verify(first!.body, first!.headers as Record<string, string>);
    expect(verified).toEqual(first!.json);
    const changed = first!.body.replace('"version":2', '"version":3');
    expect(() => new Webhook(secret).verify(changed, first!.headers as Record<string, string>)).toThrow();
    const delivered = await ended(webhook_id, 'delivered');
    expect(delivered).toMatchObject({
      version: 2,
      attempts: [{ attempt: 1, status: 204, error: null }],
      next_attempt_at: null,
    });
    expect(first!.headers['webhook-id']).toBe(delivered.delivery_id);
  });

  it('warns of nothing where many messages are under way at once', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error) => void warnings.push(warning);
    const others = [await Receiver.open(), await Receiver.open()];
    process.on('warning', note);
    try {
      for (const one of [receiver, ...others]) {
        one.script = () => 'hang';
        await hook({ url: one.url() });
      }
      for (let n = 1; n <= 7; n += 1) await set(n);
      for (const one of [receiver, ...others]) await one.got(7);
      expect(warnings).toEqual([]);
    } finally {
      process.off('warning', note);
      await Promise.all(others.map((one) => one.close()));
    }
  });

  it('shows its secret once', async () => {
    const given = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const { webhook_id, secret } = await hook({ secret: given });
    expect(secret).toBe(given);
    const shown = [
      must(await harness.operator.webhooks.get(webhook_id)),
      must(await harness.operator.webhooks.list({})),
      must(await harness.operator.webhooks.enable(webhook_id)),
    ];
    expect(JSON.stringify(shown)).not.toContain('whsec_');
  });

  it('hears of what it is about, and of nothing else', async () => {
    const { operator } = harness;
    must(await operator.schemas.register({ name: 'other', json_schema: { type: 'object' } }));
    const make = async (schema_name: string) =>
      must(await operator.states.create({ schema_name, initial_data: { n: 0 } }));
    const [same, other] = [await make('any'), await make('other')];
    await hook({ url: receiver.url('/state'), state_id: stateId });
    await hook({ url: receiver.url('/root'), root_session: same.root_session_id });
    await hook({ url: receiver.url('/schema'), schema_name: 'other' });
    await hook({ url: receiver.url('/all'), events: ['workflow_state_updated', 'workflow_state_deleted'] });
    for (const id of [stateId, same.state_id, other.state_id]) await set(1, id);
    must(await operator.states.remove(other.state_id));
    const got = await receiver.got(7);
    const at = (path: string) =>
      got
        .filter((one) => one.path === path)
        .map(({ json }) => `${json.type.slice(15)} ${String(json.data['state_id'])}`)
        .sort();
    expect(at('/state')).toEqual([`updated ${stateId}`]);
    expect(at('/root')).toEqual([`updated ${same.state_id}`]);
    expect(at('/schema')).toEqual([`updated ${other.state_id}`]);
    expect(at('/all')).toHaveLength(4);
  });

  it('is told of sessions, runs, completions and callbacks, once for each change that shows', async () => {
    await hook({ events: ['session_updated', 'run_updated', 'completion_updated', 'callback_updated'] });
    const runner = await PlayedRunner.register(harness);
    const root = await harness.as('root');
    must(
      await root.runs.create({ type: 'start_session', session_name: 'kid', prompt: 'go', callback: true }),
    );
    const run = await runner.take('kid');
    must(
      await harness.operator.runners.heartbeat({
        runner_id: runner.runnerId,
        runs: [{ run_id: run.run_id, ...runner.lease(run) }].map(({ runner_id: _, ...rest }) => rest),
      }),
    );
    await runner.complete(run);
    must(await harness.operator.sessions.skip('kid', { reason: 'enough' }));
    const queued = (one: Received) =>
      one.json.type === 'callback_updated' && one.json.data['status'] === 'queued';
    await eventually('the callback is told', () => receiver.received.some(queued));
    const of = (type: string) =>
      receiver.received.filter((one) => one.json.type === type).map((one) => one.json.data);
    expect(
      of('run_updated')
        .filter((one) => one['run_id'] === run.run_id)
        .map((one) => one['status'])
        .sort(),
    ).toEqual(['claimed', 'completed', 'pending', 'running']);
    expect(of('completion_updated').map((one) => one['state_update_status'])).toEqual(
      expect.arrayContaining(['pending', 'skipped']),
    );
    expect(of('session_updated').map((one) => one['session_name'])).toContain('kid');
    expect(JSON.stringify(receiver.received)).not.toContain('callback_secret');
  });

  it.each([
    ['many characters', 'x'.repeat(40_000)],
    ['many bytes', '\u6f22'.repeat(12_000)],
  ])('leaves out a patch of %s, and says where it is', async (_case, text) => {
    await hook();
    must(await harness.operator.states.mergePatch(stateId, { text }, {}));
    const [one] = await receiver.got(1);
    expect(one!.json.data).toMatchObject({
      patch: null,
      read_more: `/workflow-states/${stateId}/events?since=1&limit=1`,
    });
    expect(one!.json.data['patch_bytes']).toBeGreaterThan(Buffer.byteLength(text));
    expect(one!.body.length).toBeLessThan(1000);
  });

  it('is told nothing while it is disabled, and of what is committed after', async () => {
    const { webhook_id } = await hook();
    must(await harness.operator.webhooks.disable(webhook_id, { reason: 'maintenance' }));
    await set(1);
    must(await harness.operator.webhooks.enable(webhook_id));
    await set(2);
    expect(versions(await receiver.got(1))).toEqual([3]);
  });
});

describe('a condition', () => {
  const even = { properties: { n: { multipleOf: 2, minimum: 1 } } };

  it('is told of where the document begins to match, however short the match was', async () => {
    await hook({ when: even });
    for (const n of [1, 2, 4, 3, 6, 5, 8]) await set(n);
    expect(versions(await receiver.got(3))).toEqual([3, 6, 8]);
    await eventually('nothing is left to check', () => !harness.dump().includes('"checking"'));
    expect(receiver.received).toHaveLength(3);
  });

  it('that holds already is no edge; the first version of a new state is one', async () => {
    await set(2);
    await hook({ when: even });
    await set(4);
    const other = must(await harness.operator.states.create({ schema_name: 'any', initial_data: { n: 2 } }));
    const [one] = await receiver.got(1);
    expect(one!.json).toMatchObject({
      type: 'workflow_state_created',
      data: { state_id: other.state_id, version: 1 },
    });
    await eventually('nothing is left to check', () => !harness.dump().includes('"checking"'));
    expect(receiver.received).toHaveLength(1);
  });

  it('is known after a restart', async () => {
    const { webhook_id } = await hook({ when: even });
    await set(2);
    // What was answered but not yet noted would be sent again after the restart.
    await ended(webhook_id, 'delivered');
    await harness.restart();
    await set(4);
    await set(5);
    await set(6);
    expect(versions(await receiver.got(2))).toEqual([2, 5]);
  });

  it('that cannot be checked any more makes a dead letter that says so', async () => {
    const { webhook_id } = await hook({ when: even });
    must(await harness.operator.states.remove(stateId));
    const made = must(await harness.operator.states.create({ schema_name: 'any', initial_data: { n: 2 } }));
    must(await harness.operator.states.remove(made.state_id));
    await eventually('all is settled', async () => {
      const items = await deliveries(webhook_id);
      return items.length > 0 && items.every((one) => one.ended_at !== null);
    });
    for (const one of await deliveries(webhook_id)) {
      expect(one.status === 'delivered' || one.reason?.startsWith('The condition could not be checked')).toBe(
        true,
      );
    }
  });
});

describe('a receiver that fails', () => {
  it('is tried again with backoff and the same id until it takes the message', async () => {
    receiver.script = (_one, count) => ({ status: count < 3 ? 500 : 200, body: 'try later' });
    const { webhook_id } = await hook();
    await set(1);
    await receiver.got(1);
    const waiting = await eventually('it waits', async () => {
      const [one] = await deliveries(webhook_id);
      return one?.status === 'pending' && one.attempts.length === 1 && one;
    });
    expect(waiting.next_attempt_at).toBe('2026-01-01T00:00:02.500Z');
    expect(waiting.attempts[0]).toMatchObject({ status: 500, response: 'try later' });
    await harness.pass(2_500);
    await receiver.got(2);
    await eventually('it waits again', async () => (await deliveries(webhook_id))[0]?.attempts.length === 2);
    await harness.pass(5_000);
    await receiver.got(3);
    expect((await ended(webhook_id, 'delivered')).attempts.map((one) => one.status)).toEqual([500, 500, 200]);
    expect(new Set(receiver.received.map((one) => one.headers['webhook-id'])).size).toBe(1);
    expect(new Set(receiver.received.map((one) => one.body)).size).toBe(1);
  });

  it.each([
    ['seconds', '120', '2026-01-01T00:02:00.000Z'],
    ['a date', 'Thu, 01 Jan 2026 00:10:00 GMT', '2026-01-01T00:10:00.000Z'],
    ['a time beyond the bound', '999999', '2026-01-01T06:00:00.000Z'],
    ['nonsense', 'soon', '2026-01-01T00:00:02.500Z'],
  ])('is heeded when it says Retry-After in %s', async (_form, value, at) => {
    receiver.script = () => ({
      status: 503,
      headers: { 'retry-after': value, date: 'Thu, 01 Jan 2026 00:00:00 GMT' },
    });
    const { webhook_id } = await hook();
    await set(1);
    const waiting = await eventually('it waits', async () => {
      const [one] = await deliveries(webhook_id);
      return one?.status === 'pending' && one.attempts.length === 1 && one;
    });
    expect(waiting.next_attempt_at).toBe(at);
  });

  it('that redirects is not followed', async () => {
    receiver.script = () => ({ status: 302, headers: { location: receiver.url('/elsewhere') } });
    const { webhook_id } = await hook();
    await set(1);
    const waiting = await eventually('it waits', async () => {
      const [one] = await deliveries(webhook_id);
      return one?.attempts.length === 1 && one;
    });
    expect(waiting).toMatchObject({ status: 'pending', attempts: [{ status: 302 }] });
    expect(receiver.received.map((one) => one.path)).toEqual(['/hook']);
  });

  it('that says 410 is told nothing more', async () => {
    receiver.script = () => ({ status: 410 });
    const { webhook_id } = await hook();
    await set(1);
    const dead = await ended(webhook_id, 'dead');
    expect(dead.reason).toContain('410');
    expect(must(await harness.operator.webhooks.get(webhook_id))).toMatchObject({
      enabled: false,
      disabled_reason: expect.stringContaining('410'),
    });
    const again = await harness.operator.webhooks.redeliver(webhook_id, dead.delivery_id);
    expect(failure(again).error).toBe('webhook_disabled');
    await set(2);
    expect(await deliveries(webhook_id)).toHaveLength(1);
  });

  it('leaves a dead letter after its day, which can be sent again', async () => {
    receiver.script = () => ({ status: 500 });
    const { webhook_id } = await hook();
    await set(1);
    await receiver.got(1);
    await eventually(
      'the attempt is noted',
      async () => (await deliveries(webhook_id))[0]?.attempts.length === 1,
    );
    await harness.pass(25 * 60 * 60_000);
    const dead = await ended(webhook_id, 'dead');
    expect(dead.reason).toContain('Given up after');
    receiver.script = () => ({ status: 200 });
    must(await harness.operator.webhooks.redeliver(webhook_id, dead.delivery_id));
    const delivered = await ended(webhook_id, 'delivered');
    expect(delivered).toMatchObject({ delivery_id: dead.delivery_id, reason: null });
    expect(receiver.received.at(-1)!.headers['webhook-id']).toBe(dead.delivery_id);
  });

  it('opens the breaker of its origin: it is left alone, then tried with one message, while others go on', async () => {
    const other = await Receiver.open();
    try {
      receiver.script = () => 'hang';
      const dead = await Receiver.open();
      const url = dead.url();
      await dead.close();
      const { webhook_id } = await hook({ url });
      await hook({ url: other.url() });
      for (let n = 1; n <= 20; n += 1) await set(n);
      await other.got(20);
      const tried = async () =>
        (await deliveries(webhook_id)).reduce((sum, one) => sum + one.attempts.length, 0);
      await eventually('it is open', async () => (await tried()) >= 5 && harness.dump().includes('"open"'));
      const before = await tried();
      expect(before).toBeLessThanOrEqual(5 + 7);
      await harness.pass(5_000);
      expect(await tried()).toBe(before);
      await harness.pass(6_000);
      await eventually('it is tried', async () => (await tried()) === before + 1);
    } finally {
      await other.close();
    }
  });
});

describe('an origin that is left alone', () => {
  it('does not keep a message beyond its time', async () => {
    await end();
    await begin({ webhookRetryForMs: 4_000 });
    const gone = await Receiver.open();
    const { webhook_id } = await hook({ url: gone.url() });
    await gone.close();
    for (let n = 1; n <= 20; n += 1) await set(n);
    await eventually('its breaker is open', () => Promise.resolve(harness.dump().includes('"open"')));
    await harness.pass(5_000);
    await eventually('all are dead', async () => {
      const all = await deliveries(webhook_id);
      return all.length === 20 && all.every(({ status }) => status === 'dead');
    });
    expect(harness.dump()).toContain('"open"');
    const untried = (await deliveries(webhook_id)).filter(({ attempts }) => attempts.length === 0);
    expect(untried.length).toBeGreaterThan(0);
  });
});

describe('a webhook of a tree that is over', () => {
  const left = async () => must(await harness.operator.webhooks.list({})).items.map((one) => one.webhook_id);
  const ofRoot = async () => {
    const root = await harness.as('root');
    const about = { url: receiver.url(), events: ['session_updated' as const] };
    return must(await root.webhooks.create(about)).webhook_id;
  };

  /** Where time passes before the answers have arrived, the attempts count as lost. */
  const delivered = (webhookId: string, count: number) =>
    eventually(`${String(count)} are delivered`, async () => {
      const all = await deliveries(webhookId);
      return all.length === count && all.every(({ status }) => status === 'delivered');
    });

  it('is removed once it has told of the end, and no other is', async () => {
    const all = (await hook()).webhook_id;
    must(await harness.operator.sessions.create({ session_name: 'other', external: true }));
    const other = (await hook({ root_session: 'other' })).webhook_id;
    const ofState = await hook({ state_id: stateId, events: ['workflow_state_deleted'] });
    const ofTree = await ofRoot();
    await harness.pass(60_000);
    expect(await left()).toHaveLength(4);
    must(await harness.operator.sessions.remove('root', { cascade: true }));
    const sent = await receiver.got(2);
    expect(sent.map((one) => one.json.type).sort()).toEqual(['session_updated', 'workflow_state_deleted']);
    for (const id of [ofState.webhook_id, ofTree]) await delivered(id, 1);
    await harness.pass(60_000);
    await eventually('they are removed', async () => (await left()).length === 2);
    expect(await left()).toEqual([all, other]);
  });

  it('stays while a message is not delivered', async () => {
    receiver.script = () => ({ status: 404 });
    const webhookId = await ofRoot();
    must(await harness.operator.sessions.remove('root', { cascade: true }));
    await receiver.got(1);
    await harness.pass(60_000);
    await harness.pass(60_000);
    expect(await left()).toEqual([webhookId]);
  });

  it('stays while a child is at work', async () => {
    const kid = { session_name: 'kid', parent_session_name: 'root', external: true };
    must(await harness.operator.sessions.create({ ...kid, completion: { mode: 'never' } }));
    const webhookId = await ofRoot();
    must(await harness.operator.sessions.remove('root'));
    await delivered(webhookId, 1);
    await harness.pass(60_000);
    await harness.pass(60_000);
    expect(await left()).toEqual([webhookId]);
    must(await harness.operator.sessions.report('kid', { type: 'session_stop' }));
    await delivered(webhookId, 2);
    await harness.pass(60_000);
    await eventually('it is removed', async () => (await left()).length === 0);
  });
});

describe('receivers that are slow', () => {
  it('leave others their share, in whatever order their origins stand', async () => {
    await harness.close();
    const limits = {
      webhookSendsAtOnceMax: 2,
      webhookSendsPerOriginMax: 2,
      webhookTimeoutMs: 150,
      webhookBreakerFailuresMax: 1000,
    };
    harness = await openHarness(limits, false, LOOPBACK);
    must(await harness.operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
    stateId = must(await harness.operator.states.create({ schema_name: 'any', initial_data: {} })).state_id;
    const receivers = [await Receiver.open(), await Receiver.open(), await Receiver.open()];
    receivers.sort((one, other) => (one.url() < other.url() ? -1 : 1));
    const [first, second, fast] = receivers as [Receiver, Receiver, Receiver];
    try {
      for (const slow of [first, second]) {
        slow.script = () => 'hang';
        await hook({ url: slow.url() });
      }
      for (let n = 1; n <= 12; n += 1) await set(n);
      await hook({ url: fast.url() });
      await set(13);
      await fast.got(1);
      expect(first.received.length + second.received.length).toBeLessThan(2 * 13);
    } finally {
      await Promise.all(receivers.map((one) => one.close()));
    }
  });
});

describe('an address that is not public', () => {
  let strict: Harness;
  beforeAll(async () => {
    strict = await openHarness();
  });
  afterAll(() => strict.close());

  it.each([
    ['http://127.0.0.1:1/', 'only https'],
    ['https://127.0.0.1/', 'not a public address'],
    ['https://0x7f.1/', 'not a public address'],
    ['https://2130706433/', 'not a public address'],
    ['https://10.1.2.3/', 'not a public address'],
    ['https://169.254.169.254/latest/meta-data', 'not a public address'],
    ['https://[::1]/', 'not a public address'],
    ['https://[::ffff:127.0.0.1]/', 'not a public address'],
    ['https://[fd00::1]/', 'not a public address'],
    ['https://0.0.0.0/', 'not a public address'],
    ['http://ci.example/', 'only https'],
    ['ftp://ci.example/', 'cannot be called'],
    ['https://user:pass@ci.example/', 'credentials'],
    ['nonsense', 'no URL'],
  ])('%s is refused when it is registered, and nothing is written', async (url, why) => {
    const before = strict.dump();
    const refused = failure(
      await strict.operator.webhooks.create({ url, events: ['workflow_state_updated'] }),
    );
    expect(refused).toMatchObject({
      error: 'webhook_url_refused',
      members: { errors: [{ pointer: '/url' }] },
    });
    if (!why.startsWith('only') || url.includes('example')) expect(refused.detail).toContain(why);
    const session = failure(
      await strict.operator.sessions.create({ external: true, delivery: 'webhook', callback_url: url }),
    );
    expect(session).toMatchObject({
      error: 'webhook_url_refused',
      members: { errors: [{ pointer: '/callback_url' }] },
    });
    expect(strict.dump()).toBe(before);
  });

  it('is refused when a name turns out to be one, and nothing is sent', async () => {
    await harness.close();
    harness = await openHarness({}, false, { allow: ['10.0.0.0/8'], random: () => 0.5 });
    must(await harness.operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
    stateId = must(await harness.operator.states.create({ schema_name: 'any', initial_data: {} })).state_id;
    const { webhook_id } = await hook({ url: receiver.url('/hook', 'localhost') });
    await set(1);
    const waiting = await eventually('it is tried', async () => {
      const [one] = await deliveries(webhook_id);
      return one?.attempts.length === 1 && one;
    });
    expect(waiting.attempts[0]!.error).toContain('address refused');
    expect(receiver.received).toEqual([]);
  });
});

describe('a parent that gave a URL', () => {
  const secret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
  const aTree = async () => {
    const parent = must(
      await harness.operator.sessions.create({
        session_name: 'boss',
        external: true,
        delivery: 'webhook',
        callback_url: receiver.url('/callbacks'),
        callback_secret: secret,
      }),
    );
    expect(parent).toMatchObject({ delivery: 'webhook', callback_secret: secret });
    const boss = await harness.as('boss');
    const state = must(await boss.states.create({ schema_name: 'any', initial_data: {} })).state_id;
    must(
      await boss.sessions.create({
        session_name: 'kid',
        external: true,
        callback: true,
        completion: { max_attempts: 1 },
      }),
    );
    return state;
  };
  const kidRecords = async (state: string) => {
    const kid = await harness.as('kid');
    must(await kid.sessions.report('kid', { type: 'session_stop', result_text: 'what I found' }));
    must(await kid.states.mergePatch(state, { kid: 1 }, {}));
    await harness.pass(1);
  };
  const callback = async () =>
    must(await harness.operator.callbacks.list({ root_session: 'boss' })).items[0]!;

  it('is told nothing of the state where its summary is turned off', async () => {
    await harness.close();
    harness = await openHarness({}, false, LOOPBACK, undefined, undefined, null, {
      context: true,
      summary: false,
    });
    must(await harness.operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
    await kidRecords(await aTree());
    const [sent] = await receiver.got(1);
    expect(sent!.json).toMatchObject({ type: 'callback', data: { child_session_name: 'kid' } });
    expect((sent!.json as { data: object }).data).not.toHaveProperty('state_summary');
  });

  it('is told there, once its child has recorded its result', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: harness.clock.now() });
    const state = await aTree();
    await kidRecords(state);
    const [sent] = await receiver.got(1);
    expect(sent!.json).toMatchObject({
      type: 'callback',
      data: {
        child_session_name: 'kid',
        outcome: 'completed',
        metadata: { callback_source: 'kid', state_update_status: 'completed', workflow_state_version: 2 },
        message: expect.stringContaining('what I found'),
        state_summary: expect.stringContaining('state_read'),
      },
    });
    new Webhook(secret).verify(sent!.body, sent!.headers as Record<string, string>);
    const delivered = await eventually('it is delivered', async () => {
      const one = await callback();
      return one.status === 'delivered' && one;
    });
    expect(sent!.headers['webhook-id']).toBe(delivered.callback_id);
    const boss = await harness.as('boss');
    expect(must(await boss.callbacks.acknowledge(delivered.callback_id)).status).toBe('acknowledged');
    expect(must(await boss.sessions.pullCallbacks('boss', 0)).items).toEqual([]);
    expect(must(await boss.sessions.get('boss'))).not.toHaveProperty('callback_secret');
    expect(receiver.received).toHaveLength(1);
  });

  it('that wants no more leaves a dead letter, which can be sent again', async () => {
    receiver.script = (_one, count) => ({ status: count === 1 ? 410 : 200 });
    await kidRecords(await aTree());
    const dead = await eventually('it is dead', async () => {
      const one = await callback();
      return one.status === 'dead' && one;
    });
    expect(dead.reason).toContain('410');
    must(await harness.operator.callbacks.redeliver(dead.callback_id));
    await receiver.got(2);
    await eventually('it is delivered', async () => (await callback()).status === 'delivered');
    expect(new Set(receiver.received.map((one) => one.headers['webhook-id']))).toEqual(
      new Set([dead.callback_id]),
    );
  });

  it('is told after a restart of what was on its way', async () => {
    receiver.script = () => 'hang';
    await kidRecords(await aTree());
    await receiver.got(1);
    receiver.script = () => ({ status: 200 });
    await harness.restart();
    await receiver.got(2);
    await eventually('it is delivered', async () => (await callback()).status === 'delivered');
  });

  it('needs a URL, and only this delivery takes one', async () => {
    const before = harness.dump();
    const { sessions } = harness.operator;
    expect(failure(await sessions.create({ delivery: 'webhook' })).members).toMatchObject({
      errors: [{ pointer: '/callback_url' }],
    });
    expect(
      failure(await sessions.create({ delivery: 'pull', callback_url: receiver.url() })).members,
    ).toMatchObject({ errors: [{ pointer: '/callback_url' }] });
    expect(harness.dump()).toBe(before);
  });
});

describe('who may have webhooks', () => {
  it('is a session for its own tree alone', async () => {
    must(await harness.operator.sessions.create({ session_name: 'stranger', external: true }));
    const foreign = await hook();
    const { webhooks } = await harness.as('stranger');
    const before = harness.dump();
    const events: api.WebhookCreate['events'] = ['workflow_state_updated'];
    const url = receiver.url();
    for (const scope of [{ state_id: stateId }, { root_session: 'root' }]) {
      expect(failure(await webhooks.create({ url, events, ...scope })).error).toMatch(/_not_found$/);
    }
    expect(failure(await webhooks.get(foreign.webhook_id)).error).toBe('webhook_not_found');
    expect(failure(await webhooks.remove(foreign.webhook_id)).error).toBe('webhook_not_found');
    expect(must(await webhooks.list({})).items).toEqual([]);
    expect(harness.dump()).toBe(before);
    const own = must(await webhooks.create({ url, events }));
    expect(own.root_session_id).not.toBeNull();
    await set(1);
    await receiver.got(1);
    expect(await deliveries(own.webhook_id)).toEqual([]);
  });

  it('is nobody beyond their number', async () => {
    await harness.close();
    harness = await openHarness({ webhooksMax: 1 }, false, LOOPBACK);
    await hook();
    const refused = failure(
      await harness.operator.webhooks.create({ url: receiver.url(), events: ['run_updated'] }),
    );
    expect(refused).toMatchObject({ error: 'limit_exceeded', members: { limit: 'webhooksMax' } });
  });
});
