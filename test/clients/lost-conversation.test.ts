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
    'whose conversation is gone begins afresh with a recap, and records its result',
    async () => {
      const prompts: string[] = [];
      const script = ({ prompt, turn }: Heard): Turn => {
        if (turn === 0) prompts.push(prompt);
        if (prompt.includes('<state-update-request')) return recorded(turn);
        // Nothing of it is there when it is to go on.
        rmSync(KEPT[client](place), { recursive: true, force: true });
        return { say: 'The bridge scores one.' };
      };
      const place = await runners.place(client, script);
      const child = `forgets-${client}`;
      const hostname = await runners.start(stage.url, client, place);
      await startChild(child, hostname);
      const completion = await done(child);
      expect(completion.attempts.map(({ outcome }) => outcome)).toEqual(['recorded']);
      expect(prompts.at(-1)).toContain('Score the old bridge.');
      expect(prompts.at(-1)).toContain('<state-update-request');
      const [, update] = must(await stage.operator.runs.list({ session: child })).items;
      expect(update).toMatchObject({ purpose: 'state_update', attempt: 1, error: null });
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
