// The client over kills of the service: what it sends again happens once.
import { describe, expect, it, type TestContext } from 'vitest';
import { Countersign } from '../../../src/client/index.js';
import { eventually, STORY_MS_MAX } from '../../support/eventually.js';
import { Stage } from '../../support/stage.js';

const KILLS = 3;
const WRITERS = 8;
const EACH = 40;

/** Enough for a service that is started again on a busy machine. */
const PATIENT = { triesMax: 500, withinMs: STORY_MS_MAX, pauseMsMax: 200 };

describe('the client', { timeout: STORY_MS_MAX }, () => {
  async function open({ onTestFinished }: TestContext) {
    const stage = await Stage.open({ runner: null });
    onTestFinished(() => stage.close());
    return { stage, cs: new Countersign({ url: stage.url, retry: PATIENT }) };
  }

  /** Kills the service and starts it again, each time after some more has been acknowledged. */
  async function killed(stage: Stage, acknowledged: () => number): Promise<void> {
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const enough = (WRITERS * EACH * kill) / (KILLS + 1);
      await eventually('enough is acknowledged', () => acknowledged() >= enough);
      await stage.coordinator.end('SIGKILL');
      await stage.startCoordinator();
    }
  }

  const crowd = <T>(work: (writer: number, step: number) => Promise<T>) =>
    Promise.all(
      Array.from({ length: WRITERS }, async (_, writer) => {
        for (let step = 0; step < EACH; step += 1) await work(writer, step);
      }),
    );

  it('counts every increment once, over kills in the middle', async (context) => {
    const { stage, cs } = await open(context);
    await cs.schemas.register({ name: 'counts', json_schema: { type: 'object' } });
    const { state_id } = await cs.states.create({ schema_name: 'counts', initial_data: { n: 0 } });
    let done = 0;
    const writing = crowd(async () => {
      await cs.states.ops(state_id, [{ op: 'increment', pointer: '/n', delta: 1 }]);
      done += 1;
    });
    await Promise.all([writing, killed(stage, () => done)]);
    const total = WRITERS * EACH;
    expect(await cs.states.get(state_id)).toMatchObject({ version: total + 1, current_data: { n: total } });
  });

  it('creates every run once, over kills in the middle', async (context) => {
    const { stage, cs } = await open(context);
    let done = 0;
    const writing = crowd(async (writer, step) => {
      await cs.runs.create({ type: 'start_session', prompt: `${String(writer)}-${String(step)}` });
      done += 1;
    });
    await Promise.all([writing, killed(stage, () => done)]);
    const { items } = await cs.runs.list({ limit: 1000 });
    const prompts = items.map(({ prompt }) => prompt);
    expect(prompts).toHaveLength(WRITERS * EACH);
    expect(new Set(prompts).size).toBe(WRITERS * EACH);
  });

  it('loses no update of many, over kills in the middle', async (context) => {
    const { stage, cs } = await open(context);
    await cs.schemas.register({ name: 'counts', json_schema: { type: 'object' } });
    const { state_id } = await cs.states.create({ schema_name: 'counts', initial_data: {} });
    let done = 0;
    const writing = crowd(async (writer) => {
      await cs.update<Record<string, number>>(
        state_id,
        (data) => {
          for (const name of ['all', `of${String(writer)}`]) data[name] = (data[name] ?? 0) + 1;
        },
        { triesMax: 1000 },
      );
      done += 1;
    });
    await Promise.all([writing, killed(stage, () => done)]);
    const own = Array.from({ length: WRITERS }, (_, writer) => [`of${String(writer)}`, EACH]);
    const { current_data, version } = await cs.states.get(state_id);
    expect(current_data).toEqual({ all: WRITERS * EACH, ...Object.fromEntries(own) });
    expect(version).toBe(WRITERS * EACH + 1);
  });
});
