// Real clients with nothing but what `countersign connect` writes: each has the tools of the state and runs the hooks, and
// is without a trace of it after `disconnect`. Their models are stand-ins.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { builtProgram } from '../support/built-program.js';
import { eventually } from '../support/eventually.js';
import { must } from '../support/stage.js';
import type { Installed } from './install.js';
import { openStage } from './open-stage.js';
import type { Heard, Turn } from './stand-in/script.js';
import type { Client, Surroundings } from './surroundings.js';

const STORY_MS = 120_000;
const SLOW_START_S = 4;
const SCHEMA = { type: 'object', properties: { score: { type: 'integer' } } };
const ARGS: Readonly<Record<Client, readonly [string, ...string[]]>> = {
  'claude-code': ['claude', '--print'],
  codex: ['codex', 'exec', '--skip-git-repo-check', '-'],
  gemini: ['gemini'],
  opencode: ['opencode', 'run'],
};

const clients = openStage();

function run(made: Surroundings, line: readonly string[], env: Record<string, string> = {}, input = '') {
  const [program = '', ...args] = line;
  const child = spawn(program, args, { cwd: made.project, env: { ...made.environment, ...env } });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stdin.end(input);
  return new Promise<{ code: number | null; output: string }>((resolve) => {
    child.once('close', (code) => resolve({ code, output }));
  });
}

function openTheState({ turn }: Heard): Turn {
  const input = { schema_name: 'score', json_schema: SCHEMA, initial_data: { score: 1 } };
  return turn === 0 ? { call: { tool: 'state_create', input } } : { say: 'It has a state.' };
}

const CLIENTS = Object.keys(ARGS) as Client[];

describe.each(CLIENTS)('%s', (client) => {
  it.each(['--project', '--user'])(
    'connected with %s writes the state as its session, and its hooks run',
    async (scope) => {
      const session = `connected-${client}${scope}`;
      const made = await clients.place(client, openTheState);
      const connected = await run(made, ['countersign', 'connect', client, scope, '--yes']);
      expect(connected, connected.output).toMatchObject({ code: 0 });
      const trusting = client === 'gemini' && scope === '--user' ? ['--skip-trust'] : [];
      const ran = await run(
        made,
        [...ARGS[client], ...trusting],
        { AGENT_SESSION_NAME: session },
        'Open the state.',
      );
      expect(ran, ran.output).toMatchObject({ code: 0 });
      const found = must(await clients.stage.operator.sessions.get(session));
      expect(found.workflow_state_id, ran.output).not.toBeNull();
      // The session was registered by the hook of its start, and reported by that of its stop.
      expect(found).toMatchObject({ external: true, executor_session_id: expect.any(String) });
      await eventually('the stop was reported', async () => {
        const { result_text } = must(await clients.stage.operator.sessions.result(session));
        return result_text === 'It has a state.';
      });
      const gone = await run(made, ['countersign', 'disconnect', client, scope, '--yes']);
      expect(gone, gone.output).toMatchObject({ code: 0 });
      const written = [...connected.output.matchAll(/^Wrote (.+)\.$/gm)].map(([, file = '']) => file);
      expect(written.length).toBeGreaterThan(0);
      for (const file of written.filter((one) => existsSync(one))) {
        expect(readFileSync(file, 'utf8'), file).not.toMatch(
          /countersign hook|"countersign"|Accepted": true/,
        );
      }
    },
    STORY_MS,
  );
});

/** In front of the program: its MCP server takes longer to start than some clients wait for one. */
async function slowServer(home: string): Promise<string> {
  const folder = path.join(home, 'slow');
  mkdirSync(folder);
  const program = path.join(path.dirname(await builtProgram()), '../bin/countersign');
  const script = `#!/bin/sh\n[ "$1" != mcp ] || sleep ${String(SLOW_START_S)}\nexec '${program}' "$@"\n`;
  writeFileSync(path.join(folder, 'countersign'), script, { mode: 0o755 });
  return folder;
}

describe.each<readonly [Client, keyof Installed]>([
  ...CLIENTS.map((client) => [client, 'bin'] as const),
  ['claude-code', 'olderBin'],
])('%s of %s', (client, version) => {
  it(
    'has its tools from the first turn on, also where their server is slow to start',
    async () => {
      const session = `slow-${client}-${version}`;
      const made = await clients.place(client, openTheState, version);
      const { PATH = '' } = made.environment;
      const own = { PATH: `${await slowServer(made.home)}:${PATH}`, AGENT_SESSION_NAME: session };
      const connected = await run(made, ['countersign', 'connect', client, '--yes'], own);
      expect(connected, connected.output).toMatchObject({ code: 0 });
      const ran = await run(made, ARGS[client], own, 'Open the state.');
      expect(ran, ran.output).toMatchObject({ code: 0 });
      const found = must(await clients.stage.operator.sessions.get(session));
      expect(found.workflow_state_id, ran.output).not.toBeNull();
    },
    STORY_MS,
  );
});

describe('claude-code', () => {
  it(
    'of an older version takes the same',
    async () => {
      const made = await clients.place('claude-code', openTheState, 'olderBin');
      const older = { AGENT_SESSION_NAME: 'connected-older' };
      await run(made, ['countersign', 'connect', 'claude-code', '--yes'], older);
      const ran = await run(made, ARGS['claude-code'], older, 'Open the state.');
      expect(ran, ran.output).toMatchObject({ code: 0 });
      const found = must(await clients.stage.operator.sessions.get('connected-older'));
      expect(found.workflow_state_id, ran.output).not.toBeNull();
    },
    STORY_MS,
  );
});
