// Real clients that run one prompt and end, connected by `countersign connect`: the hook at their end reports it, and all
// parts of a conversation of Codex are one session. Their models are stand-ins.
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { builtProgram } from '../support/built-program.js';
import { eventually } from '../support/eventually.js';
import { runProgram } from '../support/program.js';
import { must, Stage } from '../support/stage.js';
import { STAND_INS } from './client-runners.js';
import { installClients, type Installed } from './install.js';
import type { Script, Turn } from './stand-in/script.js';
import { surroundings, type Client } from './surroundings.js';

const STORY_MS = 120_000;
const LINES: Readonly<Record<'claude-code' | 'codex' | 'gemini', readonly [string, ...string[]]>> = {
  'claude-code': ['claude', '--print'],
  codex: ['codex', 'exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', '-'],
  gemini: ['gemini'],
};
type Ending = keyof typeof LINES;

let stage: Stage;
let installed: Installed;
const opened: { close(): Promise<unknown> }[] = [];

beforeAll(async () => {
  installed = await installClients();
  stage = await Stage.open({ runner: null });
  must(await stage.operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
}, 600_000);
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});
afterAll(() => stage.close());

/** Connects the client and lets it run to its end. @returns What it printed. */
async function ran(client: Ending, script: Script, session: Record<string, string>): Promise<string> {
  const api = await STAND_INS[client satisfies Client](script);
  opened.push(api);
  const made = surroundings(client, api.url);
  mkdirSync(path.join(made.project, '.git'));
  const bin = path.join(path.dirname(await builtProgram()), '../bin');
  const PATH = [installed.bin, bin, process.env['PATH']].join(':');
  const env = { ...made.environment, ...session, PATH, COUNTERSIGN_URL: stage.url };
  const connect = ['connect', client, '--wait', '0s', '--yes', '--project-dir', made.project];
  expect(await runProgram(connect, { env })).toMatchObject({ code: 0 });
  const [program, ...args] = LINES[client];
  const child = spawn(program, args, { cwd: made.project, env });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stdin.end('Do it.');
  await new Promise((resolve) => child.once('close', resolve));
  return output;
}

describe.each(Object.keys(LINES) as Ending[])('%s', (client) => {
  it(
    'that ends while its own children are at work is lost at once',
    async () => {
      const [root, child] = [`root-of-${client}`, `ends-${client}`];
      must(await stage.operator.sessions.create({ session_name: root, external: true }));
      const empty = { schema_name: 'any', initial_data: {}, root_session_name: root };
      must(await stage.operator.states.create(empty));
      const promised = { external: true, parent_session_name: root };
      must(await stage.operator.sessions.create({ session_name: child, ...promised }));
      const script: Script = ({ turn }): Turn => {
        const input = { session_name: `below-${client}`, prompt: 'Score it.', callback: true };
        return turn === 0
          ? { call: { tool: 'start_agent_session', input } }
          : { say: 'I do not wait for it.' };
      };
      const output = await ran(client, script, { AGENT_SESSION_NAME: child });
      await eventually(`${client} has told of its end: ${output}`, async () => {
        const { reason } = must(await stage.operator.sessions.completion(child));
        return reason?.includes('client ended') === true;
      });
      expect(must(await stage.operator.sessions.get(child)).status).toBe('failed');
    },
    STORY_MS,
  );
});

describe('codex', () => {
  it(
    'is one session in its tools, its hooks and its commands, without a variable',
    async () => {
      // Its login shells have another PATH.
      const program = path.join(path.dirname(await builtProgram()), '../bin/countersign');
      const script: Script = ({ turn }): Turn => {
        const state = { schema_name: 'any', initial_data: {} };
        if (turn === 0) return { call: { tool: 'state_create', input: state } };
        const cmd = `${program} state patch '[{"op":"add","path":"/score","value":1}]'`;
        return turn === 1 ? { call: { tool: 'exec_command', input: { cmd } } } : { say: 'It is one.' };
      };
      const sessions = async () => must(await stage.operator.sessions.list({ limit: 1000 })).items;
      const before = (await sessions()).map(({ session_id }) => session_id);
      const output = await ran('codex', script, {});
      const own = (await sessions()).filter(({ session_id }) => !before.includes(session_id));
      expect(own, output).toMatchObject([{ status: 'finished', workflow_state_id: expect.any(String) }]);
      const [{ session_id, workflow_state_id } = { session_id: '', workflow_state_id: '' }] = own;
      expect(must(await stage.operator.sessions.result(session_id)).result_text).toBe('It is one.');
      const { events } = must(await stage.operator.states.events(workflow_state_id ?? '', {}));
      expect(
        events.map((one) => one.session_id),
        output,
      ).toEqual([session_id, session_id]);
    },
    STORY_MS,
  );
});
