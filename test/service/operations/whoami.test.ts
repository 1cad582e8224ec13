// Whom the service takes the caller for.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { must, openHarness, type Harness } from '../harness.js';

let harness: Harness;
beforeEach(async () => {
  harness = await openHarness();
});
afterEach(() => harness.close());

it('names the caller and what it may use', async () => {
  const { session_id } = must(
    await harness.operator.sessions.create({ session_name: 'root', external: true }),
  );
  expect(must(await harness.operator.operations.whoAmI())).toEqual({
    kind: 'operator',
    session_id: null,
    token_name: null,
    rights: ['read', 'orchestrate', 'run', 'operate'],
  });
  expect(must(await (await harness.as('root')).operations.whoAmI())).toEqual({
    kind: 'session',
    session_id,
    token_name: null,
    rights: ['read', 'orchestrate'],
  });
  const reader = harness.service.as({ kind: 'token', role: 'reader', tokenName: 'watcher' });
  expect(must(await reader.operations.whoAmI())).toMatchObject({ token_name: 'watcher', rights: ['read'] });
});
