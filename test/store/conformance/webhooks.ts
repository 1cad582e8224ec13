// Webhooks, their deliveries and the breakers of their destinations.
import { expect, it } from 'vitest';
import type { WebhookDelivery } from '../../../src/domain/records/records.js';
import { NOW, aDelivery, aDestination, aSchema, aWebhook, next } from '../records.js';
import { all, load, write, type Subject } from './subject.js';

export function conformWebhooks({ store }: Subject): void {
  const deliveries = (...list: Partial<WebhookDelivery>[]) =>
    write(
      store(),
      ...list.map(
        (over, at) => ({ put: 'delivery', record: aDelivery({ deliveryId: `dlv_${at}`, ...over }) }) as const,
      ),
    );

  it('gives every member of a record back as it was', async () => {
    const webhook = aWebhook({
      events: ['run_updated', 'callback_updated'],
      rootSessionId: 'ses_root',
      stateId: 'wst_1',
      schemaName: 'plan',
      when: { schema: { required: ['a'] }, schemaHash: 'h' },
      enabled: false,
      disabledReason: 'r',
    });
    const delivery = aDelivery({
      webhookId: null,
      callbackId: 'cb_1',
      type: 'callback',
      status: 'dead',
      attempt: 3,
      failures: 2,
      attempts: [{ attempt: 3, at: 1, durationMs: 2, status: null, error: 'e', response: null }],
      dueAt: null,
      reason: 'r',
      endedAt: 9,
    });
    const destination = aDestination({ status: 'half_open', failures: 7, opens: 2, until: 5 });
    await write(
      store(),
      { put: 'webhook', record: webhook },
      { put: 'delivery', record: delivery },
      { put: 'destination', record: destination },
    );
    const { webhooks } = store().read;
    expect(await webhooks.get('whk_1')).toEqual(webhook);
    expect(await webhooks.delivery('dlv_1')).toEqual(delivery);
    expect(await webhooks.destination(destination.origin)).toEqual(destination);
    const opened = next(destination, { status: 'open' });
    await write(store(), { put: 'destination', record: opened });
    expect(await webhooks.destination(destination.origin)).toEqual(opened);
  });

  it('answers null or nothing where there is nothing', async () => {
    const { webhooks } = store().read;
    expect(await webhooks.get('x')).toBeNull();
    expect(await webhooks.delivery('x')).toBeNull();
    expect(await webhooks.destination('x')).toBeNull();
    expect(await webhooks.waitingOrigins()).toEqual([]);
    expect(await webhooks.unchecked(5)).toEqual([]);
    expect(await webhooks.outdated(NOW, 1, 5)).toEqual([]);
    expect((await load(store(), { load: 'delivery', deliveryId: 'x' })).deliveries.size).toBe(0);
  });

  it('loads a delivery with its webhook and its destination, all webhooks, and the name of a schema', async () => {
    const other = aWebhook({ webhookId: 'whk_2' });
    await write(
      store(),
      { put: 'webhook', record: aWebhook() },
      { put: 'webhook', record: other },
      { put: 'destination', record: aDestination() },
      { put: 'schema', record: aSchema() },
    );
    await deliveries({});
    const found = await load(store(), { load: 'delivery', deliveryId: 'dlv_0' });
    expect([...found.deliveries.keys(), ...found.webhooks.keys(), ...found.destinations.keys()]).toEqual([
      'dlv_0',
      'whk_1',
      'https://ci.example',
    ]);
    expect([...(await load(store(), { load: 'webhooks' })).webhooks.keys()]).toEqual(['whk_1', 'whk_2']);
    const named = await load(
      store(),
      { load: 'schemaOf', schemaId: 'sch_1' },
      { load: 'schemaOf', schemaId: 'x' },
    );
    expect([...named.schemaNames]).toEqual([['sch_1', 'plan']]);
  });

  it('changes a webhook that a decision got with one of its deliveries', async () => {
    await write(store(), { put: 'webhook', record: aWebhook() });
    await deliveries({});
    await store().transact([{ load: 'delivery', deliveryId: 'dlv_0' }], ({ webhooks: found }) => {
      const webhook = found.get('whk_1');
      if (webhook === undefined) throw new Error('no webhook');
      const record = next(webhook, { enabled: false, disabledReason: 'gone' });
      return { changes: [{ put: 'webhook', record }], value: null };
    });
    const changed = await store().read.webhooks.get('whk_1');
    expect(changed).toMatchObject({ enabled: false, disabledReason: 'gone' });
    expect((await load(store(), { load: 'webhooks' })).webhooks.get('whk_1')).toEqual(changed);
  });

  it('lists webhooks by their tree, oldest first, and deliveries by their status, newest first', async () => {
    for (const [at, rootSessionId] of ['ses_a', 'ses_b', 'ses_a'].entries()) {
      await write(store(), { put: 'webhook', record: aWebhook({ webhookId: `whk_${at}`, rootSessionId }) });
    }
    const { webhooks } = store().read;
    const ids = await all((page) => webhooks.list({ rootSessionId: 'ses_a' }, page));
    expect(ids.map((one) => one.webhookId)).toEqual(['whk_0', 'whk_2']);
    expect(await all((page) => webhooks.list({}, page))).toHaveLength(3);
    await deliveries({}, { status: 'dead' }, { webhookId: 'whk_2' }, {}, { status: 'dead' });
    const listed = await all((page) => webhooks.deliveries({ webhookId: 'whk_1' }, page));
    expect(listed.map((one) => one.deliveryId)).toEqual(['dlv_4', 'dlv_3', 'dlv_1', 'dlv_0']);
    const dead = await all((page) => webhooks.deliveries({ webhookId: 'whk_1', status: 'dead' }, page));
    expect(dead.map((one) => one.deliveryId)).toEqual(['dlv_4', 'dlv_1']);
  });

  it('names each origin that something waits for once, with the first time, and what is due there', async () => {
    await deliveries(
      { origin: 'https://b', dueAt: NOW + 5 },
      { origin: 'https://a', dueAt: NOW - 1 },
      { origin: 'https://a', dueAt: NOW - 2, callbackId: 'cb_1' },
      { origin: 'https://a', dueAt: NOW + 1 },
      { origin: 'https://c', dueAt: null, endedAt: NOW, status: 'delivered' },
      { origin: 'https://d', dueAt: null, status: 'checking' },
    );
    const { webhooks } = store().read;
    expect(await webhooks.waitingOrigins()).toEqual([
      { origin: 'https://a', dueAt: NOW - 2 },
      { origin: 'https://b', dueAt: NOW + 5 },
    ]);
    const due = await webhooks.dueAt('https://a', NOW, 5);
    expect(due).toEqual([
      { deliveryId: 'dlv_2', callbackId: 'cb_1', rootSessionId: 'ses_root' },
      { deliveryId: 'dlv_1', callbackId: null, rootSessionId: 'ses_root' },
    ]);
    expect(await webhooks.dueAt('https://a', NOW, 1)).toHaveLength(1);
    expect(await webhooks.unchecked(5)).toEqual(['dlv_5']);
  });

  it('names what is due there and has no more time', async () => {
    await deliveries(
      { origin: 'https://a', dueAt: NOW - 2, expiresAt: NOW + 1 },
      { origin: 'https://a', dueAt: NOW - 1, expiresAt: NOW },
      { origin: 'https://a', dueAt: NOW + 1, expiresAt: NOW },
      { origin: 'https://b', dueAt: NOW - 1, expiresAt: NOW },
      { origin: 'https://a', dueAt: null, expiresAt: NOW, endedAt: NOW, status: 'dead' },
    );
    const { webhooks } = store().read;
    const expired = await webhooks.expired('https://a', NOW, 5);
    expect(expired.map((one) => one.deliveryId)).toEqual(['dlv_1']);
  });

  it('names what ended before a time, or is not among the last that ended', async () => {
    const ended = (endedAt: number) => ({ endedAt, dueAt: null, status: 'delivered' }) as const;
    await deliveries(ended(10), ended(40), ended(20), {}, ended(30));
    const { webhooks } = store().read;
    expect(await webhooks.outdated(25, 100, 5)).toEqual(['dlv_0', 'dlv_2']);
    expect(await webhooks.outdated(0, 1, 5)).toEqual(['dlv_0', 'dlv_2', 'dlv_4']);
    expect(await webhooks.outdated(0, 4, 5)).toEqual([]);
    expect(await webhooks.outdated(100, 100, 2)).toHaveLength(2);
  });

  it('removes a webhook with its deliveries, and a delivery alone', async () => {
    await write(store(), { put: 'webhook', record: aWebhook() });
    await deliveries({}, {}, { webhookId: 'whk_2' }, { webhookId: 'whk_2' });
    await write(store(), { remove: 'webhook', id: 'whk_1' }, { remove: 'delivery', id: 'dlv_2' });
    const { read } = store();
    const { webhooks } = read;
    expect(await webhooks.get('whk_1')).toBeNull();
    expect(await Promise.all([0, 1, 2].map((at) => webhooks.delivery(`dlv_${at}`)))).toEqual([
      null,
      null,
      null,
    ]);
    expect((await read.counts()).webhook_deliveries).toEqual({ pending: 1 });
  });

  it('says nothing of a record but its identity where it is not at the expected revision', async () => {
    await write(store(), { put: 'webhook', record: aWebhook() });
    const wrong = write(store(), { put: 'webhook', record: aWebhook({ revision: 3 }) });
    const error = await wrong.then(
      () => null,
      (thrown: unknown) => String(thrown),
    );
    expect(error).toContain('whk_1');
    expect(error).not.toContain('whsec_');
  });
}
