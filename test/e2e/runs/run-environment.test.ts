// What the process of a run finds in its environment, with the real program.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually, STORY_MS_MAX } from '../../support/eventually.js';
import { must, Stage } from '../../support/stage.js';

const PATCH = '[{"op":"add","path":"/by","value":"the command"}]';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open({ runner: ['--exec', `countersign state patch '${PATCH}'`] });
});
afterAll(() => stage.close());

it(
  'finds the command that prompts name, however the runner was started',
  { timeout: STORY_MS_MAX },
  async () => {
    must(await stage.operator.sessions.create({ session_name: 'root', external: true }));
    must(await stage.operator.keys.open('root', { initial_state: {} }));
    must(
      await stage.operator.runs.create({
        type: 'start_session',
        session_name: 'child',
        parent_session_name: 'root',
        prompt: 'Record it.',
        completion: { mode: 'unless_satisfied', contract: { pointer: '/by', schema: { type: 'string' } } },
      }),
    );
    const { released } = await eventually('the child is released', async () => {
      const completion = must(await stage.operator.sessions.completion('child'));
      return completion.released_at !== null && { released: completion };
    });
    expect(released).toMatchObject({ state_update_status: 'completed', attempts: [] });
    expect(must(await stage.operator.sessions.state('root')).current_data).toEqual({ by: 'the command' });
  },
);
