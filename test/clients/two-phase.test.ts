// Real clients through both phases: as a root, as its child, as a child without tools, and as a session that no runner
// started. Their models are stand-ins that forget, err and correct themselves.
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { must, Stage } from '../support/stage.js';
import { ClientRunners } from './client-runners.js';
import type { Heard, Script, Turn } from './stand-in/script.js';
import type { Client, Surroundings } from './surroundings.js';

const CLIENTS: readonly Client[] = ['claude-code', 'codex', 'gemini', 'opencode'];
/** Those that can be held to an output schema, and whose hooks are installed here. */
const HELD: readonly Client[] = ['claude-code', 'codex'];
const STORY_MS = 90_000;

const SCHEMA = {
  type: 'object',
  properties: {
    scores: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        properties: { score: { type: 'integer' } },
        required: ['score'],
        additionalProperties: false,
      },
    },
  },
};
const CONTRACT = {
  pointer: '/scores/child',
  schema: {
    type: 'object',
    properties: { score: { type: 'integer' } },
    required: ['score'],
    additionalProperties: false,
  },
};

const record = (score: unknown): Turn => ({
  call: {
    tool: 'state_patch',
    input: { operations: [{ op: 'add', path: '/scores/child', value: { score } }] },
  },
});
const attempt = (prompt: string) => Number(/<state-update-request attempt="(\d)"/.exec(prompt)?.[1] ?? 0);

let stage: Stage;
let runners: ClientRunners;

beforeAll(async () => {
  runners = await ClientRunners.open();
  stage = await Stage.open({ runner: null, serve: ['--update-retry-delay-ms', '50'] });
}, 600_000);
afterEach(() => runners.close());
afterAll(() => stage.close());

const place = (client: Client, script: Script) => runners.place(client, script);
const startRunner = (client: Client, made: Surroundings, ...flags: string[]) =>
  runners.start(stage.url, client, made, ...flags);

const done = (session: string) =>
  eventually(
    `${session} is done`,
    async () => {
      const completion = must(await stage.operator.sessions.completion(session));
      const isOver = /^(completed|failed|skipped)$/.test(completion.state_update_status ?? '');
      return isOver && completion.attempts.at(-1)?.outcome !== 'open' && completion;
    },
    STORY_MS,
  );

/** A root that is there, with a state for its tree. */
async function openTree(root: string): Promise<string> {
  must(await stage.operator.schemas.register({ name: 'scores', json_schema: SCHEMA }));
  must(await stage.operator.sessions.create({ session_name: root, external: true }));
  const body = { schema_name: 'scores', initial_data: { scores: {} }, root_session_name: root };
  return must(await stage.operator.states.create(body)).state_id;
}

describe.each(CLIENTS)('%s', (client) => {
  it(
    'as a root and as its child goes through both phases, with a refusal on the way',
    async () => {
      const root = `root-${client}`;
      const child = `child-${client}`;
      const answers: string[] = [];
      const script = ({ prompt, turn, answer }: Heard): Turn => {
        if (answer !== '') answers.push(answer);
        if (prompt.startsWith('You are the root.')) return asRoot(turn, child);
        if (prompt.includes('<agent-callback')) return { say: 'My child has scored.' };
        if (attempt(prompt) === 1) return { say: 'But I told you: one.' };
        if (attempt(prompt) === 2) return [record('one'), record(1)][turn] ?? { say: 'It is recorded.' };
        return { say: 'The score is one.' };
      };
      const surroundings = await place(client, script);
      const hostname = await startRunner(client, surroundings);
      must(
        await stage.operator.runs.create({
          type: 'start_session',
          session_name: root,
          prompt: 'You are the root. Have it scored.',
          demands: { hostname },
        }),
      );
      await eventually(
        'the child is there',
        async () => (await stage.operator.sessions.get(child)).ok,
        STORY_MS,
      );
      const completion = await done(child);
      expect(completion.attempts.map(({ outcome }) => outcome)).toEqual(['no_write', 'recorded']);
      await eventually(
        'the root has heard',
        async () => must(await stage.operator.sessions.result(root)).result_text === 'My child has scored.',
        STORY_MS,
      );
      expect(answers.some((one) => one.includes('validation_failed') && one.includes('Next:'))).toBe(true);

      const session = must(await stage.operator.sessions.get(child));
      expect(session).toMatchObject({ executor_type: client, status: 'finished' });
      const state = must(await stage.operator.states.get(session.workflow_state_id ?? ''));
      expect(state).toMatchObject({ current_data: { scores: { child: { score: 1 } } } });
      expect(must(await stage.operator.sessions.result(child)).result_text).toBe('The score is one.');
      const runs = must(await stage.operator.runs.list({ session: child })).items;
      expect(runs).toHaveLength(3);
      for (const run of runs) expect(run.usage).toMatchObject({ input_tokens: expect.any(Number) });
      const callbacks = must(await stage.operator.callbacks.list({})).items;
      expect(callbacks.filter((one) => one.child_session_id === session.session_id)).toMatchObject([
        { status: 'delivered' },
      ]);
    },
    STORY_MS * 2,
  );
});

describe.each(HELD)('%s', (client) => {
  it(
    'as a child without tools is held to its output, which is recorded on its behalf',
    async () => {
      const child = `held-${client}`;
      const stateId = await openTree(`root-of-${child}`);
      const script = ({ prompt, turn }: Heard): Turn => {
        if (attempt(prompt) === 0) return { say: 'The score is two.' };
        if (client === 'codex') return { say: '{"score":2}' };
        return turn === 0 ? { call: { tool: 'StructuredOutput', input: { score: 2 } } } : { say: 'Done.' };
      };
      const hostname = await startRunner(client, await place(client, script), '--record-by', 'output');
      await startChild(child, hostname);
      expect((await done(child)).attempts.map(({ outcome }) => outcome)).toEqual(['recorded']);
      const { events } = must(await stage.operator.states.events(stateId, {}));
      expect(events.at(-1)).toMatchObject({ kind: 'on_behalf', patch: [{ path: '/scores/child' }] });
    },
    STORY_MS,
  );

  it(
    'as a session that no runner started does not end before its result is recorded',
    async () => {
      const child = `by-hand-${client}`;
      const stateId = await openTree(`root-of-${child}`);
      must(
        await stage.operator.sessions.create({
          session_name: child,
          external: true,
          parent_session_name: `root-of-${child}`,
          callback: true,
          completion: { contract: CONTRACT },
        }),
      );
      const script = ({ prompt, turn }: Heard): Turn => {
        if (attempt(prompt) === 0) return { say: 'The score is three.' };
        if (attempt(prompt) === 1) return { say: 'But I told you: three.' };
        return [record('three'), record(3)][turn] ?? { say: 'It is recorded.' };
      };
      const made = await place(client, script);
      const ended = await runByHand(client, made, child);
      expect(ended, ended.stderr).toMatchObject({ code: 0 });
      const completion = await done(child);
      expect(completion.attempts.map(({ outcome }) => outcome)).toEqual(['no_write', 'recorded']);
      expect(must(await stage.operator.states.get(stateId))).toMatchObject({
        current_data: { scores: { child: { score: 3 } } },
      });
      expect(must(await stage.operator.sessions.result(child)).result_text).toBe('The score is three.');
    },
    STORY_MS,
  );
});

describe('claude-code', () => {
  it(
    'may record by the command line, which is in its path and knows who asks',
    async () => {
      const child = 'by-command-claude-code';
      const stateId = await openTree(`root-of-${child}`);
      const value = JSON.stringify([{ op: 'add', path: '/scores/child', value: { score: 4 } }]);
      const script = ({ prompt, turn }: Heard): Turn => {
        if (attempt(prompt) === 0) return { say: 'The score is four.' };
        const command = `countersign state patch '${value}'`;
        return turn === 0 ? { call: { tool: 'Bash', input: { command } } } : { say: 'It is recorded.' };
      };
      const hostname = await startRunner('claude-code', await place('claude-code', script));
      await startChild(child, hostname);
      expect((await done(child)).attempts.map(({ outcome }) => outcome)).toEqual(['recorded']);
      const { events } = must(await stage.operator.states.events(stateId, {}));
      expect(events.at(-1)).toMatchObject({ kind: 'json_patch' });
    },
    STORY_MS,
  );
});

function asRoot(turn: number, child: string): Turn {
  if (turn === 0) {
    const input = { schema_name: 'scores', json_schema: SCHEMA, initial_data: { scores: {} } };
    return { call: { tool: 'state_create', input } };
  }
  if (turn === 1) {
    return {
      call: {
        tool: 'start_agent_session',
        input: {
          session_name: child,
          prompt: 'You are the child. Score it.',
          callback: true,
          contract: CONTRACT,
          write_scope: [CONTRACT.pointer],
        },
      },
    };
  }
  return { say: 'I wait for my child.' };
}

async function startChild(child: string, hostname: string): Promise<void> {
  must(
    await stage.operator.runs.create({
      type: 'start_session',
      session_name: child,
      parent_session_name: `root-of-${child}`,
      prompt: 'You are the child. Score it.',
      completion: { contract: CONTRACT },
      demands: { hostname },
    }),
  );
}

/** As a person would, with the hooks in the client's settings and the tools in its configuration. */
async function runByHand(client: Client, made: Surroundings, session: string) {
  const command = (hook: string) =>
    `countersign hook ${hook} --client ${client}${hook === 'stop' ? ' --wait 0s' : ''}`;
  const [program, args] =
    client === 'codex' ? codexByHand(made, session, command) : claudeByHand(made, session, command);
  const child = spawn(path.join(runners.installed.bin, program), args, {
    cwd: made.project,
    env: { ...made.environment, COUNTERSIGN_URL: stage.url, AGENT_SESSION_NAME: session },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  child.stdin.end('You are the child. Score it.');
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, stdout, stderr };
}

type Hooked = (hook: string) => string;

function claudeByHand({ project, home }: Surroundings, session: string, command: Hooked): [string, string[]] {
  const hook = (name: string) => [{ hooks: [{ type: 'command', command: command(name), timeout: 60 }] }];
  mkdirSync(path.join(project, '.claude'));
  const hooks = { SessionStart: hook('session-start'), Stop: hook('stop') };
  writeFileSync(path.join(project, '.claude/settings.json'), JSON.stringify({ hooks }));
  const server = { type: 'http', url: `${stage.url}/mcp`, headers: { 'X-Agent-Session-Name': session } };
  const file = path.join(home, 'mcp.json');
  writeFileSync(file, JSON.stringify({ mcpServers: { countersign: server } }));
  return ['claude', ['--print', '--mcp-config', file, '--allowedTools', 'mcp__countersign']];
}

function codexByHand({ home }: Surroundings, session: string, command: Hooked): [string, string[]] {
  const hook = (name: string) => ({ hooks: [{ type: 'command', command: command(name), timeout: 60 }] });
  const hooks = { SessionStart: [hook('session-start')], Stop: [hook('stop')] };
  writeFileSync(path.join(home, '.codex/hooks.json'), JSON.stringify({ hooks }));
  const server = 'mcp_servers.countersign';
  const settings = [
    `${server}.url=${JSON.stringify(`${stage.url}/mcp`)}`,
    `${server}.http_headers={"X-Agent-Session-Name"=${JSON.stringify(session)}}`,
    `${server}.default_tools_approval_mode="approve"`,
  ];
  const flags = ['--skip-git-repo-check', '--dangerously-bypass-hook-trust'];
  return ['codex', ['exec', ...flags, ...settings.flatMap((one) => ['--config', one]), '-']];
}
