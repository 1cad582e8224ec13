// What a commit makes due at once: fired without being looked for.
import { afterEach, expect, it } from 'vitest';
import type { Store } from '../../../src/ports/storage/store.js';
import { eventually } from '../../support/eventually.js';
import { must, openHarness, type Harness } from '../harness.js';

/** Longer than a test takes: nothing is found by a regular look. */
const NEVER_MS = 3_600_000;

let harness: Harness;
afterEach(() => harness.close());

it('releases a result right after its write, without looking for what is due', async () => {
  let looks = 0;
  harness = await openHarness({ tickMs: NEVER_MS }, false, {}, undefined, (store: Store) => {
    const due = store.read.due.bind(store.read);
    store.read.due = (now, limit) => {
      looks += 1;
      return due(now, limit);
    };
    return store;
  });
  const { operator } = harness;
  must(await operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
  must(await operator.sessions.create({ session_name: 'root', external: true }));
  const { state_id } = must(
    await operator.states.create({ schema_name: 'any', initial_data: {}, root_session_name: 'root' }),
  );
  const root = await harness.as('root');
  must(
    await root.sessions.create({
      session_name: 'child',
      external: true,
      callback: true,
      delivery: 'pull',
    }),
  );
  const child = await harness.as('child');
  must(await child.sessions.report('child', { type: 'session_stop', result_text: 'done' }));
  await eventually('the start has looked', () => looks > 0);
  const before = looks;
  must(await child.states.patch(state_id, [{ op: 'add', path: '/found', value: 1 }], {}));
  const { items } = must(await root.sessions.pullCallbacks('root', 5_000));
  expect(items).toMatchObject([{ status: 'delivered', outcome: 'completed' }]);
  expect(looks).toBe(before);
});
