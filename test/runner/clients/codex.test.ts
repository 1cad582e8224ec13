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
      usage: { input_tokens: 30, whole_conversation: true, turns: 1, duration_ms: expect.any(Number) },
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
    const given = argv.filter((one) => /^mcp_servers\.(?!countersign)/.test(one));
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
      'mcp_servers.countersign.url': 'http://127.0.0.1:4717/mcp',
      'mcp_servers.countersign.bearer_token_env_var': 'COUNTERSIGN_TOKEN',
      'mcp_servers.countersign.required': true,
      'mcp_servers.countersign.default_tools_approval_mode': 'approve',
    });
    expect(environment['COUNTERSIGN_TOKEN']).toBe(TOKEN);
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
