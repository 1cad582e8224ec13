// What sessions have read, on a store that other coordinators use, too.
import { afterEach, expect, it } from 'vitest';
import type { Store } from '../../../src/ports/storage/store.js';
import { must, openHarness, type Harness } from '../harness.js';

let harness: Harness;
afterEach(() => harness.close());

it('saves a cursor with the next read of the same version if it could not be saved', async () => {
  let fails = true;
  const shared = (store: Store) =>
    new Proxy(store, {
      get: (target, name) => {
        if (name === 'isSoleCoordinator') return false;
        if (name === 'saveReadCursors' && fails) return () => Promise.reject(new Error('cut off'));
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  let store: Store | undefined;
  harness = await openHarness({}, false, {}, undefined, (own) => (store = shared(own)));
  const { schemas, sessions, states } = harness.operator;
  must(await schemas.register({ name: 'any', json_schema: { type: 'object' } }));
  const { session_id: sessionId } = must(await sessions.create({ session_name: 'root', external: true }));
  const body = { schema_name: 'any', initial_data: {}, root_session_name: 'root' };
  const { state_id: stateId } = must(await states.create(body));
  const root = await harness.as('root');
  must(await root.states.get(stateId));
  expect(await store?.read.readCursor(sessionId, stateId)).toBeNull();
  fails = false;
  must(await root.states.get(stateId));
  expect(await store?.read.readCursor(sessionId, stateId)).toMatchObject({ version: 1 });
});
