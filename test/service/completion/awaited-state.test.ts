// A child that waits for the state which its root may still open (`await_state`).
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { must, openHarness, type Harness } from '../harness.js';

let harness: Harness;
beforeEach(async () => {
  harness = await openHarness();
});
afterEach(() => harness.close());

it('waits from the first end of its work, however often it ends it', async () => {
  must(await harness.operator.sessions.create({ session_name: 'root', external: true }));
  const settings = { await_state: true, timeout_ms: 4000, max_attempts: 1 };
  must(
    await (
      await harness.as('root')
    ).sessions.create({
      session_name: 'kid',
      external: true,
      callback: true,
      completion: settings,
    }),
  );
  const kid = (await harness.as('kid')).sessions;
  const completion = async () => must(await harness.operator.sessions.completion('kid'));
  const due: unknown[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    must(await kid.report('kid', { type: 'session_stop', result_text: 'done' }));
    due.push((await completion()).due_at);
    harness.clock.advance(1500);
  }
  expect(due).toEqual([due[0], due[0], due[0]]);
  await vi.waitFor(async () => expect((await completion()).state_update_status).toBe('failed'));
});
