import { describe, expect, it } from 'vitest';
import { CODEX_SCENARIOS } from './codex-scenarios.js';
import { readRecording } from './recording.js';
import { replay, TOKEN, updateRun, type Replay } from './replay.js';
import { until } from '../until.js';

const CLIENT = 'codex';
const WRITES = 'writes after a refusal';
const executed = (given: Replay) => replay(CLIENT, given).result;

/** `--config` settings of a call, by name. */
function settingsIn(argv: readonly string[]): Record<string, unknown> {
  const given = argv.filter((_, i) => argv[i - 1] === '--config');
  return Object.fromEntries(
    given.map((one) => [one.slice(0, one.indexOf('=')), JSON.parse(one.slice(one.indexOf('=') + 1))]),
  );
}

describe('Codex', () => {
  it.each(CODEX_SCENARIOS)('that $name is understood', async ({ name, expected, heldTo }) => {
    const held = heldTo === undefined ? {} : { run: updateRun(heldTo), recordBy: 'output' as const };
    expect(await executed({ plays: name, ...held })).toMatchObject(expected);
  });

  it('chooses the id of its conversation, which is told when it says so', async () => {
    const { result, started, fake } = replay(CLIENT, { plays: WRITES });
    await result;
    const { argv, stdin } = fake.calls()[0]!;
    expect(argv.slice(0, 3)).toEqual(['exec', '--json', '--skip-git-repo-check']);
    expect(argv.at(-1)).toBe('-');
    expect(argv).not.toContain('resume');
    expect(stdin).toBe('Do it.');
    expect(started).toHaveLength(1);
    expect(started[0]).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('goes on with the conversation that its session is bound to', async () => {
    const id = '01a1fd5b-af4d-7181-941f-cf3e7e15ca11';
    const run = { type: 'resume_session', executor_session_id: id } as const;
    const settings = { args: ['--sandbox', 'workspace-write'] };
    const { result, started, fake } = replay(CLIENT, {
      plays: 'goes on with a conversation',
      run,
      settings,
    });
    await result;
    // What came before this run is not known to a runner that did not see it.
    expect(await result).toMatchObject({
      usage: { input_tokens: 40, whole_conversation: true, turns: 1, duration_ms: expect.any(Number) },
    });
    expect(fake.calls()[0]!.argv.slice(-5)).toEqual(['--sandbox', 'workspace-write', 'resume', id, '-']);
    expect(started).toEqual([id]);
  });

  it('gets the MCP servers of its named agent, and their secrets by the environment alone', async () => {
    const { result, fake } = replay(CLIENT, {
      plays: WRITES,
      agent: {
        name: 'a',
        command: null,
        args: [],
        model: 'large',
        systemPrompt: null,
        mcpServers: {
          web: { type: 'http', url: 'https://web.example/mcp', headers: { 'X-Key': 'secret 1' } },
          files: { type: 'stdio', command: 'files', args: ['.'] },
          'more-files': {
            type: 'stdio',
            command: 'files',
            args: ['"'],
            env: { A: 'secret 2', B: 'secret 3' },
          },
        },
      },
    });
    expect(await result).toMatchObject({ kind: 'completed' });
    const { argv, environment } = fake.calls()[0]!;
    const given = argv.filter((one) => /^mcp_servers\.(?!countersign_run)/.test(one));
    const line =
      'export A="$COUNTERSIGN_MCP_2_0"; unset COUNTERSIGN_MCP_2_0; ' +
      'export B="$COUNTERSIGN_MCP_2_1"; unset COUNTERSIGN_MCP_2_1; exec "$@"';
    expect(given).toEqual([
      'mcp_servers.web.url="https://web.example/mcp"',
      'mcp_servers.web.env_http_headers={"X-Key"="COUNTERSIGN_MCP_0_0"}',
      'mcp_servers.web.default_tools_approval_mode="approve"',
      'mcp_servers.files.command="files"',
      'mcp_servers.files.args=["."]',
      'mcp_servers.files.env_vars=[]',
      'mcp_servers.files.default_tools_approval_mode="approve"',
      'mcp_servers.more-files.command="sh"',
      `mcp_servers.more-files.args=${JSON.stringify(['-c', line, 'sh', 'files', '"'])}`,
      'mcp_servers.more-files.env_vars=["COUNTERSIGN_MCP_2_0","COUNTERSIGN_MCP_2_1"]',
      'mcp_servers.more-files.default_tools_approval_mode="approve"',
    ]);
    expect(environment).toMatchObject({ COUNTERSIGN_MCP_0_0: 'secret 1', COUNTERSIGN_MCP_2_1: 'secret 3' });
    expect(argv.join(' ')).not.toContain('secret');
    expect(argv).toContain('large');
  });

  it('gets the tools of the state as a server that it cannot do without, and its token by the environment', async () => {
    const { result, fake } = replay(CLIENT, { plays: WRITES });
    await result;
    const { argv, environment } = fake.calls()[0]!;
    expect(settingsIn(argv)).toEqual({
      'mcp_servers.countersign_run.url': 'http://127.0.0.1:4717/mcp',
      'mcp_servers.countersign_run.bearer_token_env_var': 'COUNTERSIGN_RUN_TOKEN',
      'mcp_servers.countersign_run.required': true,
      'mcp_servers.countersign_run.startup_timeout_sec': 30,
      'mcp_servers.countersign_run.default_tools_approval_mode': 'approve',
    });
    expect(environment['COUNTERSIGN_RUN_TOKEN']).toBe(TOKEN);
    expect(argv.join(' ')).not.toContain(TOKEN);
  });

  it('gets the settings of the runner', async () => {
    const settings = { model: 'm', systemPrompt: 'Say "yes".\nBe brief.' };
    const { result, fake } = replay(CLIENT, { plays: WRITES, settings });
    await result;
    const { argv } = fake.calls()[0]!;
    expect(argv[argv.indexOf('--model') + 1]).toBe('m');
    expect(settingsIn(argv)['developer_instructions']).toBe('Say "yes".\nBe brief.');
  });

  it('without its tools is not counted as started', async () => {
    const { result, started } = replay(CLIENT, { plays: 'comes up without the tools' });
    await result;
    expect(started).toEqual([]);
  });

  it('is stopped from outside, with what it said before', async () => {
    const { result, ending, started } = replay(CLIENT, { plays: 'is terminated', stays: true });
    await until(() => started.length === 1, 'it runs');
    ending.abort('stop');
    expect(await result).toMatchObject({ kind: 'stopped', resultText: 'I wait.' });
  });

  it('that waited for its model when it was stopped failed for that', async () => {
    const recording = readRecording(CLIENT, 'is terminated');
    const wait = '{"type":"error","message":"Reconnecting... waiting for network (Connection failed)"}';
    const plays = { ...recording, stdout: [...recording.stdout.slice(0, 2), wait] };
    const { result, ending, started } = replay(CLIENT, { plays, stays: true });
    await until(() => started.length === 1, 'it runs');
    ending.abort('stop');
    expect(await result).toMatchObject({ kind: 'failed', cause: 'environment' });
  });

  it('that goes on after a failed turn has completed it', async () => {
    const failed = readRecording(CLIENT, 'meets a rate limit').stdout;
    const { stdout, ...rest } = readRecording(CLIENT, WRITES);
    expect(await executed({ plays: { ...rest, stdout: [...failed, ...stdout] } })).toMatchObject({
      kind: 'completed',
    });
  });

  it('is held to its output where the tools are missing', async () => {
    const schema = {
      type: 'object',
      properties: { score: { type: 'integer' } },
      required: ['score'],
      additionalProperties: false,
    };
    const { result, fake } = replay(CLIENT, {
      plays: ['comes up without the tools', 'is held to its output'],
      run: updateRun({ pointer: '/result', schema }),
    });
    expect(await result).toMatchObject({ kind: 'completed', stateValue: { score: 3 } });
    const { argv, files } = fake.calls()[1]!;
    expect(JSON.parse(files[argv[argv.indexOf('--output-schema') + 1]!]!.text)).toEqual(schema);
    expect(settingsIn(argv)).toEqual({});
  });
});

describe('what Codex finds configured', () => {
  const entry = (name: string, transport: object) => ({ name, enabled: true, transport });
  const http = (url: string, http_headers: object = {}) => ({ type: 'streamable_http', url, http_headers });
  const stdio = (command: string, args: string[], env: object | null = null) => ({
    type: 'stdio',
    command,
    args,
    env,
  });
  const FOUND = [
    entry('countersign', http('http://elsewhere.example/mcp')),
    entry('cs', http('http://localhost:4717/mcp')),
    entry('by-header', http('http://proxy.example/mcp', { 'X-Agent-Session-Name': 'root' })),
    entry('by.command', stdio('npx', ['countersign', 'mcp'])),
    entry('by-variable', stdio('node', ['mcp.js'], { AGENT_SESSION_NAME: 'root' })),
    entry('browser', stdio('npx', ['browser-mcp'])),
    entry('issues', http('https://issues.example/mcp')),
    entry('other-port', http('http://127.0.0.1:4718/mcp')),
  ];

  it('does not speak to the coordinator for somebody else, and is left alone otherwise', async () => {
    const { result, fake } = replay(CLIENT, { plays: WRITES, found: FOUND });
    await result;
    const off = Object.entries(settingsIn(fake.calls()[0]!.argv)).filter(([name]) =>
      name.endsWith('enabled'),
    );
    expect(off).toEqual([
      ['mcp_servers.countersign.enabled', false],
      ['mcp_servers.cs.enabled', false],
      ['mcp_servers.by-header.enabled', false],
      ['mcp_servers."by.command".enabled', false],
      ['mcp_servers.by-variable.enabled', false],
    ]);
  });

  it('keeps the run from beginning under the name of its own server', async () => {
    const found = [entry('countersign_run', http('http://127.0.0.1:4717/mcp'))];
    const { result, fake } = replay(CLIENT, { plays: WRITES, found });
    expect(await result).toMatchObject({
      kind: 'failed',
      cause: 'configuration',
      error: expect.stringContaining('Codex finds an MCP server "countersign_run"'),
    });
    expect(() => fake.calls()).toThrow(/ENOENT/);
  });

  it.each(['not what it says', {}, null])('is none where it says: %j', async (found) => {
    const { result, fake } = replay(CLIENT, { plays: WRITES, found });
    expect(await result).toMatchObject({ kind: 'completed' });
    expect(fake.calls()).toHaveLength(1);
  });
});

describe('Codex that has lost something', () => {
  it('begins afresh where there is no such thread', async () => {
    const run = { ...updateRun(null), recap: { prompts: ['Review.'], result_text: null } };
    const { result, fake } = replay(CLIENT, { plays: ['does not find its conversation', WRITES], run });
    expect(await result).toMatchObject({ kind: 'completed' });
    expect(fake.calls()[1]!.argv).not.toContain('resume');
    expect(fake.calls()[1]!.stdin).toContain('<earlier-task>\nReview.\n</earlier-task>');
  });

  it('has failed for its surroundings where its last call did not reach the state', async () => {
    const { stdout, ...rest } = readRecording(CLIENT, WRITES);
    const at = stdout.findLastIndex((line) => /"item\.completed".*"mcp_tool_call"/.test(line));
    const event = JSON.parse(stdout[at]!);
    const error = { message: 'tool call failed: error sending request for url' };
    const failed = { ...event, item: { ...event.item, error, result: null, status: 'failed' } };
    const lost = stdout.with(at, JSON.stringify(failed));
    expect(await executed({ plays: { ...rest, stdout: lost } })).toMatchObject({
      kind: 'failed',
      cause: 'environment',
      error: expect.stringContaining('without the tools of the state'),
    });
  });
});
