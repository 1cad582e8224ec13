import { existsSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GEMINI_SCENARIOS } from './gemini-scenarios.js';
import { readRecording } from './recording.js';
import { replay, TOKEN, updateRun, type Replay } from './replay.js';
import { settingsFor } from './scenario.js';

const CLIENT = 'gemini';
const WRITES = 'writes after a refusal';
const executed = (given: Replay) => replay(CLIENT, given).result;
const home = mkdtempSync(path.join(tmpdir(), 'countersign-gemini-'));
const users = path.join(home, '.gemini');
const before = process.env['GEMINI_CLI_HOME'];

beforeAll(() => {
  process.env['GEMINI_CLI_HOME'] = home;
  mkdirSync(users);
  writeFileSync(path.join(users, 'oauth_creds.json'), 'a login');
  const settings = {
    security: { auth: { selectedType: 'x' } },
    general: { vimMode: true },
    mcpServers: { mine: {} },
  };
  writeFileSync(path.join(users, 'settings.json'), JSON.stringify(settings));
});
afterAll(() => {
  if (before === undefined) delete process.env['GEMINI_CLI_HOME'];
  else process.env['GEMINI_CLI_HOME'] = before;
});

describe('Gemini CLI', () => {
  it.each(GEMINI_SCENARIOS)('that $name is understood', async (scenario) => {
    const settings = settingsFor(scenario, 'http://127.0.0.1:1/mcp');
    expect(await executed({ plays: scenario.name, settings })).toMatchObject(scenario.expected);
  });

  it('is started under an id of its own choice, with the prompt on standard input', async () => {
    const { result, started, fake } = replay(CLIENT, { plays: WRITES });
    await result;
    const { argv, stdin } = fake.calls()[0]!;
    expect(argv.slice(0, 3)).toEqual(['--output-format', 'stream-json', '--skip-trust']);
    expect(started).toEqual([argv[argv.indexOf('--session-id') + 1]]);
    expect(argv).not.toContain('--resume');
    expect(stdin).toBe('Do it.');
  });

  it('goes on with the conversation that its session is bound to', async () => {
    const id = '6f6b1c6e-7f0c-4c6a-9d0e-0d7f6f0a3c11';
    const run = { type: 'resume_session', executor_session_id: id } as const;
    const { result, fake, started } = replay(CLIENT, { plays: 'goes on with a conversation', run });
    await result;
    const { argv } = fake.calls()[0]!;
    expect(argv[argv.indexOf('--resume') + 1]).toBe(id);
    expect(argv).not.toContain('--session-id');
    expect(started).toEqual([id]);
  });

  it("has a home for the run: the user's own with the state's tools, and gone afterwards", async () => {
    const { result, fake } = replay(CLIENT, { plays: WRITES });
    await result;
    const { argv, environment, files } = fake.calls()[0]!;
    expect(environment['GEMINI_CLI_HOME']).not.toBe(home);
    expect(existsSync(environment['GEMINI_CLI_HOME']!)).toBe(false);
    expect(files['oauth_creds.json']!.text).toBe('a login');
    expect(files['settings.json']!.mode).toBe(0o600);
    expect(JSON.parse(files['settings.json']!.text)).toEqual({
      security: { auth: { selectedType: 'x' } },
      general: { vimMode: true, enableAutoUpdate: false, enableAutoUpdateNotification: false },
      tools: { allowed: ['run_shell_command(countersign state)'] },
      mcpServers: {
        mine: {},
        countersign_run: {
          httpUrl: 'http://127.0.0.1:4717/mcp',
          headers: { Authorization: `Bearer ${TOKEN}` },
          trust: true,
        },
      },
    });
    expect(argv.join(' ')).toContain('--allowed-mcp-server-names countersign_run');
    expect(argv.join(' ')).not.toContain(TOKEN);
    // Conversations stay where they are found again.
    expect(readdirSync(users).sort()).toEqual(['history', 'oauth_creds.json', 'settings.json', 'tmp']);
  });

  it('is what a named agent says', async () => {
    const { result, fake } = replay(CLIENT, {
      plays: WRITES,
      agent: {
        name: 'a',
        command: null,
        args: ['--approval-mode', 'auto_edit'],
        model: 'large',
        systemPrompt: 'Be kind.',
        mcpServers: {
          web: { type: 'http', url: 'https://web.example/mcp' },
          files: { type: 'stdio', command: 'files', args: ['.'] },
        },
      },
    });
    await result;
    const { argv, files } = fake.calls()[0]!;
    expect(argv.join(' ')).toMatch(
      /--model large --allowed-mcp-server-names web .*files .*countersign_run --approval-mode auto_edit$/,
    );
    expect(files['COUNTERSIGN.md']!.text).toBe('Be kind.');
    const settings = JSON.parse(files['settings.json']!.text);
    expect(settings.context.fileName).toEqual(['GEMINI.md', 'COUNTERSIGN.md']);
    expect(settings.mcpServers).toMatchObject({
      web: { httpUrl: 'https://web.example/mcp', trust: true },
      files: { command: 'files', args: ['.'], trust: true },
    });
  });

  it('is ended at once when its tools did not connect', async () => {
    const { result } = replay(CLIENT, { plays: 'comes up without the tools', stays: true });
    expect(await result).toMatchObject({ kind: 'failed', cause: 'environment' });
  });

  it('is ended at once when its log says so, where another server may be meant', async () => {
    const settings = settingsFor({ beside: 'else' }, 'http://127.0.0.1:1/mcp');
    const { result, fake } = replay(CLIENT, { plays: 'comes up without any server', stays: true, settings });
    expect(await result).toMatchObject({ kind: 'failed', cause: 'environment' });
    expect(existsSync(fake.calls()[0]!.environment['GEMINI_DEBUG_LOG_FILE']!)).toBe(false);
  });

  it('writes no log where there is one server only', async () => {
    const { result, fake } = replay(CLIENT, { plays: WRITES });
    await result;
    expect(fake.calls()[0]!.environment['GEMINI_DEBUG_LOG_FILE']).toBeUndefined();
  });

  it('that has used up its turns has failed by itself', async () => {
    const { stdout, ...rest } = readRecording(CLIENT, WRITES);
    const cut = { ...rest, stdout: stdout.slice(0, -1), exit_code: 53 };
    expect(await executed({ plays: cut })).toMatchObject({ kind: 'failed', cause: 'agent' });
  });

  it('understands comments in the settings of the user, and says what it cannot read', async () => {
    const file = path.join(users, 'settings.json');
    writeFileSync(file, '{\n  // Mine.\n  "general": { "vimMode": true /* always */ }\n}\n');
    const { result, fake } = replay(CLIENT, { plays: WRITES });
    expect(await result).toMatchObject({ kind: 'completed' });
    expect(JSON.parse(fake.calls()[0]!.files['settings.json']!.text).general.vimMode).toBe(true);
    writeFileSync(file, '{ "general": ');
    await expect(executed({ plays: WRITES })).rejects.toThrow(/settings\.json is not a JSON object/);
    writeFileSync(file, '{}');
  });

  it('is not run where the project has a server under the name of its own, which would win', async () => {
    const { result, fake } = replay(CLIENT, {
      plays: WRITES,
      projectFiles: { '.gemini/settings.json': '{ // Ours.\n"mcpServers": { "countersign_run": {} } }' },
    });
    expect(await result).toMatchObject({
      kind: 'failed',
      cause: 'configuration',
      error: expect.stringContaining('Gemini CLI finds an MCP server "countersign_run"'),
    });
    expect(() => fake.calls()).toThrow(/ENOENT/);
    const other = replay(CLIENT, {
      plays: WRITES,
      projectFiles: { '.gemini/settings.json': '{"mcpServers": {"countersign": {}}}' },
    });
    expect(await other.result).not.toMatchObject({ cause: 'configuration' });
  });

  it('that was out of time before it began has failed for its surroundings', async () => {
    const nothing = { version: '', stdout: [], stderr: '', exit_code: 0, exit_signal: null };
    const run = { ...updateRun(null), timeout_ms: 300 };
    expect(await executed({ plays: nothing, stays: true, run })).toMatchObject({
      kind: 'failed',
      cause: 'environment',
      error: expect.stringContaining('had not begun'),
    });
  });

  it('has failed for them where its last call did not reach the state', async () => {
    const { stdout, ...rest } = readRecording(CLIENT, WRITES);
    const at = stdout.findLastIndex((line) => line.includes('"tool_result"'));
    const error = { type: 'mcp_tool_error', message: 'MCP error -32000: Connection closed' };
    const lost = stdout.with(at, JSON.stringify({ ...JSON.parse(stdout[at]!), status: 'error', error }));
    expect(await executed({ plays: { ...rest, stdout: lost } })).toMatchObject({
      kind: 'failed',
      cause: 'environment',
      error: expect.stringContaining('without the tools of the state'),
    });
  });

  it('begins afresh where it has no such conversation', async () => {
    const run = { ...updateRun(null), recap: { prompts: ['Review.'], result_text: 'Done.' } };
    const { result, started, fake } = replay(CLIENT, {
      plays: ['does not find its conversation', WRITES],
      run,
    });
    expect(await result).toMatchObject({ kind: 'completed' });
    const { argv, stdin } = fake.calls()[1]!;
    expect(started).toEqual([argv[argv.indexOf('--session-id') + 1]]);
    expect(stdin).toContain('<earlier-task>\nReview.\n</earlier-task>');
  });
});
