// A parent of many children is told of all of them, however few rounds a decision has.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { must, openHarness, PlayedRunner, type Harness } from '../harness.js';

const CHILDREN = 25;

describe('a parent of many children', () => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await openHarness();
  });
  afterEach(() => harness.close());

  it('that is resumed is told of all of them', async () => {
    const runner = await PlayedRunner.register(harness);
    must(await harness.operator.runs.create({ type: 'start_session', session_name: 'root', prompt: 'go' }));
    const rootRun = await runner.take('root');
    const root = await harness.as('root');
    for (let n = 0; n < CHILDREN; n += 1) {
      const session_name = `kid-${String(n)}`;
      must(await root.runs.create({ type: 'start_session', session_name, prompt: 'go', callback: true }));
      await runner.complete(await runner.take(session_name), 'done');
    }
    await runner.complete(rootRun, 'sleeping');
    await runner.complete(await runner.take('root'), 'heard');
    const callbacks = must(await harness.operator.callbacks.list({})).items;
    expect(callbacks.map((one) => one.status)).toEqual(Array(CHILDREN).fill('delivered'));
  });

  it('that pulls gets all of them at once', async () => {
    const { sessions } = harness.operator;
    must(await sessions.create({ session_name: 'root', external: true, delivery: 'pull' }));
    for (let n = 0; n < CHILDREN; n += 1) {
      const session_name = `kid-${String(n)}`;
      const kid = { session_name, parent_session_name: 'root', external: true, callback: true };
      must(await sessions.create(kid));
      must(await sessions.report(session_name, { type: 'session_stop', result_text: 'done' }));
    }
    expect(must(await sessions.pullCallbacks('root', 0)).items).toHaveLength(CHILDREN);
  });
});
