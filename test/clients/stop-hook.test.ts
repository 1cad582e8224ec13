// Real Claude Code, run by a runner: the stop hook in the settings of the run asks once more in the same process.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { must, Stage } from '../support/stage.js';
import { ClientRunners } from './client-runners.js';
import type { Heard, Turn } from './stand-in/script.js';

const STORY_MS = 90_000;
const CONTRACT = { pointer: '/score', schema: { type: 'integer' } };

let stage: Stage;
let runners: ClientRunners;

beforeAll(async () => {
  runners = await ClientRunners.open();
  stage = await Stage.open({ runner: null, serve: ['--update-retry-delay-ms', '50'] });
  must(await stage.operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
  must(await stage.operator.sessions.create({ session_name: 'root', external: true }));
  must(
    await stage.operator.states.create({ schema_name: 'any', initial_data: {}, root_session_name: 'root' }),
  );
}, 600_000);
afterEach(() => runners.close());
afterAll(() => stage.close());

async function storyOf(child: string, script: (heard: Heard) => Turn) {
  const place = await runners.place('claude-code', script);
  const hostname = await runners.start(stage.url, 'claude-code', place);
  must(
    await stage.operator.runs.create({
      type: 'start_session',
      session_name: child,
      parent_session_name: 'root',
      prompt: 'Score it.',
      completion: { contract: CONTRACT, max_attempts: 2 },
      demands: { hostname },
    }),
  );
  const completion = await eventually(
    'the child is done',
    async () => {
      const one = must(await stage.operator.sessions.completion(child));
      const over = /^(completed|failed)$/.test(one.state_update_status ?? '');
      return over && one.attempts.at(-1)?.outcome !== 'open' && one;
    },
    STORY_MS,
  );
  return { completion, runs: must(await stage.operator.runs.list({ session: child })).items };
}

describe('Claude Code', () => {
  it(
    'that forgets is reminded in its own process, which costs no attempt',
    async () => {
      const prompts: string[] = [];
      const script = ({ prompt, turn }: Heard): Turn => {
        if (turn === 0) prompts.push(prompt);
        if (!prompt.includes('<state-update-request')) return { say: 'The score is one.' };
        if (!prompt.includes('WARNING')) return { say: 'But I told you: one.' };
        const operations = [{ op: 'add', path: '/score', value: 1 }];
        return turn === 0
          ? { call: { tool: 'state_patch', input: { operations } } }
          : { say: 'It is recorded.' };
      };
      const { completion, runs } = await storyOf('forgetful', script);
      expect(completion.attempts.map(({ outcome }) => outcome)).toEqual(['recorded']);
      expect(runs).toHaveLength(2);
      expect(prompts.at(-1)).toContain('attempt="1"');
    },
    STORY_MS,
  );

  it(
    'that never records is asked as often as was agreed, and no more',
    async () => {
      const { completion, runs } = await storyOf('stubborn', () => ({ say: 'The score is one.' }));
      expect(completion.attempts.map(({ outcome }) => outcome)).toEqual(['no_write', 'no_write']);
      expect(runs).toHaveLength(3);
    },
    STORY_MS,
  );
});
