// A child that never reads the state, is shown it in the prompt, and sends all of it back.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { must, openHarness, PlayedRunner, failure, type Harness } from '../harness.js';

describe('a prompt that shows the whole document', () => {
  let harness: Harness;
  let runner: PlayedRunner;
  let stateId: string;

  async function open(limits: Parameters<typeof openHarness>[0] = {}) {
    harness = await openHarness(limits);
    runner = await PlayedRunner.register(harness);
    must(await harness.operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
    must(await harness.operator.runs.create({ type: 'start_session', session_name: 'root', prompt: 'go' }));
    const root = await harness.as('root');
    stateId = must(await root.states.create({ schema_name: 'any', initial_data: { shared: 1 } })).state_id;
    await runner.complete(await runner.take('root'));
    must(
      await root.runs.create({ type: 'start_session', session_name: 'a', prompt: 'work', callback: true }),
    );
    await runner.complete(await runner.take('a'), 'prose');
  }
  beforeEach(() => open());
  afterEach(() => harness.close());

  const others = (members: Record<string, number>) =>
    harness.operator.states.mergePatch(stateId, members, {}).then(must);
  const replace = async (data: Record<string, number>) =>
    (await harness.as('a')).states.replace(stateId, data, { baseVersion: 'last_read' });
  const data = async () => must(await harness.operator.states.get(stateId)).current_data;

  it('counts as a read: what others write afterwards is kept', async () => {
    const update = await runner.take('a');
    expect(update.metadata).toMatchObject({ shown_state_version: 1 });
    await others({ shared: 2, sibling: 7 });
    const written = must(await replace({ shared: 1, a: 1 }));
    expect(written).toMatchObject({ merged: true, current_data: { shared: 2, sibling: 7, a: 1 } });
    await runner.complete(update);
    expect(must(await harness.operator.sessions.get('a')).state_update_status).toBe('completed');
  });

  it('counts from when the run is handed out, and over a restart', async () => {
    await others({ early: 1 }); // after the prompt was made
    expect(failure(await replace({ a: 1 })).error).toBe('base_unknown');
    await runner.take('a');
    await harness.restart();
    must(await replace({ shared: 1, a: 1 }));
    expect(await data()).toEqual({ shared: 1, early: 1, a: 1 });
  });

  it('counts only where the session has read nothing itself: it may be composing from that', async () => {
    must(await (await harness.as('a')).states.get(stateId));
    await others({ sibling: 2 });
    await harness.restart();
    await runner.complete(await runner.take('a'), 'prose');
    await harness.pass(5000);
    expect((await runner.take('a')).metadata).toMatchObject({ shown_state_version: 2 });
    must(await replace({ shared: 1, a: 1 }));
    expect(await data()).toEqual({ shared: 1, sibling: 2, a: 1 });
  });

  it('is none where the document is too large for it, or the last call shows nothing', async () => {
    await harness.close();
    await open({ promptSectionBytesMax: 8 });
    expect((await runner.take('a')).metadata).toMatchObject({ shown_state_version: null });
    expect(failure(await replace({ a: 1 })).error).toBe('base_unknown');
    await harness.close();
    await open();
    for (const shown of [1, 1, null]) {
      const update = await runner.take('a');
      expect(update.metadata).toMatchObject({ shown_state_version: shown });
      await runner.complete(update);
      await harness.pass(5000);
    }
  });
});
