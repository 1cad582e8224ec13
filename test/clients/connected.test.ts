// Real clients with nothing but what `countersign connect` writes: each has the tools of the state and runs the hooks, and
// is without a trace of it after `disconnect`. Their models are stand-ins.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { builtProgram } from '../support/built-program.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { Program, runProgram } from '../support/program.js';
import { must, Stage } from '../support/stage.js';
import { STAND_INS } from './client-runners.js';
import { installClients, type Installed } from './install.js';
import type { Heard, Turn } from './stand-in/script.js';
import { surroundings, type Client, type Surroundings } from './surroundings.js';

const STORY_MS = 120_000;
const SCHEMA = { type: 'object', properties: { score: { type: 'integer' } } };
const ARGS: Readonly<Record<Client, readonly [string, ...string[]]>> = {
  'claude-code': ['claude', '--print'],
  codex: ['codex', 'exec', '--skip-git-repo-check', '-'],
  gemini: ['gemini'],
  opencode: ['opencode', 'run'],
};

let stage: Stage;
let installed: Installed;
const opened: { close(): Promise<unknown> }[] = [];

beforeAll(async () => {
  installed = await installClients();
  stage = await Stage.open({ runner: null });
}, 600_000);
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});
afterAll(() => stage.close());

async function place(client: Client, script: (heard: Heard) => Turn): Promise<Surroundings> {
  const api = await STAND_INS[client](script);
  opened.push(api);
  const made = surroundings(client, api.url);
  mkdirSync(path.join(made.project, '.git'));
  const bin = path.join(path.dirname(await builtProgram()), '../bin');
  const PATH = [installed.bin, bin, process.env['PATH']].join(':');
  // opencode looks for its plugin package whenever a plugin is there, and goes on without it.
  const own = { npm_config_fetch_retries: '0', PATH, COUNTERSIGN_URL: stage.url };
  return { ...made, environment: { ...made.environment, ...own } };
}

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
      const made = await place(client, openTheState);
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
      const found = must(await stage.operator.sessions.get(session));
      expect(found.workflow_state_id, ran.output).not.toBeNull();
      // The session was registered by the hook of its start, and reported by that of its stop.
      expect(found).toMatchObject({ external: true, executor_session_id: expect.any(String) });
      await eventually('the stop was reported', async () => {
        const { result_text } = must(await stage.operator.sessions.result(session));
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

describe('claude-code', () => {
  it(
    'of an older version takes the same',
    async () => {
      const made = await place('claude-code', openTheState);
      const { PATH = '' } = made.environment;
      const older = { PATH: `${installed.olderBin}:${PATH}`, AGENT_SESSION_NAME: 'connected-older' };
      await run(made, ['countersign', 'connect', 'claude-code', '--yes'], older);
      const ran = await run(made, ARGS['claude-code'], older, 'Open the state.');
      expect(ran, ran.output).toMatchObject({ code: 0 });
      const found = must(await stage.operator.sessions.get('connected-older'));
      expect(found.workflow_state_id, ran.output).not.toBeNull();
    },
    STORY_MS,
  );

  it.each(['bin', 'olderBin'] as const)(
    'has a token in its environment file for as long as it runs (%s)',
    async (version) => {
      const db = path.join(stage.dir, `auth-${version}.db`);
      const port = String(await freePort());
      const url = `http://127.0.0.1:${port}`;
      const service = await Program.start(['serve', '--auth', '--db', db, '--port', port]);
      await service.printed(/ready at/);
      opened.push({ close: () => service.end() });
      const token = await runProgram([
        'token',
        'create',
        '--name',
        'a',
        '--role',
        'admin',
        '--db',
        db,
        '--json',
      ]);
      const found: string[] = [];
      const made = await place('claude-code', ({ turn, answer }) => {
        if (turn > 0) found.push(answer);
        const command = 'countersign session list --json; cat "$CLAUDE_CONFIG_DIR"/session-env/*/*';
        return turn === 0 ? { call: { tool: 'Bash', input: { command } } } : { say: 'Listed.' };
      });
      const env = { COUNTERSIGN_URL: url, PATH: `${installed[version]}:${made.environment['PATH']}` };
      await run(made, ['countersign', 'connect', 'claude-code', '--yes'], env);
      const operator = { ...env, COUNTERSIGN_TOKEN: JSON.parse(token.stdout).token };
      const ran = await run(made, [...ARGS['claude-code'], '--allowedTools', 'Bash'], operator, 'List them.');
      expect(ran, ran.output).toMatchObject({ code: 0 });
      expect(found.join('\n')).toMatch(/export COUNTERSIGN_TOKEN='ey/);
      const folder = path.join(made.home, '.claude', 'session-env');
      const left = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
        name.endsWith('.sh'),
      );
      for (const name of left) {
        expect(readFileSync(path.join(folder, name), 'utf8')).not.toContain('COUNTERSIGN');
      }
    },
    STORY_MS,
  );
});
