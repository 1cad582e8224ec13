// Conditions that are checked by a coordinator that has not heard of their webhooks yet.
import { expect, it } from 'vitest';
import type { Change } from '../../../src/domain/transactions/changeset.js';
import type { Store } from '../../../src/ports/storage/store.js';
import { openSqliteStore } from '../../../src/store/sqlite/index.js';
import { startCoordinatorOn } from '../../support/coordinator.js';
import { eventually } from '../../support/eventually.js';
import { Receiver } from '../../support/receiver.js';
import { write } from '../../store/conformance/subject.js';
import { aDelivery, aWebhook } from '../../store/records.js';
import { must } from '../harness.js';

/** The same store, which hears of webhooks with its next decision only: another coordinator has just created them. */
function lateForWebhooks(store: Store): Store {
  const late: (() => void)[] = [];
  const subscribe: Store['subscribe'] = (listener) =>
    store.subscribe((changes, by) => {
      const isOfWebhook = (change: Change) => 'put' in change && change.put === 'webhook';
      const webhooks = changes.filter(isOfWebhook);
      if (webhooks.length > 0) late.push(() => listener(webhooks, 'another'));
      listener(
        changes.filter((change) => !isOfWebhook(change)),
        by,
      );
    });
  return new Proxy(store, {
    get(target, name) {
      if (name === 'subscribe') return subscribe;
      // A decision hears of everything before it.
      if (name === 'transact') for (const hear of late.splice(0)) hear();
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

it.each([
  ['removes the message where it does not begin to hold', 1, []],
  ['sends the message where it begins to hold', 2, [2]],
])('the condition of a webhook that another coordinator created %s', async (_, n, sent) => {
  const store = await openSqliteStore({ path: ':memory:' });
  const receiver = await Receiver.open();
  const coordinator = await startCoordinatorOn(lateForWebhooks(store));
  try {
    must(await coordinator.operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
    const { state_id } = must(
      await coordinator.operator.states.create({ schema_name: 'any', initial_data: { n: 0 } }),
    );
    must(await coordinator.operator.states.replace(state_id, { n }, {}));
    const schema = { properties: { n: { const: 2 } } };
    const url = receiver.url();
    const { origin } = new URL(url);
    const body = JSON.stringify({ data: { version: 2 } });
    const expiresAt = Date.now() + 60_000;
    await write(
      store,
      { put: 'webhook', record: aWebhook({ url, origin, when: { schema, schemaHash: 'hash' } }) },
      {
        put: 'delivery',
        record: aDelivery({ stateId: state_id, status: 'checking', dueAt: null, expiresAt, origin, body }),
      },
    );
    await eventually('the message is settled', async () => {
      const delivery = await store.read.webhooks.delivery('dlv_1');
      return delivery?.endedAt !== null;
    });
    expect(receiver.received.map(({ json }) => json.data['version'])).toEqual(sent);
  } finally {
    await coordinator.close();
    await store.close();
    await receiver.close();
  }
});
