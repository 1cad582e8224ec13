// Deadlines over a time in which nobody kept them: the service was away, or its clock was set meanwhile.
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually, pause } from '../../support/eventually.js';
import { Receiver } from '../../support/receiver.js';
import { must, openHarness, type Harness } from '../harness.js';

const HOUR = 3_600_000;
let harness: Harness;
let runnerId: string;

beforeEach(async () => {
  harness = await openHarness(
    { leaseMs: 10_000, runUnclaimedMs: 60_000, completionTimeoutMs: 60_000 },
    false,
    { allow: ['127.0.0.0/8', '::1/128'] },
  );
  const registered = await harness.operator.runners.register({
    hostname: 'here',
    executor_types: ['command'],
    max_concurrent: 4,
  });
  runnerId = must(registered).runner_id;
});
afterEach(() => harness.close());

const start = async (name: string, timeoutMs: number | null = null) =>
  must(
    await harness.operator.runs.create({
      type: 'start_session',
      session_name: name.replaceAll(' ', '-'),
      prompt: 'x',
      ...(timeoutMs === null ? {} : { timeout_ms: timeoutMs }),
    }),
  ).run_id;
const run = async (runId: string) => must(await harness.operator.runs.get(runId));
const claim = async () => {
  const [claimed] = must(await harness.operator.runners.poll({ runnerId, waitMs: 0, capacity: 1 })).runs;
  if (claimed === undefined) throw new Error('there is no run');
  const held = { runner_id: runnerId, attempt: claimed.attempt, lease_token: claimed.lease_token };
  must(
    await harness.operator.runners.started(claimed.run_id, {
      ...held,
      executor_type: 'command',
      executor_session_id: null,
    }),
  );
  return claimed.run_id;
};

/** A message whose receiver has answered 500 once. */
async function failedOnce() {
  const receiver = await Receiver.open();
  receiver.script = () => ({ status: 500 });
  const { operator } = harness;
  must(await operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
  const { state_id } = must(await operator.states.create({ schema_name: 'any', initial_data: {} }));
  const { webhook_id } = must(
    await operator.webhooks.create({ url: receiver.url(), events: ['workflow_state_updated'] }),
  );
  must(await operator.states.patch(state_id, [{ op: 'add', path: '/n', value: 1 }], {}));
  const delivery = async () => {
    const { items } = must(await harness.operator.webhooks.deliveries(webhook_id, {}));
    return items[0];
  };
  await eventually('its answer is noted', async () => (await delivery())?.attempts.length === 1);
  return { receiver, delivery };
}

describe('a service that was away', () => {
  it('charges nobody with that time: not a run that waits, nor one that is under way', async () => {
    await start('under way', 30_000);
    const underWay = await claim();
    const waiting = await start('waits');
    await harness.pass(9_000);
    await harness.restart({ elapsedMs: HOUR, clockShiftMs: 0 }, () => harness.clock.advance(HOUR));
    await harness.pass(0);
    expect(await run(underWay)).toMatchObject({ status: 'running', attempt: 1 });
    expect(await run(waiting)).toMatchObject({ status: 'pending' });
    // Each has what was left of its time, and no more.
    must(await harness.operator.runners.heartbeat({ runner_id: runnerId, runs: [] }));
    await harness.pass(9_000);
    expect(await run(underWay)).toMatchObject({ status: 'running' });
    await harness.pass(2_000);
    expect(await run(underWay)).toMatchObject({ status: 'pending', attempt: 1 });
    await harness.pass(50_000);
    expect(await run(waiting)).toMatchObject({ status: 'failed' });
  });

  it('leaves the time limit of a run as it is, before its start and after', async () => {
    const runId = await start('limited', 5_000);
    const [claimed] = must(await harness.operator.runners.poll({ runnerId, waitMs: 0, capacity: 1 })).runs;
    const held = { runner_id: runnerId, attempt: claimed!.attempt, lease_token: claimed!.lease_token };
    const away = () =>
      harness.restart({ elapsedMs: HOUR, clockShiftMs: 0 }, () => harness.clock.advance(HOUR));
    await away();
    const began = { ...held, executor_type: 'command', executor_session_id: null };
    must(await harness.operator.runners.started(runId, began));
    await harness.pass(2_000);
    await away();
    await harness.pass(2_000);
    expect(await run(runId)).toMatchObject({ status: 'running' });
    await harness.pass(2_000);
    expect(await run(runId)).toMatchObject({ status: 'stopping' });
  });

  it.each([1, -1])('lets nothing come early or late where its clock was set by %i h', async (hours) => {
    const receiver = await Receiver.open();
    receiver.script = () => ({ status: 500 });
    must(await harness.operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
    const { state_id } = must(await harness.operator.states.create({ schema_name: 'any', initial_data: {} }));
    const webhook = must(
      await harness.operator.webhooks.create({ url: receiver.url(), events: ['workflow_state_updated'] }),
    );
    await start('under way', 30_000);
    const underWay = await claim();
    const waiting = await start('waits');
    must(await harness.operator.states.patch(state_id, [{ op: 'add', path: '/n', value: 1 }], {}));
    await receiver.got(1);
    await eventually('its answer is noted', async () => {
      const { items } = must(await harness.operator.webhooks.deliveries(webhook.webhook_id, {}));
      return items[0]?.attempts.length === 1;
    });
    await harness.pass(0);

    const shift = hours * HOUR;
    await harness.restart({ elapsedMs: 0, clockShiftMs: shift }, () => harness.clock.advance(shift));
    await harness.pass(0);
    expect(await run(underWay)).toMatchObject({ status: 'running', attempt: 1 });
    expect(await run(waiting)).toMatchObject({ status: 'pending' });
    expect(receiver.received).toHaveLength(1);
    // The retry comes when it was to come, at the latest after the longest first pause.
    receiver.script = () => ({ status: 204 });
    await harness.pass(6_000);
    await receiver.got(2);
    await harness.pass(55_000);
    expect(await run(waiting)).toMatchObject({ status: 'failed' });
    await receiver.close();
  });

  it.each([1, -1])(
    'sends nothing before deadlines are moved, and lets no receiver rest longer (%i h)',
    async (hours) => {
      await harness.close();
      harness = await openHarness(
        { webhookBreakerFailuresMax: 1, webhookBackoffMs: 5, webhookBreakerMs: 5_000 },
        false,
        { allow: ['127.0.0.0/8', '::1/128'] },
        undefined,
        (store) => {
          const due = store.read.due.bind(store.read);
          store.read.due = async (now, limit) => {
            if (now === Number.MAX_SAFE_INTEGER) await pause(50);
            return due(now, limit);
          };
          return store;
        },
      );
      const receiver = await Receiver.open();
      receiver.script = () => ({ status: 500 });
      must(await harness.operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
      const { state_id } = must(
        await harness.operator.states.create({ schema_name: 'any', initial_data: {} }),
      );
      const { webhook_id } = must(
        await harness.operator.webhooks.create({ url: receiver.url(), events: ['workflow_state_updated'] }),
      );
      must(await harness.operator.states.patch(state_id, [{ op: 'add', path: '/n', value: 1 }], {}));
      await eventually('its answer is noted', async () => {
        const { items } = must(await harness.operator.webhooks.deliveries(webhook_id, {}));
        return items[0]?.attempts.length === 1;
      });

      const shift = hours * HOUR;
      receiver.script = () => ({ status: 204 });
      await harness.restart({ elapsedMs: 0, clockShiftMs: shift }, () => harness.clock.advance(shift));
      await harness.pass(1_000);
      expect(receiver.received).toHaveLength(1);
      await harness.pass(5_000);
      await receiver.got(2);
      await receiver.close();
    },
  );

  it('charges no message with that time: not one that is due, nor one whose condition is to be checked', async () => {
    const { receiver, delivery } = await failedOnce();
    const day = 24 * HOUR;
    await harness.restart({ elapsedMs: 2 * day, clockShiftMs: 0 }, () => {
      harness.clock.advance(2 * day);
      receiver.script = () => ({ status: 204 });
    });
    await eventually('it is sent again', async () => (await delivery())?.status === 'delivered');
    expect(receiver.received).toHaveLength(2);

    harness.tamper("update webhook_deliveries set status = 'checking', due_at = null, ended_at = null");
    await harness.restart({ elapsedMs: 2 * day, clockShiftMs: 0 }, () => harness.clock.advance(2 * day));
    await eventually('it is checked and sent', async () => (await delivery())?.status === 'delivered');
    expect(receiver.received).toHaveLength(3);
    await receiver.close();
  });

  it('charges no message with that time where the circuit breaker of its origin cannot be read', async () => {
    const { receiver, delivery } = await failedOnce();
    harness.tamper('update webhook_destinations set failures = -5');
    const away = 48 * HOUR;
    await harness.restart({ elapsedMs: away, clockShiftMs: 0 }, () => harness.clock.advance(away));
    await eventually('it is tried again', async () => (await delivery())?.attempts.length === 2);
    expect(await delivery()).toMatchObject({ status: 'pending' });
    await receiver.close();
  });

  it('gives an external session its time to answer again', async () => {
    const { operator } = harness;
    must(await operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
    must(await operator.sessions.create({ session_name: 'root', external: true }));
    const root = await harness.as('root');
    must(await root.states.create({ schema_name: 'any', initial_data: {} }));
    must(await root.sessions.create({ session_name: 'kid', external: true, callback: true }));
    must(await (await harness.as('kid')).sessions.report('kid', { type: 'session_stop' }));
    await harness.restart({ elapsedMs: HOUR, clockShiftMs: 0 }, () => harness.clock.advance(HOUR));
    await harness.pass(0);
    expect(must(await harness.operator.sessions.completion('kid')).attempts).toHaveLength(1);
    await harness.pass(61_000);
    expect(must(await harness.operator.sessions.completion('kid')).attempts).toMatchObject([
      { outcome: 'timed_out' },
      {},
    ]);
  });
});

describe('the clock of the machine, set while the service runs', () => {
  it.each([1, -1])(
    'stamps messages, so that receivers take them, and moves no lease (by %i h)',
    async (hours) => {
      const receiver = await Receiver.open();
      must(await harness.operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
      const { state_id } = must(
        await harness.operator.states.create({ schema_name: 'any', initial_data: {} }),
      );
      const hook = must(
        await harness.operator.webhooks.create({ url: receiver.url(), events: ['workflow_state_updated'] }),
      );
      await start('under way');
      const underWay = await claim();
      // As receivers compare: with their own clock, which is right.
      harness.clock.advance(Date.now() - harness.clock.now() - hours * HOUR);
      harness.clock.setByMs = hours * HOUR;
      await harness.restart({ elapsedMs: 0, clockShiftMs: 0 });
      must(await harness.operator.states.patch(state_id, [{ op: 'add', path: '/n', value: 1 }], {}));
      const [first] = await receiver.got(1);
      expect(() =>
        new Webhook(hook.secret).verify(first!.body, first!.headers as Record<string, string>),
      ).not.toThrow();
      expect(await run(underWay)).toMatchObject({ status: 'running', attempt: 1 });
      await receiver.close();
    },
  );
});
