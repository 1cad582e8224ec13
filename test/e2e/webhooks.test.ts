import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually, STORY_MS_MAX } from '../support/eventually.js';
import { Receiver, type Received } from '../support/receiver.js';
import { must, Stage } from '../support/stage.js';
import type { WebhookCreate } from '../../src/ports/api/index.js';
import { parts } from './parts.js';

const FLAGS = [
  ...['--webhook-allow', '127.0.0.0/8'],
  ...['--webhook-backoff-ms', '50'],
  ...['--webhook-timeout-ms', '1000'],
];

const headersOf = (received: Received) => received.headers as Record<string, string>;

describe('webhooks', { timeout: STORY_MS_MAX }, () => {
  let stage: Stage;
  let receiver: Receiver;
  let count = 0;
  let root = '';
  let stateId = '';
  beforeAll(async () => {
    stage = await Stage.open({ serve: FLAGS });
    stage.agents.cast(parts);
    must(await stage.operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
  });
  afterAll(async () => {
    const doctor = await stage.command('doctor');
    await stage.close();
    expect(doctor).toMatchObject({ code: 0, stdout: 'All is well.\n' });
  });
  beforeEach(async () => {
    receiver = await Receiver.open();
    root = `root-${String((count += 1))}`;
    must(await stage.operator.sessions.create({ session_name: root, external: true }));
    const state = await stage.as(root).states.create({ schema_name: 'any', initial_data: { n: 0 } });
    stateId = must(state).state_id;
  });
  afterEach(() => receiver.close());

  const hook = async (more: object = {}) =>
    must(
      await stage.operator.webhooks.create({
        url: receiver.url(),
        events: ['workflow_state_updated'],
        state_id: stateId,
        ...more,
      }),
    );
  const set = async (n: number) => must(await stage.operator.states.mergePatch(stateId, { n }, {}));
  const deliveries = async (webhookId: string) =>
    must(await stage.operator.webhooks.deliveries(webhookId, {})).items;
  const delivered = (webhookId: string) =>
    eventually('it is delivered', async () => {
      const [one] = await deliveries(webhookId);
      return one?.status === 'delivered' && one;
    });

  it('are made, listed and removed from the command line', async () => {
    const args = ['--state', stateId, '--when', '{"required": ["done"]}', '--json'];
    const added = await stage.command('webhook', 'add', receiver.url(), ...args);
    const { webhook_id, secret } = JSON.parse(added.stdout) as { webhook_id: string; secret: string };
    expect(secret).toMatch(/^whsec_/);
    must(await stage.operator.states.mergePatch(stateId, { done: true }, {}));
    const [sent] = await receiver.got(1);
    expect(new Webhook(secret).verify(sent!.body, headersOf(sent!))).toMatchObject({
      type: 'workflow_state_updated',
      data: { state_id: stateId, version: 2, patch: [{ op: 'add', path: '/done', value: true }] },
    });
    await delivered(webhook_id);
    const listed = await stage.command('webhook', 'deliveries', webhook_id);
    expect(listed.stdout).toMatch(/delivered +1 +204/);
    expect((await stage.command('webhook', 'list')).stdout).not.toContain('whsec_');
    expect(await stage.command('webhook', 'remove', webhook_id)).toMatchObject({ code: 0 });
    expect(await stage.command('webhook', 'get', webhook_id)).toMatchObject({ code: 4 });
  });

  it('are sent again after a 500, with the same id and a signature that holds', async () => {
    receiver.script = (_one, nth) => ({ status: nth === 1 ? 500 : 200 });
    const { webhook_id, secret } = await hook();
    await set(1);
    const got = await receiver.got(2);
    for (const one of got) new Webhook(secret).verify(one.body, headersOf(one));
    expect(new Set(got.map((one) => one.headers['webhook-id'])).size).toBe(1);
    expect((await delivered(webhook_id)).attempts.map((one) => one.status)).toEqual([500, 200]);
  });

  it('wait for as long as Retry-After says', async () => {
    receiver.script = (_one, nth) =>
      nth === 1 ? { status: 429, headers: { 'retry-after': '1' } } : { status: 200 };
    const { webhook_id } = await hook();
    await set(1);
    await receiver.got(2);
    const [first, second] = (await delivered(webhook_id)).attempts;
    expect(Date.parse(second!.at) - Date.parse(first!.at)).toBeGreaterThanOrEqual(900);
  });

  it('follow no redirect', async () => {
    const other = await Receiver.open();
    const location = other.url();
    receiver.script = () => ({ status: 307, headers: { location } });
    const { webhook_id } = await hook();
    await set(1);
    await eventually(
      'it was tried',
      async () => (await deliveries(webhook_id))[0]?.attempts[0]?.status === 307,
    );
    expect(other.received).toEqual([]);
    await other.close();
    must(await stage.operator.webhooks.remove(webhook_id));
  });

  it('end where the receiver answers 410', async () => {
    receiver.script = () => ({ status: 410 });
    const { webhook_id } = await hook();
    await set(1);
    await eventually(
      'it is disabled',
      async () => !must(await stage.operator.webhooks.get(webhook_id)).enabled,
    );
    await set(2);
    const [dead, ...more] = await deliveries(webhook_id);
    expect(dead).toMatchObject({ status: 'dead', reason: expect.stringContaining('410') });
    expect(more).toEqual([]);
  });

  it('are told on the edge of a condition, once each time', async () => {
    await hook({ when: { properties: { n: { minimum: 10 } } } });
    for (const n of [10, 11, 1, 12]) await set(n);
    const got = await receiver.got(2);
    expect(got.map(({ json }) => json.data['version'] as number).sort()).toEqual([2, 5]);
    await set(13);
    await set(0);
    await set(20);
    expect((await receiver.got(3)).map(({ json }) => json.data['version'] as number)).toContain(8);
  });

  it('that became dead letters are sent again by hand', async () => {
    await stage.coordinator.end();
    await stage.startCoordinator(['--webhook-retry-for-ms', '1']);
    receiver.script = () => ({ status: 500 });
    const { webhook_id } = await hook();
    await set(1);
    const dead = await eventually('it is dead', async () => {
      const [one] = await deliveries(webhook_id);
      return one?.status === 'dead' && one;
    });
    await stage.coordinator.end();
    await stage.startCoordinator();
    receiver.script = () => ({ status: 200 });
    const again = await stage.command('webhook', 'redeliver', webhook_id, dead.delivery_id);
    expect(again.code).toBe(0);
    await delivered(webhook_id);
    expect(receiver.received.at(-1)!.headers['webhook-id']).toBe(dead.delivery_id);
  });

  it('are sent after a SIGKILL between the commit and the answer of the receiver', async () => {
    receiver.script = () => 'hang';
    const { webhook_id, secret } = await hook();
    await set(1);
    await receiver.got(1);
    await set(2);
    await stage.coordinator.end('SIGKILL');
    receiver.script = () => ({ status: 200 });
    await stage.startCoordinator();
    const all = await eventually('both are delivered', async () => {
      const items = await deliveries(webhook_id);
      return items.every((one) => one.status === 'delivered') && items;
    });
    expect(all.map((one) => one.version)).toEqual([3, 2]);
    for (const one of receiver.received) new Webhook(secret).verify(one.body, headersOf(one));
  });

  it('leave an origin alone that fails, also after a SIGKILL', async () => {
    receiver.script = () => ({ status: 500 });
    const { webhook_id } = await hook();
    await set(1);
    await receiver.got(5);
    const tried = await eventually('it was tried five times', async () => {
      const [one] = await deliveries(webhook_id);
      return one?.attempts.length === 5 && one.attempts;
    });
    await stage.coordinator.end('SIGKILL');
    receiver.script = () => ({ status: 200 });
    await stage.startCoordinator();
    const { attempts } = await delivered(webhook_id);
    const pause = Date.parse(attempts[5]!.at) - Date.parse(tried[4]!.at);
    // The backoff alone would have been over after 50 ms and less than a second.
    expect(pause).toBeGreaterThanOrEqual(9_000);
    expect(receiver.received).toHaveLength(6);
  });

  it.each([
    ['an unknown event', { events: ['moon_phase'] }, 'invalid_request', '/events/0'],
    ['no event', { events: [] }, 'invalid_request', '/events'],
    ['an unknown member', { colour: 'red' }, 'invalid_request', '/colour'],
    ['a secret that is too short', { secret: 'whsec_abc' }, 'invalid_request', '/secret'],
    ['a condition that is no schema', { when: { type: 'objekt' } }, 'invalid_schema', undefined],
    ['a state that is not there', { state_id: 'wfstate_none' }, 'state_not_found', undefined],
    ['a tree that is not there', { root_session: 'nobody' }, 'session_not_found', undefined],
    ['a URL of another kind', { url: 'ftp://example.com/' }, 'webhook_url_refused', undefined],
    ['no URL', { url: 'receiver' }, 'webhook_url_refused', undefined],
  ])('are refused with %s', async (_what, wrong, error, pointer) => {
    const body = { url: receiver.url(), events: ['workflow_state_updated'], ...wrong };
    const refused = await stage.operator.webhooks.create(body as WebhookCreate);
    expect(refused).toMatchObject({ ok: false, failure: { error } });
    if (pointer !== undefined)
      expect(refused).toMatchObject({ failure: { members: { errors: [{ pointer }] } } });
  });

  it('that are disabled send nothing again', async () => {
    receiver.script = () => ({ status: 410 });
    const { webhook_id } = await hook();
    await set(1);
    const dead = await eventually('it is disabled', async () => {
      const [one] = await deliveries(webhook_id);
      return !must(await stage.operator.webhooks.get(webhook_id)).enabled && one;
    });
    const again = await stage.operator.webhooks.redeliver(webhook_id, dead.delivery_id);
    expect(again).toMatchObject({ ok: false, failure: { error: 'webhook_disabled' } });
  });

  it('go to no private address, whatever its name', async () => {
    const strict = await Stage.open({ runner: null, serve: ['--webhook-allow', '10.0.0.0/8'] });
    try {
      const { operator } = strict;
      must(await operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
      const state = must(await operator.states.create({ schema_name: 'any', initial_data: {} }));
      const literal = await operator.webhooks.create({ url: receiver.url(), events: ['run_updated'] });
      expect(literal).toMatchObject({ ok: false, failure: { error: 'webhook_url_refused' } });
      const named = must(
        await operator.webhooks.create({
          url: receiver.url('/', 'localhost'),
          events: ['workflow_state_updated'],
        }),
      );
      must(await operator.states.mergePatch(state.state_id, { n: 1 }, {}));
      const error = await eventually('it was tried', async () => {
        const { items } = must(await operator.webhooks.deliveries(named.webhook_id, {}));
        return items[0]?.attempts[0]?.error;
      });
      expect(error).toContain('address refused');
      expect(receiver.received).toEqual([]);
    } finally {
      await strict.close();
    }
  });

  it('tell a parent of its child once the child has recorded its result', async () => {
    const parent = `parent-${String(count)}`;
    const child = `child-${String(count)}`;
    const made = must(
      await stage.operator.sessions.create({
        session_name: parent,
        external: true,
        delivery: 'webhook',
        callback_url: receiver.url('/callbacks'),
      }),
    );
    must(await stage.as(parent).states.create({ schema_name: 'any', initial_data: {} }));
    must(
      await stage.as(parent).runs.create({
        type: 'start_session',
        session_name: child,
        agent_name: 'dutiful',
        prompt: 'work',
        callback: true,
      }),
    );
    const [sent] = await receiver.got(1);
    expect(new Webhook(made.callback_secret ?? '').verify(sent!.body, headersOf(sent!))).toMatchObject({
      type: 'callback',
      data: {
        child_session_name: child,
        outcome: 'completed',
        metadata: { state_update_status: 'completed', workflow_state_version: 2 },
        message: expect.stringContaining(`dutiful prose of ${child}`),
      },
    });
    const callback = await eventually('it is delivered', async () => {
      const [one] = must(await stage.operator.callbacks.list({ root_session: parent })).items;
      return one?.status === 'delivered' && one;
    });
    expect(sent!.headers['webhook-id']).toBe(callback.callback_id);
    must(await stage.as(parent).callbacks.acknowledge(callback.callback_id));
    expect(receiver.received).toHaveLength(1);
  });
});
