// The records of one request with an idempotency key, without a database.
import { describe, expect, it } from 'vitest';
import { fail, ok, type Result } from '../../../src/domain/errors.js';
import type { JsonValue } from '../../../src/domain/json/json.js';
import type { Receipt, ReceiptKey } from '../../../src/domain/records/records.js';
import type { Store } from '../../../src/ports/storage/store.js';
import { IdempotencyStore, receiptsOf } from '../../../src/service/transactions/idempotency-store.js';

const receipt = (receiptId: string, value: JsonValue, fingerprint = 'f'): Receipt => ({
  receiptId,
  rootSessionId: 'ses_root',
  fingerprint,
  value,
  createdAt: 0,
});
const terms = { receiptId: 'r', rootSessionId: 'ses_root', fingerprint: 'f' };
const storeWith = (...kept: readonly Receipt[]) => {
  const read = {
    receipt: ({ receiptId }: ReceiptKey) =>
      Promise.resolve(kept.find((one) => one.receiptId === receiptId) ?? null),
    receiptsOf: () => Promise.resolve(kept),
  };
  return { read } as unknown as Pick<Store, 'read'>;
};
const refused = (): Result<JsonValue> => fail('session_not_found', 'There is no such session.');
const stored = (value: JsonValue) => ok(value);

describe('the effect of a request', () => {
  it('has a record with its name', () => {
    const receipts = new IdempotencyStore(storeWith(), terms);
    expect(receipts.of('delete_session')).toEqual({ ...terms, receiptId: 'r#delete_session' });
  });

  it('is had once: the result of an earlier attempt comes before all checks', async () => {
    const found = [receipt('r#delete_session', 'earlier')];
    const receipts = new IdempotencyStore(storeWith(...found), terms, found);
    const work = () => Promise.reject(new Error('is not asked'));
    expect(await receipts.once('delete_session', work, stored)).toEqual(ok('earlier'));
  });

  it('has another record than every other effect', async () => {
    const found = [receipt('r#register_schema', { schema: 1 }), receipt('r', 'the answer')];
    const receipts = new IdempotencyStore(storeWith(...found), terms, found);
    expect(await receipts.once('create_state', () => ok('new'), stored)).toEqual(ok('new'));
  });

  it('had by another coordinator meanwhile is no refusal', async () => {
    const store = storeWith(receipt('r#delete_session', 'theirs'));
    const receipts = new IdempotencyStore(store, terms);
    expect(await receipts.once('delete_session', refused, stored)).toEqual(ok('theirs'));
  });

  it('is refused where nobody had it', async () => {
    const receipts = new IdempotencyStore(storeWith(), terms);
    expect(await receipts.once('delete_session', refused, stored)).toEqual(refused());
  });

  it('of another request with the key is none of this one', async () => {
    const found = [receipt('r#delete_session', 'theirs', 'g')];
    const receipts = new IdempotencyStore(storeWith(...found), terms, found);
    expect(await receipts.once('delete_session', () => ok('new'), stored)).toMatchObject({
      ok: false,
      failure: { error: 'idempotency_mismatch' },
    });
  });

  it('is not had a second time by the same request', async () => {
    const receipts = new IdempotencyStore(storeWith(), terms);
    await receipts.once('heartbeat', () => ok(1), stored);
    await receipts.once('heartbeat run_1', () => ok(1), stored);
    await expect(receipts.once('heartbeat', () => ok(2), stored)).rejects.toThrow('heartbeat twice');
  });

  it('is tried again by the same request after it was refused', async () => {
    const receipts = new IdempotencyStore(storeWith(), terms);
    const refused = await receipts.once('write_state', () => fail('forbidden', 'Not so.'), stored);
    expect(refused.ok).toBe(false);
    expect(await receipts.once('write_state', () => ok(2), stored)).toEqual(ok(2));
  });
});

it('passes over records with a number, which do not tell of what they are', async () => {
  const named = [receipt('r', 'the answer'), receipt('r#create_run', {})];
  const kept = [...named, receipt('r#1', {}), receipt('r#12', {})];
  expect(await receiptsOf(storeWith(...kept), terms)).toEqual(named);
});
