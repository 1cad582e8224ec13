// Time limits that an earlier version has not set, and how the service sets them beside its other work.
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Store } from '../../../src/ports/storage/store.js';
import { must, openHarness, type Harness } from '../harness.js';

const SILENCE_MS = 1000;

let harness: Harness;
/** How often children without a limit were looked for. */
let looks: number;
/** What a look waits for. */
let held: Promise<void>;
let release: () => void;

const hold = () => {
  held = new Promise((resolve) => {
    release = resolve;
  });
};

beforeEach(async () => {
  looks = 0;
  held = Promise.resolve();
  const holding = (store: Store) => {
    const unattended = store.read.unattended.bind(store.read);
    store.read.unattended = async (limit) => {
      looks += 1;
      await held;
      return unattended(limit);
    };
    return store;
  };
  harness = await openHarness({ sessionSilenceMs: SILENCE_MS }, false, {}, undefined, holding);
  must(await harness.operator.sessions.create({ session_name: 'root', external: true }));
  must(await (await harness.as('root')).sessions.create({ session_name: 'child', callback: true }));
});
afterEach(async () => {
  release();
  await harness.close();
});

it('looks for children without a limit once at a time', async () => {
  await harness.pass(0);
  hold();
  const before = looks;
  for (let round = 0; round < 3; round += 1) await harness.pass(SILENCE_MS);
  expect(looks).toBe(before + 1);
  release();
  await harness.pass(0);
  await harness.pass(SILENCE_MS);
  expect(looks).toBe(before + 2);
});

it('leaves children without a limit to its next start when it stops', async () => {
  hold();
  await harness.restart(undefined, () => {
    harness.tamper('update completions set due_at = null');
  });
  await harness.pass(0);
  const before = harness.dump();
  const closed = harness.service.close();
  release();
  await closed;
  expect(harness.dump()).toBe(before);
});
