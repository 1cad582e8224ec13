// All requests that take an Idempotency-Key: refused and then allowed, and repeated when only their effect is kept.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ROUTES } from '../../../src/http/routes/index.js';
import { openHarness, type Harness } from '../harness.js';
import { appOn } from '../http-app.js';
import { KEYED, READS, type Request, type Send } from './keyed-requests.js';

/** As after the process was killed between an effect and the answer: the records of answers have no name. */
const LOSE_ANSWERS = `delete from receipts where receipt_id not like '%#%'`;
const REFUSABLE = KEYED.filter(({ ready }) => ready !== undefined);

describe('a request with an Idempotency-Key', () => {
  let harness: Harness;
  const app = appOn(() => harness);

  beforeEach(async () => {
    harness = await openHarness({}, false, { allow: ['127.0.0.0/8'] });
  });
  afterEach(() => harness.close());

  const send: Send = async (method, path, body, headers = {}) => {
    const response = await app.request(path, {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, text, body: text === '' ? {} : JSON.parse(text) };
  };
  const keyed = ({ method, path, body, headers }: Request, key = 'k') =>
    send(method, path, body, { ...headers, 'idempotency-key': key });
  /** What is in the database besides the records of requests. */
  const effects = () => {
    const tables = JSON.parse(harness.dump()) as [string, unknown][];
    return JSON.stringify(tables.filter(([name]) => name !== 'receipts' && name !== 'sqlite_sequence'));
  };
  const receipts = () => {
    const tables = JSON.parse(harness.dump()) as [string, unknown[]][];
    return tables.find(([name]) => name === 'receipts')?.[1] ?? [];
  };

  it('is one of those that are tested here', () => {
    const routes = ROUTES.filter(
      ({ method, keyed, access }) => method !== 'GET' && keyed !== false && access === 'caller',
    );
    expect(KEYED.map((one) => one.operationId).toSorted()).toEqual(
      routes.map((one) => one.operationId).toSorted(),
    );
  });

  it.each(REFUSABLE)('is decided anew after it was refused: $operationId', async ({ prepare, ready }) => {
    const request = await prepare(harness, send);
    for (let time = 0; time < 2; time += 1) {
      const refused = await keyed(request);
      expect(refused.status, refused.text).toBeGreaterThanOrEqual(400);
      expect(refused.status, refused.text).toBeLessThan(500);
      expect(receipts()).toEqual([]);
    }
    await ready?.(harness, send, request);
    const taken = await keyed(request);
    expect(taken.status, taken.text).toBeLessThan(300);
  });

  it.each(KEYED)(
    'has its effect once and the same answer, whatever happened since: $operationId',
    async ({ operationId, prepare, ready, afterwards }) => {
      const request = await prepare(harness, send);
      await ready?.(harness, send, request);
      const first = await keyed(request);
      expect(first.status, first.text).toBeLessThan(300);
      expect(receipts()).toHaveLength(READS.includes(operationId) ? 1 : 2);
      await afterwards(harness, send, request);
      harness.tamper(LOSE_ANSWERS);
      await harness.restart();
      const before = effects();
      const again = await keyed(request);
      expect([again.status, again.body]).toEqual([first.status, first.body]);
      expect(effects()).toBe(before);
      expect(await keyed(request)).toEqual(again);
    },
  );

  it.each(KEYED)('is refused with the key of another one whose effect is kept: $operationId', async (one) => {
    const request = await one.prepare(harness, send);
    await one.ready?.(harness, send, request);
    const first = { method: 'POST', path: '/sessions', body: { session_name: 'first', external: true } };
    expect((await keyed(first)).status).toBe(201);
    harness.tamper(LOSE_ANSWERS);
    const before = harness.dump();
    const other = await keyed(request);
    expect([other.status, other.body['error']]).toEqual([422, 'idempotency_mismatch']);
    expect(harness.dump()).toBe(before);
  });
});
