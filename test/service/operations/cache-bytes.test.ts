// The metrics of what the caches take.
import { expect, it } from 'vitest';
import { must, openHarness } from '../harness.js';

it('tells how much each cache takes, more with each state', async () => {
  const harness = await openHarness();
  const bytes = async () => (await harness.service.counts())['cache_bytes'];
  expect(await bytes()).toEqual({
    documents: 0,
    // Tests share what compiles schemas.
    schemas: expect.any(Number),
    sessions: 0,
    read_cursors: 0,
    stream_pages: 0,
    archived_invocations: 0,
  });
  const { operator } = harness;
  must(await operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
  const create = async (session_name: string) => {
    must(await operator.sessions.create({ session_name, external: true }));
    const root = await harness.as(session_name);
    const initial_data = { text: 'x'.repeat(1000) };
    const { state_id } = must(await root.states.create({ schema_name: 'any', initial_data }));
    must(await root.states.get(state_id));
    return bytes();
  };
  const [one, two] = [await create('one'), await create('two')];
  for (const cache of ['documents', 'sessions', 'read_cursors']) {
    expect(one?.[cache], cache).toBeGreaterThan(100);
    expect(two?.[cache], cache).toBeGreaterThan((one?.[cache] ?? 0) + 100);
  }
  expect(one?.['schemas']).toBeGreaterThan(100);
  expect(two?.['schemas']).toBe(one?.['schemas']);
  await harness.close();
});
