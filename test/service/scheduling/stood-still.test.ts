// A service whose process stood still gives leases and deadlines that time back, unless another coordinator went on.
import { afterEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../src/ports/storage/store.js';
import { eventually } from '../../support/eventually.js';
import { Receiver } from '../../support/receiver.js';
import { must, openHarness, type Harness } from '../harness.js';

const STILL_MS = 600;

describe('a service whose process stood still', () => {
  let harness: Harness;
  afterEach(() => harness.close());

  /** Whether a run that waits for a runner gets the time back. */
  const isGivenBack = async (isSoleCoordinator: boolean) => {
    const wrapped = (store: Store) =>
      new Proxy(store, {
        get: (target, name) => {
          if (name === 'isSoleCoordinator') return isSoleCoordinator;
          const value: unknown = Reflect.get(target, name, target);
          return typeof value === 'function' ? value.bind(target) : value;
        },
      });
    harness = await openHarness({ leaseMs: 300 }, false, {}, undefined, wrapped);
    must(await harness.operator.runs.create({ type: 'start_session', session_name: 's', prompt: 'x' }));
    await harness.pass(0);
    const before = harness.dump();
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STILL_MS);
    await harness.pass(0);
    return harness.dump() !== before;
  };

  it('gives the time back if it is alone', async () => {
    expect(await isGivenBack(true)).toBe(true);
  });

  it('gives the time back to a message that waits', async () => {
    harness = await openHarness({ webhookRetryForMs: 5_000 }, false, {
      allow: ['127.0.0.0/8'],
      random: () => 0.5,
    });
    const receiver = await Receiver.open();
    receiver.script = () => ({ status: 500 });
    const { schemas, states, webhooks } = harness.operator;
    must(await schemas.register({ name: 'any', json_schema: { type: 'object' } }));
    must(await webhooks.create({ url: receiver.url(), events: ['workflow_state_created'] }));
    must(await states.create({ schema_name: 'any', initial_data: {} }));
    await eventually('its answer is noted', () => harness.dump().includes('"status":"pending","attempt":1'));
    const before = harness.dump();
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STILL_MS);
    await eventually('its time is moved', () => harness.dump() !== before);
    expect(receiver.received).toHaveLength(1);
    await receiver.close();
  });

  it('gives nothing back if another coordinator went on', async () => {
    expect(await isGivenBack(false)).toBe(false);
  });
});
