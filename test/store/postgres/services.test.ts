// Several coordinators on one PostgreSQL database, as services: whoever waits at one of them hears what happens at another.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StreamEvent } from '../../../src/ports/api/index.js';
import { ok } from '../../../src/domain/errors.js';
import type { JsonValue } from '../../../src/domain/json/json.js';
import type { Countersign, EventStream } from '../../../src/ports/service.js';
import { must } from '../../service/harness.js';
import { eventually } from '../../support/eventually.js';
import { execute, newMigratedDatabase } from '../../support/postgres.js';
import { startTestCoordinator, type TestCoordinator } from '../../support/coordinator.js';
import { Receiver } from '../../support/receiver.js';

const LONG_MS = 60_000;

describe('coordinators on one PostgreSQL database', () => {
  let db: string;
  let one: TestCoordinator;
  let other: TestCoordinator;
  let stateId: string;
  beforeEach(async () => {
    db = await newMigratedDatabase();
    one = await startTestCoordinator(db);
    other = await startTestCoordinator(db);
    must(await one.operator.schemas.register({ name: 'plan', json_schema: { type: 'object' } }));
    const session = { session_name: 'root', external: true };
    must(await one.operator.sessions.create(session));
    const created = await one.operator.states.create({
      schema_name: 'plan',
      initial_data: { n: 0 },
      root_session_name: 'root',
    });
    stateId = must(created).state_id;
  });
  afterEach(async () => {
    await Promise.all([one.close(), other.close()]);
  });
  const increment = async (coordinator: TestCoordinator) =>
    must(await coordinator.operator.states.ops(stateId, [{ op: 'increment', pointer: '/n', delta: 1 }], {}));
  const versionsOf = async (stream: EventStream, upTo: number) => {
    const heard: StreamEvent[] = [];
    for await (const events of stream) {
      heard.push(...events);
      const last = heard.at(-1);
      if (last?.event === 'workflow_state_updated' && last.data.version >= upTo) break;
    }
    return heard.flatMap(({ event, data }) => (event === 'workflow_state_updated' ? [data.version] : []));
  };
  const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

  it('answer a request as it was carried out at another, if only its effect is kept', async () => {
    const admin = { kind: 'operator', tokenName: null } as const;
    const request = (key: string) => ({ key, fingerprint: key });
    const requests = {
      register: (service: Countersign) =>
        service.runners.register({ hostname: 'h', executor_types: ['command'] }),
      remove: (service: Countersign) => service.states.remove(stateId),
    };
    for (const [key, work] of Object.entries(requests)) {
      const once = ({ service }: TestCoordinator) =>
        service.once<JsonValue>(admin, request(key), async (as) => {
          const result = await work(as);
          return result.ok ? ok({ ...result.value }) : result;
        });
      const { answer } = must(await once(one));
      await one.service.answersKept();
      await execute(db, `delete from receipts where receipt_id not like '%#%'`);
      expect(must(await once(other))).toEqual({ answer, replayed: false });
    }
    expect(must(await other.operator.runners.list()).items).toHaveLength(1);
  });

  it('answer a wait at once where the write comes through another, and read what it wrote', async () => {
    const newer = one.operator.states.get(stateId, undefined, { afterVersion: 1, waitMs: LONG_MS });
    const met = one.operator.states.wait(stateId, {
      until: { properties: { n: { const: 1 } } },
      timeout_ms: LONG_MS,
    });
    await increment(other);
    expect(must(await newer)).toMatchObject({ version: 2, current_data: { n: 1 } });
    expect(must(await met)).toMatchObject({ version: 2 });
    expect(must(await one.operator.states.get(stateId))).toMatchObject({
      version: 2,
      current_data: { n: 1 },
    });
  });

  it('stream what is written through any of them, in order and without a gap, over a reconnect to another', async () => {
    const stream = must(await one.operator.streams.state(stateId, { after: '1' }));
    const heard = versionsOf(stream, 31);
    for (let i = 0; i < 15; i += 1) await Promise.all([increment(one), increment(other)]);
    expect(await heard).toEqual(range(2, 31));
    const again = versionsOf(must(await other.operator.streams.state(stateId, { after: '20' })), 41);
    for (let i = 0; i < 10; i += 1) await increment(one);
    expect(await again).toEqual(range(21, 41));
  });

  it('lose no write of one hot state, starve none of them, and keep its history whole', async () => {
    const writers = Array.from({ length: 16 }, async (_, i) => {
      for (let n = 0; n < 10; n += 1) await increment(i % 2 === 0 ? one : other);
    });
    await Promise.all(writers);
    for (const coordinator of [one, other])
      expect(must(await coordinator.operator.states.get(stateId))).toMatchObject({
        version: 161,
        current_data: { n: 160 },
      });
    expect(must(await other.operator.operations.doctor())).toEqual({ healthy: true, findings: [] });
  });

  it('give a run to one runner only, at once, wherever it was created', async () => {
    const register = async (coordinator: TestCoordinator) =>
      must(
        await coordinator.operator.runners.register({
          hostname: 'host',
          executor_types: ['command'],
          max_concurrent: 32,
        }),
      ).runner_id;
    const [first, second] = [await register(one), await register(other)];
    const polls = [
      one.operator.runners.poll({ runnerId: first, waitMs: LONG_MS }),
      other.operator.runners.poll({ runnerId: second, waitMs: LONG_MS }),
    ];
    must(await one.operator.runs.create({ type: 'start_session', session_name: 'work', prompt: 'x' }));
    const given = must(await Promise.race(polls)).runs;
    expect(given.map((run) => [run.session_name, run.attempt])).toEqual([['work', 1]]);
    for (const [coordinator, runnerId] of [
      [one, first],
      [other, second],
    ] as const)
      expect(must(await coordinator.operator.runners.poll({ runnerId, waitMs: 0 })).runs).toEqual([]);
  });

  it('send a message of a webhook once, whoever created the webhook, and none after it is removed', async () => {
    const receiver = await Receiver.open();
    try {
      const created = must(
        await one.operator.webhooks.create({
          url: receiver.url('/hook'),
          events: ['workflow_state_updated'],
          state_id: stateId,
        }),
      );
      await increment(other);
      await increment(one);
      await eventually('both are received', () => receiver.received.length >= 2);
      must(await other.operator.webhooks.remove(created.webhook_id));
      await increment(one);
      await increment(other);
      const deliveries = await execute(db, 'select count(*)::int as deliveries from webhook_deliveries');
      expect(deliveries.rows).toEqual([{ deliveries: 0 }]);
      expect(receiver.received.map(({ json }) => json.data['version']).toSorted()).toEqual([2, 3]);
    } finally {
      await receiver.close();
    }
  });

  it('see that a write breaks a result, whichever of them the contract and the result came through', async () => {
    const as = async ({ service }: TestCoordinator, sessionName: string) =>
      service.as(must(await service.identify({ bearer: null, sessionId: null, sessionName })));
    // Both have cached that the tree has no contracts.
    await increment(one);
    await increment(other);
    const contract = { pointer: '/child', schema: { type: 'object', required: ['by'] } };
    const child = { session_name: 'child', external: true, completion: { contract } };
    must(await (await as(other, 'root')).sessions.create(child));
    const put = async (coordinator: TestCoordinator, session: string, value: object) =>
      must(
        await (
          await as(coordinator, session)
        ).states.patch(stateId, [{ op: 'add', path: '/child', value: { ...value } }], {}),
      );
    await put(other, 'child', { by: 'child' });
    await put(one, 'root', {});
    expect(must(await other.operator.sessions.completion('child'))).toMatchObject({
      contract_broken: { by: 'root', errors: [{ pointer: '/child' }] },
    });
  });

  it('carry out a request with an idempotency key once, and give its answer at each of them', async () => {
    const actor = { kind: 'operator', tokenName: null } as const;
    const ask = ({ service }: TestCoordinator) =>
      service.once(actor, { key: 'one', fingerprint: 'same' }, (caller) =>
        caller.states.ops(stateId, [{ op: 'increment', pointer: '/n', delta: 1 }], {}),
      );
    const answers = [...(await Promise.all([ask(one), ask(other)])), await ask(one), await ask(other)];
    expect(answers.map((answer) => must(answer).answer.version)).toEqual([2, 2, 2, 2]);
    expect(must(await one.operator.states.get(stateId))).toMatchObject({
      version: 2,
      current_data: { n: 1 },
    });
  });

  it('create a session of one name once', async () => {
    const session = { session_name: 'twice', external: true };
    const created = await Promise.all([
      one.operator.sessions.create(session),
      other.operator.sessions.create(session),
    ]);
    expect(created.filter(({ ok }) => ok)).toHaveLength(1);
    expect(created.flatMap((result) => (result.ok ? [] : [result.failure.error]))).toHaveLength(1);
  });

  it('set the deadline of a child that one of an earlier version has left without one', async () => {
    const third = await startTestCoordinator(db, { sessionSilenceMs: 1000 });
    try {
      const child = { session_name: 'ghost', parent_session_name: 'root', callback: true };
      must(await one.operator.sessions.create(child));
      await execute(db, 'update completions set due_at = null');
      const isLost = async () =>
        must(await other.operator.sessions.completion('ghost')).state_update_status === 'failed';
      await eventually('the child is lost', isLost);
    } finally {
      await third.close();
    }
  });

  it('base a write on what its session has read through any of them', async () => {
    const { session_id: sessionId } = must(
      await one.operator.sessions.create({
        session_name: 'reader',
        parent_session_name: 'root',
        external: true,
      }),
    );
    const actor = {
      kind: 'session',
      sessionId,
      rootSessionId: must(await one.operator.sessions.get('root')).session_id,
      runId: null,
    } as const;
    const [first, second] = [one.service.as(actor), other.service.as(actor)];
    const base = { baseVersion: 'last_read' } as const;
    must(await first.states.get(stateId));
    must(await second.states.mergePatch(stateId, { read: 1 }, base));
    must(await one.operator.states.mergePatch(stateId, { gone: 1 }, {}));
    expect(must(await second.states.get(stateId)).current_data).toEqual({ n: 0, read: 1, gone: 1 });
    const written = must(await first.states.replace(stateId, { n: 0, read: 1 }, base));
    expect(written).toMatchObject({ changed: true, merged: false, current_data: { n: 0, read: 1 } });
    must(await second.keys.get('reader', 'n'));
    must(await first.keys.remove('reader', 'n', { baseVersion: 'last_read' }));
  });
});
