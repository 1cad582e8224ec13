// Real clients that run one prompt and end, connected by `countersign connect`: the hook at their end reports it, and all
// parts of a conversation of Codex are one session. Their models are stand-ins.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/index.js';
import { builtProgram } from '../support/built-program.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { Program, runProgram } from '../support/program.js';
import { must } from '../support/stage.js';
import type { Installed } from './install.js';
import { openStage } from './open-stage.js';
import type { Script, Turn } from './stand-in/script.js';
import type { Client } from './surroundings.js';

const STORY_MS = 120_000;
const LINES: Readonly<Record<Client, readonly [string, ...string[]]>> = {
  'claude-code': ['claude', '--print', '--allowedTools', 'Bash'],
  codex: ['codex', 'exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', '-'],
  gemini: ['gemini', '--yolo'],
  opencode: ['opencode', 'run'],
};
/** Of opencode, opencode-plugin.test.ts shows it, where it is served: one that runs one prompt ends with the turn. */
const ENDING = ['claude-code', 'codex', 'gemini'] as const;
/** What each calls its tool for commands. */
const SHELLS: Readonly<Record<Client, string>> = {
  'claude-code': 'Bash',
  codex: 'exec_command',
  gemini: 'run_shell_command',
  opencode: 'bash',
};

const clients = openStage();

/** Connects the client and lets it run to its end. */
async function ran(
  client: Client,
  script: Script,
  variables: Readonly<Record<string, string>>,
  version: keyof Installed = 'bin',
): Promise<{ readonly output: string; readonly home: string }> {
  const made = await clients.place(client, script, version);
  const env = { ...made.environment, ...variables };
  const connect = ['connect', client, '--wait', '0s', '--yes', '--project-dir', made.project];
  expect(await runProgram(connect, { env })).toMatchObject({ code: 0 });
  const [program, ...args] = LINES[client];
  const child = spawn(program, args, { cwd: made.project, env });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stdin.end('Do it.');
  await new Promise((resolve) => child.once('close', resolve));
  return { output, home: made.home };
}

describe.each(ENDING)('%s', (client) => {
  it(
    'that ends while its own children are at work is lost at once',
    async () => {
      const [root, child] = [`root-of-${client}`, `ends-${client}`];
      must(await clients.stage.operator.sessions.create({ session_name: root, external: true }));
      const empty = { schema_name: 'any', initial_data: {}, root_session_name: root };
      must(await clients.stage.operator.states.create(empty));
      const promised = { external: true, parent_session_name: root };
      must(await clients.stage.operator.sessions.create({ session_name: child, ...promised }));
      const script: Script = ({ turn }): Turn => {
        const input = { session_name: `below-${client}`, prompt: 'Score it.', callback: true };
        return turn === 0
          ? { call: { tool: 'start_agent_session', input } }
          : { say: 'I do not wait for it.' };
      };
      const { output } = await ran(client, script, { AGENT_SESSION_NAME: child });
      await eventually(`${client} has told of its end: ${output}`, async () => {
        const { reason } = must(await clients.stage.operator.sessions.completion(child));
        return reason?.includes('client ended') === true;
      });
      expect(must(await clients.stage.operator.sessions.get(child)).status).toBe('failed');
    },
    STORY_MS,
  );
});

describe.each<readonly [Client, keyof Installed]>([
  ['claude-code', 'bin'],
  ['claude-code', 'olderBin'],
  ['codex', 'bin'],
  ['gemini', 'bin'],
  ['opencode', 'bin'],
])('%s of %s, with --auth', (client, version) => {
  it(
    'has a token for its commands for as long as it runs',
    async () => {
      const { url, admin } = await openGuarded(`${client}-${version}`);
      const file = path.join(clients.stage.dir, `environment-${client}-${version}`);
      // Its login shells have another PATH, and Claude Code reads a file of its own before each command.
      const program = path.join(path.dirname(await builtProgram()), '../bin/countersign');
      const source = client === 'claude-code' || client === 'opencode' ? '' : `. '${file}'; `;
      const command = `${source}'${program}' session list --json; echo "token=$COUNTERSIGN_TOKEN"`;
      const answers: string[] = [];
      let written = '';
      const script: Script = ({ turn, answer }): Turn => {
        if (turn > 0) answers.push(answer);
        if (turn > 0 && existsSync(file)) written = readFileSync(file, 'utf8');
        const input = client === 'codex' ? { cmd: command } : { command, description: 'lists the sessions' };
        return turn === 0 ? { call: { tool: SHELLS[client], input } } : { say: 'Listed.' };
      };
      const variables = {
        COUNTERSIGN_URL: url,
        COUNTERSIGN_TOKEN: admin,
        AGENT_SESSION_NAME: `ends-${client}`,
        ...(source === '' ? {} : { CLAUDE_ENV_FILE: file }),
      };
      const { output, home } = await ran(client, script, variables, version);
      const answer = answers.join('\n');
      const [, token = ''] = /token=(ey[\w.-]+)/.exec(answer) ?? [];
      expect(token, `${answer} ${output}`).not.toBe('');
      // Some clients hand the output over as a text within JSON.
      expect(answer.replaceAll('\\', '')).toContain(`"session_name":"ends-${client}"`);
      if (source !== '') expect(written).toContain(token);
      expect(existsSync(file)).toBe(false);
      const own = path.join(home, '.claude', 'session-env');
      const left = existsSync(own) ? readdirSync(own, { recursive: true, encoding: 'utf8' }) : [];
      for (const name of left.filter((one) => one.endsWith('.sh'))) {
        expect(readFileSync(path.join(own, name), 'utf8')).not.toContain('COUNTERSIGN');
      }
      const copied = createClient({ url, token, retry: false });
      await eventually(`${client} has told of its end`, async () => {
        const refused = await copied.sessions.list({});
        return !refused.ok && refused.failure.error === 'unauthorized';
      });
      const operator = createClient({ url, token: admin, retry: false });
      expect(must(await operator.sessions.get(`ends-${client}`)).status).toBe('finished');
    },
    STORY_MS,
  );
});

/** A coordinator that asks everybody for a token. */
async function openGuarded(name: string) {
  const db = path.join(clients.stage.dir, `auth-${name}.db`);
  const port = String(await freePort());
  const flags = ['--name', 'a', '--role', 'admin', '--db', db, '--json'];
  const made = await runProgram(['token', 'create', ...flags]);
  const service = await Program.start(['serve', '--auth', '--db', db, '--port', port]);
  await service.printed(/ready at/);
  clients.opened({ close: () => service.end() });
  const { token: admin } = JSON.parse(made.stdout) as { token: string };
  return { url: `http://127.0.0.1:${port}`, admin };
}

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
      const sessions = async () => must(await clients.stage.operator.sessions.list({ limit: 1000 })).items;
      const before = (await sessions()).map(({ session_id }) => session_id);
      const { output } = await ran('codex', script, {});
      const own = (await sessions()).filter(({ session_id }) => !before.includes(session_id));
      expect(own, output).toMatchObject([{ status: 'finished', workflow_state_id: expect.any(String) }]);
      const [{ session_id, workflow_state_id } = { session_id: '', workflow_state_id: '' }] = own;
      expect(must(await clients.stage.operator.sessions.result(session_id)).result_text).toBe('It is one.');
      const { events } = must(await clients.stage.operator.states.events(workflow_state_id ?? '', {}));
      expect(
        events.map((one) => one.session_id),
        output,
      ).toEqual([session_id, session_id]);
    },
    STORY_MS,
  );
});
