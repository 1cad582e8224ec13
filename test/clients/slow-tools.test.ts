// Real clients whose tools come late, or never: a slow `/mcp` costs time, and no attempt of the child.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { must, Stage } from '../support/stage.js';
import { ClientRunners } from './client-runners.js';
import { openSlowProxy, type SlowProxy } from './slow-proxy.js';
import type { Heard, Turn } from './stand-in/script.js';
import type { Client } from './surroundings.js';

const STORY_MS = 240_000;
const CONTRACT = { pointer: '/score', schema: { type: 'integer' } };
/** Of each request; a client makes several before it has its tools. */
const DELAYS_MS = [800, 2500];
const VERSIONS: readonly (readonly [string, Client, 'bin' | 'olderBin'])[] = [
  ['Claude Code 2.1.332', 'claude-code', 'bin'],
  ['Claude Code 2.1.197', 'claude-code', 'olderBin'],
  ['Codex', 'codex', 'bin'],
  ['Gemini CLI', 'gemini', 'bin'],
  ['opencode', 'opencode', 'bin'],
];

let stage: Stage;
let runners: ClientRunners;
let proxy: SlowProxy | null = null;

beforeAll(async () => {
  runners = await ClientRunners.open();
  stage = await Stage.open({ runner: null, serve: ['--update-retry-delay-ms', '50'] });
  must(await stage.operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
}, 600_000);
afterEach(async () => {
  await runners.close();
  await proxy?.close();
});
afterAll(() => stage.close());

function script({ prompt, turn }: Heard): Turn {
  if (!prompt.includes('<state-update-request')) return { say: 'The score is one.' };
  const operations = [{ op: 'add', path: '/score', value: 1 }];
  return turn === 0 ? { call: { tool: 'state_patch', input: { operations } } } : { say: 'It is recorded.' };
}

describe.each(VERSIONS)('%s', (_title, client, bin) => {
  it.each(DELAYS_MS)(
    'has its tools where each request to them takes %i ms',
    async (delayMs) => {
      proxy = await openSlowProxy(stage.url, delayMs);
      const [root, child] = [`root-${client}-${bin}-${delayMs}`, `slow-${client}-${bin}-${delayMs}`];
      must(await stage.operator.sessions.create({ session_name: root, external: true }));
      must(
        await stage.operator.states.create({ schema_name: 'any', initial_data: {}, root_session_name: root }),
      );
      const hostname = await runners.start(
        proxy.url,
        client,
        await runners.place(client, script, runners.installed[bin]),
      );
      must(
        await stage.operator.runs.create({
          type: 'start_session',
          session_name: child,
          parent_session_name: root,
          prompt: 'Score it.',
          completion: { contract: CONTRACT },
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
      expect(completion.attempts.map(({ outcome }) => outcome)).toEqual(['recorded']);
      const runs = must(await stage.operator.runs.list({ session: child })).items;
      expect(runs.map(({ attempt, error }) => ({ attempt, error }))).toEqual([
        { attempt: 1, error: null },
        { attempt: 1, error: null },
      ]);
    },
    STORY_MS,
  );
});
