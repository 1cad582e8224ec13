// What is remembered of requests with an idempotency key.
import { expect, it } from 'vitest';
import type { Receipt, ReceiptKey } from '../../../src/domain/records/records.js';
import { NOW } from '../records.js';
import { load, write, type Subject } from './subject.js';

const keyOf = (receiptId: string, rootSessionId: string | null = 'ses_root'): ReceiptKey => ({
  receiptId,
  rootSessionId,
});

const aReceipt = (receiptId: string, over: Partial<Receipt> = {}): Receipt => ({
  ...keyOf(receiptId),
  fingerprint: 'f',
  value: { run: 'run_1' },
  createdAt: NOW,
  ...over,
});

export function conformReceipts({ store }: Subject): void {
  it.each([{ deep: [1, null, 'ä'] }, [], 'text', 0, false, null])('gives %j back', async (value) => {
    const receipt = aReceipt('r', { value });
    await write(store(), { put: 'receipt', record: receipt });
    expect(await store().read.receipt(keyOf('r'))).toEqual(receipt);
    const found = await load(store(), { load: 'receipt', ...keyOf('r') });
    expect([...found.receipts.values()]).toEqual([receipt]);
  });

  it('has none that was not written', async () => {
    expect(await store().read.receipt(keyOf('r'))).toBeNull();
    const found = await load(store(), { load: 'receipt', ...keyOf('r') });
    expect(found.receipts.size).toBe(0);
  });

  it('gives those of a request together, and no others', async () => {
    const ids = ['r', 'r#create_state', 'r#register_schema'];
    for (const id of [...ids, 'q', 'q#write_state', 'r2', 's'])
      await write(store(), { put: 'receipt', record: aReceipt(id) });
    expect(await store().read.receiptsOf(keyOf('r'))).toEqual(ids.map((id) => aReceipt(id)));
    expect(await store().read.receiptsOf(keyOf('none'))).toEqual([]);
  });

  it('finds that of a tree by its root, and one without a root by any', async () => {
    for (const [id, root] of [
      ['a', 'ses_a'],
      ['a#write_state', 'ses_a'],
      ['none', null],
      ['none#write_state', null],
    ] as const)
      await write(store(), { put: 'receipt', record: aReceipt(id, { rootSessionId: root }) });
    const found = async (id: string, root: string | null) => {
      const loaded = await load(store(), { load: 'receipt', ...keyOf(id, root) });
      return [
        (await store().read.receipt(keyOf(id, root))) !== null,
        loaded.receipts.size,
        (await store().read.receiptsOf(keyOf(id, root))).length,
      ];
    };
    const is = [true, 1, 2];
    const isNot = [false, 0, 0];
    expect([await found('a', 'ses_a'), await found('a', 'ses_b'), await found('a', null)]).toEqual([
      is,
      isNot,
      isNot,
    ]);
    expect([await found('none', 'ses_a'), await found('none', null)]).toEqual([is, is]);
  });

  it('writes one once: the second undoes its changeset', async () => {
    await write(store(), { put: 'receipt', record: aReceipt('r') });
    const again = write(
      store(),
      { put: 'receipt', record: aReceipt('other') },
      { put: 'receipt', record: aReceipt('r', { fingerprint: 'g' }) },
    );
    await expect(again).rejects.toThrow();
    expect(await store().read.receipt(keyOf('other'))).toBeNull();
    expect(await store().read.receipt(keyOf('r'))).toEqual(aReceipt('r'));
  });

  it('takes the old ones away, the oldest first, so many at once', async () => {
    for (const [at, id] of ['a', 'b', 'c', 'd'].entries())
      await write(store(), { put: 'receipt', record: aReceipt(id, { createdAt: NOW + at }) });
    const prune = (rowsMax: number) =>
      store().prune([], { keptMax: 0, before: 0, receiptsBefore: NOW + 3, archivesBefore: 0, rowsMax });
    expect((await prune(2)).receipts).toBe(2);
    expect(await store().read.receipt(keyOf('b'))).toBeNull();
    expect((await prune(2)).receipts).toBe(1);
    expect((await prune(2)).receipts).toBe(0);
    expect(await store().read.receipt(keyOf('d'))).not.toBeNull();
  });

  it('takes the oldest of one owner away, beyond those that stay, and of nobody else', async () => {
    const ids = ['own.a', 'own.b#1', 'ow', 'own.c', 'owner', 'own.d'];
    for (const id of ids) await write(store(), { put: 'receipt', record: aReceipt(id) });
    const prune = async (keptMax: number) => {
      const bounds = { keptMax: 0, before: 0, receiptsBefore: 0, archivesBefore: 0, rowsMax: 1 };
      return (await store().prune([], { ...bounds, receiptsOf: { owner: 'own.', keptMax } })).receiptsOfOwner;
    };
    expect([await prune(4), await prune(2), await prune(2), await prune(2)]).toEqual([0, 1, 1, 0]);
    const left = await Promise.all(ids.map(async (id) => (await store().read.receipt(keyOf(id))) !== null));
    expect(left).toEqual([false, false, true, true, true, true]);
  });
}
