// Real clients that are to go on with a conversation that was never kept: they begin afresh, and are told what is known.
import { rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { must, Stage } from '../support/stage.js';
import { ClientRunners } from './client-runners.js';
import type { Heard, Turn } from './stand-in/script.js';
import type { Client, Surroundings } from './surroundings.js';

const STORY_MS = 120_000;
const CONTRACT = { pointer: '/score', schema: { type: 'integer' } };
/** Where each client keeps its conversations. */
const KEPT: Readonly<Record<Client, (place: Surroundings) => string>> = {
  'claude-code': ({ home }) => path.join(home, '.claude/projects'),
  codex: ({ home }) => path.join(home, '.codex/sessions'),
  gemini: ({ home }) => path.join(home, '.gemini/tmp'),
  opencode: ({ home }) => path.join(home, '.local/share/opencode'),
};

let stage: Stage;
let runners: ClientRunners;

beforeAll(async () => {
  runners = await ClientRunners.open();
  stage = await Stage.open({ runner: null, serve: ['--update-retry-delay-ms', '50'] });
  must(await stage.operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
}, 600_000);
afterEach(() => runners.close());
afterAll(() => stage.close());

/** A root that is there, with a state, and a child of it. */
async function startChild(child: string, hostname: string): Promise<void> {
  const root = `root-of-${child}`;
  must(await stage.operator.sessions.create({ session_name: root, external: true }));
  must(await stage.operator.states.create({ schema_name: 'any', initial_data: {}, root_session_name: root }));
  must(
    await stage.operator.runs.create({
      type: 'start_session',
      session_name: child,
      parent_session_name: root,
      prompt: 'Score the old bridge.',
      completion: { contract: CONTRACT },
      demands: { hostname },
    }),
  );
}

const done = (child: string) =>
  eventually(
    'the child is done',
    async () => {
      const one = must(await stage.operator.sessions.completion(child));
      const over = /^(completed|failed)$/.test(one.state_update_status ?? '');
      return over && one.attempts.at(-1)?.outcome !== 'open' && one;
    },
    STORY_MS,
  );

function recorded(turn: number): Turn {
  const operations = [{ op: 'add', path: '/score', value: 1 }];
  return turn === 0 ? { call: { tool: 'state_patch', input: { operations } } } : { say: 'It is recorded.' };
}

describe.each(Object.keys(KEPT) as Client[])('%s', (client) => {
  it(
    'whose conversation is gone begins afresh with a recap, in the same run',
    async () => {
      const prompts: string[] = [];
      const script = ({ prompt }: Heard): Turn => {
        prompts.push(prompt);
        return { say: `Answer ${prompts.length}.` };
      };
      const place = await runners.place(client, script);
      const hostname = await runners.start(stage.url, client, place);
      const session_name = `forgets-${client}`;
      const ask = async (type: 'start_session' | 'resume_session', prompt: string) => {
        const asked = must(
          await stage.operator.runs.create({ type, session_name, prompt, demands: { hostname } }),
        );
        return eventually(
          'the run is over',
          async () => {
            const run = must(await stage.operator.runs.get(asked.run_id));
            return run.completed_at !== null && run;
          },
          STORY_MS,
        );
      };
      expect(await ask('start_session', 'Score the old bridge.')).toMatchObject({ status: 'completed' });
      rmSync(KEPT[client](place), { recursive: true, force: true });
      expect(await ask('resume_session', 'And the new one?')).toMatchObject({
        status: 'completed',
        attempt: 1,
        error: null,
      });
      expect(prompts).toHaveLength(2);
      expect(prompts.at(-1)).toMatch(/Score the old bridge\.[^]*Answer 1\.[^]*And the new one\?/);
      // From then on there is one again.
      expect(await ask('resume_session', 'And both?')).toMatchObject({ status: 'completed', attempt: 1 });
      expect(prompts.at(-1)).toBe('And both?');
    },
    STORY_MS,
  );

  it(
    'whose work failed before anything was kept is asked for its result all the same',
    async () => {
      let isThere = false;
      const script = ({ prompt, turn }: Heard): Turn => {
        isThere ||= prompt.includes('<state-update-request');
        // A request that the model's API refuses, which is the agent's own failure.
        return isThere
          ? recorded(turn)
          : { status: 400, error: 'invalid_request_error', message: 'prompt: no' };
      };
      const child = `fails-${client}`;
      await startChild(child, await runners.start(stage.url, client, await runners.place(client, script)));
      const completion = await done(child);
      expect(completion.attempts.map(({ outcome }) => outcome)).toEqual(['recorded']);
    },
    STORY_MS,
  );
});
