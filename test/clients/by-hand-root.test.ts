// Real clients that somebody starts by hand as a root, with the hooks that `hook install` writes: a parent that waits for
// its child's callback when it stops, and a client within a client. Their models are stand-ins.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Program, runProgram } from '../support/program.js';
import { must } from '../support/stage.js';
import { openStage } from './open-stage.js';
import type { Heard, Turn } from './stand-in/script.js';
import type { Client, Surroundings } from './surroundings.js';

const STORY_MS = 180_000;
const SCHEMA = { type: 'object', properties: { score: { type: 'integer' } } };
const CONTRACT = { pointer: '/score', schema: { type: 'integer' } };

const clients = openStage('--update-retry-delay-ms', '50');

async function startRunner(client: Client, { project, environment }: Surroundings): Promise<void> {
  const hostname = `host-of-${client}`;
  const own = [
    '--url',
    clients.stage.url,
    '--executor',
    client,
    '--hostname',
    hostname,
    '--project-dir',
    project,
  ];
  const program = await Program.start(['runner', ...own, '--log-level', 'warn'], { env: environment });
  clients.opened({ close: () => program.end('SIGTERM') });
  await program.printed(/is ready for/);
}

/** As a person would who has installed the hooks, and configured the tools. */
async function runByHand(client: 'claude-code' | 'codex', made: Surroundings, session: string) {
  const scope = client === 'codex' ? ['--user'] : ['--project-dir', made.project];
  const hooks = ['hook', 'install', '--client', client, ...scope, '--wait', '90s', '--yes'];
  expect(await runProgram(hooks, { env: made.environment })).toMatchObject({ code: 0 });
  const [program, args] = client === 'codex' ? codexArgs(session) : claudeArgs(made, session);
  const child = spawn(path.join(clients.installed.bin, program), args, {
    cwd: made.project,
    env: { ...made.environment, AGENT_SESSION_NAME: session },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  child.stdin.end('You are the root. Have it scored.');
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, stdout, stderr };
}

function claudeArgs({ home }: Surroundings, session: string): [string, string[]] {
  const server = {
    type: 'http',
    url: `${clients.stage.url}/mcp`,
    headers: { 'X-Agent-Session-Name': session },
  };
  const file = path.join(home, 'mcp.json');
  writeFileSync(file, JSON.stringify({ mcpServers: { countersign: server } }));
  return ['claude', ['--print', '--mcp-config', file, '--allowedTools', 'mcp__countersign,Bash']];
}

function codexArgs(session: string): [string, string[]] {
  const server = 'mcp_servers.countersign';
  const settings = [
    `${server}.url=${JSON.stringify(`${clients.stage.url}/mcp`)}`,
    `${server}.http_headers={"X-Agent-Session-Name"=${JSON.stringify(session)}}`,
    `${server}.default_tools_approval_mode="approve"`,
  ];
  const flags = ['--skip-git-repo-check', '--dangerously-bypass-hook-trust'];
  return ['codex', ['exec', ...flags, ...settings.flatMap((one) => ['--config', one]), '-']];
}

const attempt = (prompt: string) => Number(/<state-update-request attempt="(\d)"/.exec(prompt)?.[1] ?? 0);

function asRoot(turn: number, child: string): Turn {
  if (turn === 0) {
    const input = { schema_name: 'score', json_schema: SCHEMA, initial_data: {} };
    return { call: { tool: 'state_create', input } };
  }
  const input = {
    session_name: child,
    prompt: 'You are the child. Score it.',
    callback: true,
    contract: CONTRACT,
  };
  return turn === 1 ? { call: { tool: 'start_agent_session', input } } : { say: 'I wait for my child.' };
}

function asChild({ prompt, turn }: Heard): Turn {
  const record = (value: unknown): Turn => ({
    call: { tool: 'state_patch', input: { operations: [{ op: 'add', path: '/score', value }] } },
  });
  if (attempt(prompt) === 0) return { say: 'The score is one.' };
  if (attempt(prompt) === 1) return { say: 'But I told you: one.' };
  return [record('one'), record(1)][turn] ?? { say: 'It is recorded.' };
}

describe.each(['claude-code', 'codex'] as const)('%s', (client) => {
  it(
    'as a root that no runner started waits for its child when it stops, and hears of it',
    async () => {
      const [root, child] = [`by-hand-root-${client}`, `child-of-by-hand-${client}`];
      await startRunner(client, await clients.place(client, asChild));
      must(await clients.stage.operator.sessions.create({ session_name: root, external: true }));
      const heard: string[] = [];
      const made = await clients.place(client, ({ prompt, turn }) => {
        if (prompt.includes('<agent-callback')) {
          heard.push(prompt);
          return { say: 'My child has scored.' };
        }
        return asRoot(turn, child);
      });
      const ended = await runByHand(client, made, root);
      expect(ended, ended.stderr).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('My child has scored.'),
      });
      expect(heard).toHaveLength(1);
      expect(heard[0]).toMatch(
        new RegExp(`<agent-callback child="${child}" outcome="completed" state_update="completed"`),
      );
      const completion = must(await clients.stage.operator.sessions.completion(child));
      expect(completion.attempts.map(({ outcome }) => outcome)).toEqual(['no_write', 'recorded']);
      const session = must(await clients.stage.operator.sessions.get(root));
      expect(session).toMatchObject({
        status: 'finished',
        external: true,
        executor_session_id: expect.any(String),
      });
      expect(must(await clients.stage.operator.sessions.result(root)).result_text).toBe(
        'My child has scored.',
      );
      const callbacks = must(await clients.stage.operator.callbacks.list({ root_session: root })).items;
      expect(callbacks).toMatchObject([{ status: 'acknowledged', delivery: 'pull' }]);
      const state = must(await clients.stage.operator.states.get(session.workflow_state_id ?? ''));
      expect(state).toMatchObject({ current_data: { score: 1 } });
    },
    STORY_MS,
  );
});

describe('claude-code', () => {
  it(
    'that is started from within a session by hand leaves the session to the one that has it',
    async () => {
      const root = 'outer-claude-code';
      must(await clients.stage.operator.sessions.create({ session_name: root, external: true }));
      const received: string[] = [];
      const made = await clients.place('claude-code', ({ prompt, turn, answer }) => {
        if (prompt.includes('You are nested.')) return { say: 'Nested, I say this.' };
        if (turn > 0) received.push(answer);
        const command = `claude --print 'You are nested.' && printenv COUNTERSIGN_CLIENT_SESSION`;
        return turn === 0 ? { call: { tool: 'Bash', input: { command } } } : { say: 'Outer, I say that.' };
      });
      const ended = await runByHand('claude-code', made, root);
      expect(ended, ended.stderr).toMatchObject({ code: 0 });
      const { executor_session_id: bound } = must(await clients.stage.operator.sessions.get(root));
      expect(received.join('\n')).toContain('Nested, I say this.');
      expect(received.join('\n')).toContain(bound);
      expect(must(await clients.stage.operator.sessions.result(root)).result_text).toBe('Outer, I say that.');
      expect(
        must(await clients.stage.operator.sessions.list({ limit: 1000 })).items.map(
          (one) => one.session_name,
        ),
      ).not.toContain(expect.stringMatching(/^ses_claude-code-/));
    },
    STORY_MS,
  );
});
