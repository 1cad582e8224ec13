// Requests with an Idempotency-Key, over HTTP against the whole service: each happens once and has one answer.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LoadRequest } from '../../../src/domain/transactions/loaded-records.js';
import type { Countersign } from '../../../src/ports/service.js';
import type { Store } from '../../../src/ports/storage/store.js';
import { eventually, pause } from '../../support/eventually.js';
import { must, openHarness, type Harness } from '../harness.js';
import { appOn } from '../http-app.js';

const DAY_MS = 24 * 60 * 60_000;
/** An answer is the receipt without a name: those of effects have one. */
const LOSE_ANSWERS = `delete from receipts where receipt_id not like '%#%'`;

describe('a request with an Idempotency-Key', () => {
  let harness: Harness;
  let stateId: string;
  /** Holds up what a request does. */
  let hold: Promise<void> | null;
  let isUnderWay: boolean;
  const app = appOn(() => harness, {
    once: async (actor, request, work) => {
      const result = await harness.service.once(actor, request, async (service) => {
        isUnderWay = true;
        await hold;
        return work(service);
      });
      await harness.service.answersKept();
      return result;
    },
  });

  const send = async (
    method: string,
    path: string,
    body: unknown,
    key: string | null,
    headers: Record<string, string> = {},
  ) => {
    const response = await app.request(path, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(key === null ? {} : { 'idempotency-key': key }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as Record<string, any>;
    return {
      status: response.status,
      answer,
      replayed: response.headers.get('idempotency-replayed'),
      response,
    };
  };
  const increment = (by: number) => ({ operations: [{ op: 'replace', path: '/n', value: by }] });
  const receiptTexts = () => {
    const tables = JSON.parse(harness.dump()) as [string, unknown[]][];
    return JSON.stringify(tables.find(([name]) => name === 'receipts')?.[1]);
  };
  const versionNow = async () => must(await harness.operator.states.get(stateId)).version;
  const runCount = async () => must(await harness.operator.runs.list({})).items.length;

  beforeEach(async () => {
    hold = null;
    isUnderWay = false;
    harness = await openHarness({ retentionRoundMs: 5 });
    const { operator } = harness;
    must(await operator.schemas.register({ name: 'plan', json_schema: { type: 'object' } }));
    must(await operator.sessions.create({ session_name: 'root', external: true }));
    stateId = must(
      await operator.states.create({
        schema_name: 'plan',
        initial_data: { n: 0 },
        root_session_name: 'root',
      }),
    ).state_id;
  });
  afterEach(() => harness.close());

  it('starts one run, and gives the first answer again', async () => {
    const body = { type: 'start_session', session_name: 'child', prompt: 'go' };
    const first = await send('POST', '/runs', body, 'k1');
    const again = await send('POST', '/runs', body, 'k1');
    expect([first.status, first.replayed]).toEqual([201, null]);
    expect([again.status, again.replayed]).toEqual([201, 'true']);
    expect(again.answer).toEqual(first.answer);
    expect(again.response.headers.get('location')).toBe(first.response.headers.get('location'));
    expect(await runCount()).toBe(1);
  });

  it('writes once, whoever wrote since, and answers with the version of then', async () => {
    const first = await send('PUT', `/workflow-states/${stateId}`, { data: { n: 1 } }, 'k');
    await send('PATCH', `/workflow-states/${stateId}`, increment(2), null);
    const again = await send('PUT', `/workflow-states/${stateId}`, { data: { n: 1 } }, 'k');
    expect(again.answer).toEqual(first.answer);
    expect(again.response.headers.get('etag')).toBe('"2"');
    expect(await versionNow()).toBe(3);
  });

  it('that changed nothing changes nothing later either', async () => {
    const same = { data: { n: 0 } };
    const first = await send('PUT', `/workflow-states/${stateId}`, same, 'k');
    expect(first.answer).toMatchObject({ changed: false, version: 1 });
    await send('PATCH', `/workflow-states/${stateId}`, increment(5), null);
    expect((await send('PUT', `/workflow-states/${stateId}`, same, 'k')).answer).toEqual(first.answer);
    expect(must(await harness.operator.states.get(stateId)).current_data).toEqual({ n: 5 });
  });

  it('is refused where another request used its key', async () => {
    const before = await send('POST', '/sessions', { session_name: 'a' }, 'k');
    expect(before.status).toBe(201);
    const dump = harness.dump();
    for (const [method, path, body, headers] of [
      ['POST', '/sessions', { session_name: 'b' }, {}],
      ['POST', '/runs', { session_name: 'a' }, {}],
      ['PUT', `/workflow-states/${stateId}`, { data: {} }, { 'if-match': '"1"' }],
    ] as const) {
      const other = await send(method, path, body, 'k', headers);
      expect([other.status, other.answer['error']]).toEqual([422, 'idempotency_mismatch']);
    }
    expect(harness.dump()).toBe(dump);
  });

  it('is refused while the first is under way', async () => {
    const body = { type: 'start_session', session_name: 'child', prompt: 'go' };
    let release: (() => void) | undefined;
    hold = new Promise((resolve) => {
      release = resolve;
    });
    const first = send('POST', '/runs', body, 'k');
    await eventually('the first is under way', () => isUnderWay);
    const second = await send('POST', '/runs', body, 'k');
    expect([second.status, second.answer['error']]).toEqual([409, 'idempotency_in_flight']);
    release?.();
    expect((await first).status).toBe(201);
    expect(await send('POST', '/runs', body, 'k')).toMatchObject({ status: 201, replayed: 'true' });
    expect(await runCount()).toBe(1);
  });

  it('has its effect once where the answer was lost with the process', async () => {
    const body = { type: 'start_session', session_name: 'child', prompt: 'go' };
    const run = await send('POST', '/runs', body, 'k1');
    const write = await send('PATCH', `/workflow-states/${stateId}`, increment(1), 'k2');
    const schema = await send(
      'POST',
      '/workflow-schemas',
      { name: 'plan', json_schema: { type: 'object', required: ['n'] } },
      'k4',
    );
    const moved = await send('POST', `/workflow-states/${stateId}/migrate`, { schema_version: 2 }, 'k5');
    harness.tamper(LOSE_ANSWERS);
    await harness.restart();
    await send('PATCH', `/workflow-states/${stateId}`, increment(9), null);
    expect((await send('POST', '/runs', body, 'k1')).answer).toEqual(run.answer);
    expect((await send('PATCH', `/workflow-states/${stateId}`, increment(1), 'k2')).answer).toEqual(
      write.answer,
    );
    const registered = { name: 'plan', json_schema: { type: 'object', required: ['n'] } };
    expect((await send('POST', '/workflow-schemas', registered, 'k4')).answer).toEqual(schema.answer);
    const migrated = await send('POST', `/workflow-states/${stateId}/migrate`, { schema_version: 2 }, 'k5');
    expect(migrated.answer).toEqual(moved.answer);
    expect(await versionNow()).toBe(4);
    expect(await runCount()).toBe(1);
  });

  it('takes up a request of two steps where it was broken off', async () => {
    const body = { schema_name: 'plan', initial_data: { n: 7 } };
    const first = await send('POST', '/workflow-states', body, 'k');
    expect(first.status).toBe(201);
    harness.tamper(LOSE_ANSWERS);
    const again = await send('POST', '/workflow-states', body, 'k');
    expect(again.answer).toEqual(first.answer);
    expect(must(await harness.operator.states.list({})).items).toHaveLength(2);
  });

  const large = 'x'.repeat(100_000);
  const ops = { operations: [{ op: 'increment', pointer: '/n', delta: 1 }] };
  const keys = '/sessions/root/state/keys';
  it.each([
    ['operators', 'POST', () => `/workflow-states/${stateId}/ops`, ops],
    ['a document', 'PUT', () => `/workflow-states/${stateId}`, { data: { bulk: large, n: 5 } }],
    ['a revert', 'POST', () => `/workflow-states/${stateId}/revert`, { to_version: 2 }],
    ['a migration', 'POST', () => `/workflow-states/${stateId}/migrate`, { schema_version: 1 }],
    ['a key', 'PUT', () => `${keys}/new`, { value: large }],
    ['a key by operator', 'POST', () => `${keys}/list/ops`, { operation: 'append', items: [large] }],
    [
      'the event of a document',
      'POST',
      () => '/sessions/root/state/events',
      { type: 'full_replace', value: { bulk: large } },
    ],
    [
      'the event of a key',
      'POST',
      () => '/sessions/root/state/events',
      { type: 'set', key: 'k', value: large },
    ],
    ['a dry run', 'PUT', () => `/workflow-states/${stateId}?dry_run=true`, { data: { bulk: large } }],
    ['a wait', 'POST', () => `/workflow-states/${stateId}/wait`, { until: {}, timeout_ms: 1 }],
    ['a new state', 'POST', () => '/workflow-states', { schema_name: 'plan', initial_data: { bulk: large } }],
  ])('does not copy the document into its receipt: %s', async (_, method, path, body) => {
    must(await harness.operator.states.mergePatch(stateId, { bulk: large, list: [] }, {}));
    const first = await send(method, path(), body, 'k');
    expect([first.status < 300, first.replayed]).toEqual([true, null]);
    expect(Buffer.byteLength(receiptTexts())).toBeLessThan(4096);
    if (!path().includes('dry_run')) await send('PATCH', `/workflow-states/${stateId}`, increment(9), null);
    const again = await send(method, path(), body, 'k');
    expect([again.status, again.answer]).toEqual([first.status, first.answer]);
    for (const name of ['etag', 'location', 'content-type']) {
      expect(again.response.headers.get(name)).toBe(first.response.headers.get(name));
    }
    expect(again.replayed).toBe(path().includes('dry_run') ? null : 'true');
  });

  it('says that it was carried out where its answer is not in the history any more', async () => {
    must(await harness.operator.states.mergePatch(stateId, { bulk: large }, {}));
    await send('POST', `/workflow-states/${stateId}/ops`, ops, 'k');
    must(await harness.operator.states.remove(stateId));
    const dump = harness.dump();
    const again = await send('POST', `/workflow-states/${stateId}/ops`, ops, 'k');
    expect([again.status, again.answer['error'], again.replayed]).toEqual([404, 'state_not_found', 'true']);
    expect(again.answer['detail']).toMatch(/was carried out before, and left version 3 /);
    expect(harness.dump()).toBe(dump);
  });

  it('that expects a key not to be there is another than the one that does not', async () => {
    await send('PUT', `${keys}/z`, { value: 1 }, 'k');
    const other = await send('PUT', `${keys}/z`, { value: 1 }, 'k', { 'if-none-match': '*' });
    expect([other.status, other.answer['error']]).toEqual([422, 'idempotency_mismatch']);
  });

  it('deletes a key once, whoever has set it since', async () => {
    await send('PUT', `${keys}/z`, { value: 'mine' }, null);
    const first = await send('DELETE', `${keys}/z`, undefined, 'k');
    await send('PUT', `${keys}/z`, { value: "a sibling's" }, null);
    for (const lost of [false, true]) {
      if (lost) harness.tamper(LOSE_ANSWERS);
      const again = await send('DELETE', `${keys}/z`, undefined, 'k');
      expect([again.status, again.answer]).toEqual([200, first.answer]);
    }
    expect(must(await harness.operator.keys.get('root', 'z')).value).toBe("a sibling's");
  });

  it('has its answer for a day', async () => {
    const body = { session_name: 'a' };
    await send('POST', '/sessions', body, 'k');
    await harness.pass(DAY_MS - 1000);
    expect((await send('POST', '/sessions', body, 'k')).status).toBe(201);
    await harness.pass(2000);
    const late = await eventually('the receipt is gone', async () => {
      const answer = await send('POST', '/sessions', body, 'k');
      return answer.status === 409 && answer;
    });
    expect(late.answer['error']).toBe('session_exists');
  });

  it('that was refused may be sent again, and is then looked at anew', async () => {
    const body = { session_name: 'late', parent_session_name: 'nobody-yet' };
    expect((await send('POST', '/sessions', body, 'k')).answer['error']).toBe('session_not_found');
    must(await harness.operator.sessions.create({ session_name: 'nobody-yet' }));
    expect((await send('POST', '/sessions', body, 'k')).status).toBe(201);
  });

  it('that was refused leaves its key to any other', async () => {
    const body = (properties: object, name = 'x') => ({ name, json_schema: { type: 'object', properties } });
    const first = { ...body({ a: { type: 'string' } }), compatibility: 'backward' };
    expect((await send('POST', '/workflow-schemas', first, null)).status).toBe(201);
    const dump = harness.dump();
    const refused = await send('POST', '/workflow-schemas', body({ a: { type: 'integer' } }), 'k');
    expect([refused.status, refused.answer['error']]).toEqual([409, 'incompatible_schema']);
    expect(harness.dump()).toBe(dump);
    expect((await send('POST', '/workflow-schemas', body({}), 'k')).answer).toMatchObject({ version: 2 });
  });

  it('deletes a session once, and is not told later that it is not there', async () => {
    await send('POST', '/sessions', { session_name: 'a' }, null);
    for (const lost of [false, true, true]) {
      if (lost) harness.tamper(LOSE_ANSWERS);
      const { status } = await app.request('/sessions/a', {
        method: 'DELETE',
        headers: { 'idempotency-key': 'k' },
      });
      expect(status).toBe(204);
    }
  });

  it('is not answered from the records of earlier versions, which have a number', async () => {
    const body = { session_name: 'a' };
    await send('POST', '/sessions', body, 'k');
    harness.tamper(LOSE_ANSWERS);
    harness.tamper(`update receipts set receipt_id = replace(receipt_id, '#create_session', '#1')`);
    const other = await send('POST', '/runs', { type: 'start_session', session_name: 'b', prompt: 'p' }, 'k');
    expect([other.status, other.answer['session_name']]).toEqual([201, 'b']);
  });

  it('keeps the document that an earlier attempt has created', async () => {
    const body = { schema_name: 'orchestrator-workflow', initial_data: {} };
    const first = await send('POST', '/workflow-states', body, 'k');
    harness.tamper(LOSE_ANSWERS);
    harness.clock.advance(1000);
    const again = await send('POST', '/workflow-states', body, 'k');
    expect(again.answer).toEqual(first.answer);
    const { current_data } = must(await harness.operator.states.get(again.answer['state_id']));
    expect(current_data).toEqual(first.answer['current_data']);
  });

  it('says that it was carried out where its answer is lost and the state is gone', async () => {
    await send('PATCH', `/workflow-states/${stateId}`, increment(1), 'k');
    must(await harness.operator.states.remove(stateId));
    harness.tamper(LOSE_ANSWERS);
    const dump = harness.dump();
    const again = await send('PATCH', `/workflow-states/${stateId}`, increment(1), 'k');
    expect([again.status, again.answer['error']]).toEqual([404, 'state_not_found']);
    expect(again.answer['detail']).toMatch(/was carried out before, and left version 2 /);
    expect(harness.dump()).toBe(dump);
  });

  it('tells whether its own write was merged, not whether it would be now', async () => {
    const as = { 'x-agent-session-name': 'root' };
    const writes = { operations: [{ op: 'add', path: '/list/-', value: 1 }], base_version: 'last_read' };
    must(await harness.operator.states.mergePatch(stateId, { list: [] }, {}));
    must(await (await harness.as('root')).states.get(stateId));
    const first = await send('PATCH', `/workflow-states/${stateId}`, writes, 'k', as);
    expect(first.answer).toMatchObject({ merged: false, version: 3 });
    harness.tamper(LOSE_ANSWERS);
    const again = await send('PATCH', `/workflow-states/${stateId}`, writes, 'k', as);
    expect(again.answer).toEqual(first.answer);
  });

  it('has a key of its own for every caller', async () => {
    const as = { 'x-agent-session-name': 'root' };
    const first = await send('PATCH', `/workflow-states/${stateId}`, increment(1), 'k', as);
    const other = await send('PATCH', `/workflow-states/${stateId}`, increment(1), 'k');
    expect([first.answer['changed'], other.answer['changed'], other.replayed]).toEqual([true, false, null]);
  });

  it('leaves records of the tree of its session, which a version that wrote no tree may have left as well', async () => {
    const as = { 'x-agent-session-name': 'root' };
    const { session_id: rootId } = must(await harness.operator.sessions.get('root'));
    const first = await send('PATCH', `/workflow-states/${stateId}`, increment(1), 'k', as);
    await send('PATCH', `/workflow-states/${stateId}`, increment(2), 'k');
    // An answer and an effect of the session; those of the operator are of no tree.
    expect(receiptTexts().split(`"${rootId}"`).length - 1).toBe(2);
    harness.tamper('update receipts set root_session_id = null');
    const again = await send('PATCH', `/workflow-states/${stateId}`, increment(1), 'k', as);
    expect([again.answer, again.replayed]).toEqual([first.answer, 'true']);
  });

  it.each(['', ' ', 'x'.repeat(256)])('is refused with a key such as %j', async (key) => {
    const dump = harness.dump();
    const { status, answer } = await send('POST', '/sessions', {}, key);
    expect([status, answer['error']]).toEqual([422, 'invalid_request']);
    expect(answer['errors'][0].pointer).toBe('/headers/idempotency-key');
    expect(harness.dump()).toBe(dump);
  });
});

describe('the record of an answer', () => {
  const actor = { kind: 'operator', tokenName: null } as const;
  const request = { key: 'k', fingerprint: 'f' };
  const create = (service: Countersign) =>
    service.sessions.create({ session_name: 'a', external: true }) as never;
  /** How a decision about the record of an answer ends. Records of effects have a name. */
  let ending: () => Promise<void>;
  let harness: Harness;

  beforeEach(async () => {
    ending = () => Promise.resolve();
    const wrapped = (store: Store): Store => {
      const isOfAnswer = (load: LoadRequest) => load.load === 'receipt' && !load.receiptId.includes('#');
      return new Proxy(store, {
        get(target, name) {
          const value: unknown = Reflect.get(target, name, target);
          if (name !== 'transact') return typeof value === 'function' ? value.bind(target) : value;
          const transact: Store['transact'] = async (loads, decide, gathered) => {
            if (loads.some(isOfAnswer)) await ending();
            return target.transact(loads, decide, gathered);
          };
          return transact;
        },
      });
    };
    harness = await openHarness({}, false, {}, undefined, wrapped);
  });
  afterEach(() => harness.close());

  const ask = (work: (service: Countersign) => never = create) => harness.service.once(actor, request, work);

  it('is not waited for, once the effect is on disk, but by a repeated request', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    ending = () => released;
    const first = must(await ask());
    expect(first.replayed).toBe(false);
    expect(harness.dump()).toContain('#create_session');
    const order: string[] = [];
    const again = ask().then((result) => {
      order.push('repeated');
      return must(result);
    });
    await pause(20);
    order.push('written');
    release();
    expect(await again).toEqual({ answer: first.answer, replayed: true });
    expect(order).toEqual(['written', 'repeated']);
  });

  it('is made up for by a repeated request if it could not be written', async () => {
    ending = () => Promise.reject(new Error('the disk is full'));
    const first = must(await ask());
    await harness.service.answersKept();
    ending = () => Promise.resolve();
    expect(must(await ask())).toEqual({ answer: first.answer, replayed: false });
    expect(must(await ask())).toEqual({ answer: first.answer, replayed: true });
    expect(must(await harness.operator.sessions.list({})).items).toHaveLength(1);
  });

  it('is waited for where the request has had no effect', async () => {
    ending = () => Promise.reject(new Error('the disk is full'));
    const read = (service: Countersign) => service.sessions.list({}) as never;
    await expect(ask(read)).rejects.toThrow('the disk is full');
  });

  it('is on disk when the service has closed', async () => {
    ending = () => pause(50);
    const first = must(await ask());
    await harness.restart();
    expect(must(await ask())).toEqual({ answer: first.answer, replayed: true });
  });
});
