import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { CLAUDE_CODE_SCENARIOS } from './claude-code-scenarios.js';
import { readRecording } from './recording.js';
import { replay, TOKEN, updateRun, type Replay } from './replay.js';
import { until } from '../until.js';

const CLIENT = 'claude-code';
const WRITES = 'writes after a refusal';
const executed = (given: Replay) => replay(CLIENT, given).result;

describe('Claude Code', () => {
  it.each(CLAUDE_CODE_SCENARIOS)('that $name is understood', async ({ name, expected, heldTo }) => {
    const held = heldTo === undefined ? {} : { run: updateRun(heldTo), recordBy: 'output' as const };
    expect(await executed({ plays: name, ...held })).toMatchObject(expected);
  });

  it('is started under an id of its own choice, which is told when it runs', async () => {
    const { result, started, fake } = replay(CLIENT, { plays: WRITES });
    await result;
    const [call] = fake.calls();
    const at = call!.argv.indexOf('--session-id');
    expect(call!.argv.slice(0, 4)).toEqual(['--print', '--output-format', 'stream-json', '--verbose']);
    expect(started).toEqual([call!.argv[at + 1]]);
    expect(call!.stdin).toBe('Do it.');
    expect(call!.argv).not.toContain('--resume');
  });

  it('goes on with the conversation that its session is bound to', async () => {
    const id = '6f6b1c6e-7f0c-4c6a-9d0e-0d7f6f0a3c11';
    const run = { type: 'resume_session', executor_session_id: id } as const;
    const { result, started, fake } = replay(CLIENT, { plays: 'goes on with a conversation', run });
    await result;
    const { argv } = fake.calls()[0]!;
    expect(argv[argv.indexOf('--resume') + 1]).toBe(id);
    expect(argv).not.toContain('--session-id');
    expect(started).toEqual([id]);
  });

  it('begins anew where a start is tried again, or where nothing was ever begun', async () => {
    const bound = 'e3b0c442-98fc-4c14-9afb-f4c8996fb924';
    const again = replay(CLIENT, { plays: WRITES, run: { attempt: 2, executor_session_id: bound } });
    const never = replay(CLIENT, { plays: WRITES, run: { type: 'resume_session' } });
    await Promise.all([again.result, never.result]);
    for (const { fake } of [again, never]) {
      expect(fake.calls()[0]!.argv).toContain('--session-id');
      expect(fake.calls()[0]!.argv).not.toContain(bound);
    }
  });

  it('gets the tools of the state by a private file that is gone afterwards', async () => {
    const { result, fake } = replay(CLIENT, { plays: WRITES });
    await result;
    const { argv, files } = fake.calls()[0]!;
    const file = argv[argv.indexOf('--mcp-config') + 1]!;
    expect(JSON.parse(files[file]!.text)).toEqual({
      mcpServers: {
        countersign_run: {
          type: 'http',
          url: 'http://127.0.0.1:4717/mcp',
          headers: { Authorization: `Bearer ${TOKEN}` },
          alwaysLoad: true,
        },
      },
    });
    expect(files[file]!.mode).toBe(0o600);
    expect(argv).toContain('--strict-mcp-config');
    expect(argv.join(' ')).not.toContain(TOKEN);
    expect(existsSync(path.dirname(file))).toBe(false);
  });

  it('may use them unasked, and the command in their place', async () => {
    const { result, fake } = replay(CLIENT, { plays: WRITES });
    await result;
    const { argv, files } = fake.calls()[0]!;
    const settings = JSON.parse(files[argv[argv.indexOf('--settings') + 1]!]!.text);
    expect(settings.permissions.allow).toEqual(['mcp__countersign_run', 'Bash(countersign state:*)']);
  });

  it('is reminded once by a stop hook where a result is asked for, and its tools are there', async () => {
    const settingsOf = async (run: Replay['run'], recordBy: 'tools' | 'output' = 'tools') => {
      const { result, fake } = replay(CLIENT, { plays: WRITES, recordBy, ...(run && { run }) });
      await result;
      const { argv, files } = fake.calls()[0]!;
      return JSON.parse(files[argv[argv.indexOf('--settings') + 1]!]!.text);
    };
    const command = 'countersign hook stop --client claude-code --wait 0s';
    expect((await settingsOf(updateRun(undefined))).hooks).toEqual({
      Stop: [{ hooks: [{ type: 'command', command, timeout: 60 }] }],
    });
    expect(await settingsOf(undefined)).not.toHaveProperty('hooks');
    const held = updateRun({ pointer: '/result', schema: { type: 'object' } });
    expect(await settingsOf(held, 'output')).not.toHaveProperty('hooks');
  });

  it('gets the settings of the runner, and further arguments after its own', async () => {
    const settings = { model: 'm', systemPrompt: 'Be brief.', args: ['--permission-mode', 'acceptEdits'] };
    const { result, fake } = replay(CLIENT, { plays: WRITES, settings });
    await result;
    expect(fake.calls()[0]!.argv.slice(-6)).toEqual([
      '--model',
      'm',
      '--append-system-prompt',
      'Be brief.',
      '--permission-mode',
      'acceptEdits',
    ]);
  });

  it('is what a named agent says, before the runner', async () => {
    const { result, fake } = replay(CLIENT, {
      plays: WRITES,
      settings: { model: 'm', args: ['--max-turns', '5'] },
      agent: {
        name: 'reviewer',
        command: null,
        args: ['--verbose-too'],
        model: 'large',
        systemPrompt: 'Be kind.',
        mcpServers: {
          web: { type: 'http', url: 'https://web.example/mcp' },
          files: { type: 'stdio', command: 'files', args: ['.'] },
          countersign_run: { type: 'stdio', command: 'other' },
        },
      },
    });
    await result;
    const { argv, files } = fake.calls()[0]!;
    expect(argv.slice(-7)).toEqual([
      ...['--model', 'large', '--append-system-prompt', 'Be kind.'],
      ...['--max-turns', '5', '--verbose-too'],
    ]);
    const { mcpServers } = JSON.parse(files[argv[argv.indexOf('--mcp-config') + 1]!]!.text);
    expect(mcpServers).toMatchObject({
      web: { type: 'http', url: 'https://web.example/mcp', headers: {} },
      files: { type: 'stdio', command: 'files', args: ['.'], env: {} },
      countersign_run: { type: 'http', url: 'http://127.0.0.1:4717/mcp' },
    });
    const settings = JSON.parse(files[argv[argv.indexOf('--settings') + 1]!]!.text);
    expect(settings.permissions.allow).toContain('mcp__files');
  });

  it('has the context of its run in the environment, and nothing of an agent that the runner runs in', async () => {
    process.env['CLAUDECODE'] = '1';
    try {
      const { result, fake } = replay(CLIENT, { plays: WRITES });
      await result;
      const { environment } = fake.calls()[0]!;
      expect(environment).toMatchObject({ AGENT_SESSION_NAME: 'child', COUNTERSIGN_RUN_PURPOSE: 'work' });
      expect(environment).toMatchObject({
        DISABLE_AUTOUPDATER: '1',
        // It waits for its tools before it begins.
        MCP_CONNECTION_NONBLOCKING: '0',
        MCP_CONNECT_TIMEOUT_MS: '30000',
      });
      expect(environment).not.toHaveProperty('CLAUDECODE');
    } finally {
      delete process.env['CLAUDECODE'];
    }
  });
});

describe('Claude Code without its tools', () => {
  it('is ended before it does anything, and is not counted as started', async () => {
    const { result, started } = replay(CLIENT, { plays: 'comes up without the tools', stays: true });
    expect(await result).toMatchObject({ kind: 'failed', cause: 'environment' });
    expect(started).toEqual([]);
  });

  const LOST = {
    kind: 'failed',
    cause: 'environment',
    error: expect.stringContaining('without the tools of the state'),
  };
  const CONNECTED = '"status":"connected"';
  const PENDING = '"status":"pending"';

  it('is known at the end where the server never came to connect', async () => {
    const { stdout, ...rest } = readRecording(CLIENT, 'goes on with a conversation');
    const pending = stdout.map((line) => line.replace(CONNECTED, PENDING));
    expect(pending.join()).not.toBe(stdout.join());
    expect(await executed({ plays: { ...rest, stdout: pending } })).toMatchObject(LOST);
    // They are there in the next run of the same conversation: nothing was spent.
    expect(await executed({ plays: { ...rest, stdout } })).toMatchObject({ kind: 'completed' });
  });

  it('is not held against one that gets them while it works', async () => {
    const { stdout, ...rest } = readRecording(CLIENT, WRITES);
    const late = stdout.map((line) => line.replace(CONNECTED, PENDING));
    expect(await executed({ plays: { ...rest, stdout: late } })).toMatchObject({ kind: 'completed' });
  });

  it('is told by a server that connects and offers none', async () => {
    const { stdout, ...rest } = readRecording(CLIENT, WRITES);
    const bare = stdout.map((line) => {
      const event = JSON.parse(line);
      const tools = (event.tools ?? []).filter((name: string) => !name.startsWith('mcp__'));
      return event.subtype === 'init' ? JSON.stringify({ ...event, tools }) : line;
    });
    expect(await executed({ plays: { ...rest, stdout: bare } })).toMatchObject(LOST);
  });

  it.each(['Connection closed', 'MCP server "countersign_run" is not connected', 'HTTP 502'])(
    'is told by its last call, which failed with: %s',
    async (failure) => {
      const { stdout, ...rest } = readRecording(CLIENT, WRITES);
      const at = stdout.findLastIndex((line) => line.includes('"tool_result"'));
      const event = JSON.parse(stdout[at]!);
      event.message.content = [{ ...event.message.content[0], is_error: true, content: failure }];
      const lost = stdout.with(at, JSON.stringify(event));
      expect(await executed({ plays: { ...rest, stdout: lost } })).toMatchObject(LOST);
    },
  );

  it.each(['needs-auth', 'disabled'])('is told by the status %s too', async (status) => {
    const recording = readRecording(CLIENT, WRITES);
    const stdout = recording.stdout.map((line) =>
      line.replace('"status":"connected"', `"status":"${status}"`),
    );
    expect(await executed({ plays: { ...recording, stdout } })).toMatchObject({ cause: 'environment' });
  });
});

describe('an end from outside', () => {
  it('is a stop, with what was said before', async () => {
    const { result, ending, started } = replay(CLIENT, { plays: 'is terminated', stays: true });
    await until(() => started.length === 1, 'it runs');
    ending.abort('stop');
    expect(await result).toMatchObject({ kind: 'stopped', resultText: 'I wait.' });
  });

  it('is none where its result was there, and its process did not end', async () => {
    expect(await executed({ plays: WRITES, stays: true })).toMatchObject({ kind: 'completed' });
  });

  it('is the failure of its model where it was waiting for that', async () => {
    const recording = readRecording(CLIENT, 'meets a rate limit');
    const at = recording.stdout.findIndex((line) => line.includes('api_retry'));
    const plays = { ...recording, stdout: recording.stdout.slice(0, at + 1) };
    const { result, ending, started } = replay(CLIENT, { plays, stays: true });
    await until(() => started.length === 1, 'it runs');
    ending.abort('stop');
    expect(await result).toMatchObject({
      kind: 'failed',
      cause: 'rate_limit',
      error: expect.stringContaining('trying again to reach its model (rate_limit, status 429)'),
    });
    const late = { plays, stays: true, run: { timeout_ms: 3000 } };
    expect(await executed(late)).toMatchObject({ kind: 'failed', cause: 'rate_limit' });
  });

  it('needs no coordinator when the time of the run is up', async () => {
    const given = { plays: 'is terminated', stays: true, run: { timeout_ms: 3000 } };
    expect(await executed(given)).toMatchObject({ kind: 'failed', cause: 'agent', error: 'timed out' });
  });
});

describe('what no client should do', () => {
  const nothing = { version: '', stdout: [], stderr: '', exit_code: 0, exit_signal: null };

  it('to end without a word is a failure of its surroundings', async () => {
    expect(await executed({ plays: nothing })).toMatchObject({
      kind: 'failed',
      cause: 'environment',
      error: 'Claude Code ended without telling its result: exit code 0',
    });
  });

  it('to report its result in a line that is too long is told, and not tried again', async () => {
    const { stdout, ...rest } = readRecording(CLIENT, WRITES);
    const long = stdout.map((line) =>
      line.includes('"type":"result"') ? line.replace('{', `{"x":"${'x'.repeat(8 * 1024 * 1024)}",`) : line,
    );
    expect(await executed({ plays: { ...rest, stdout: long } })).toMatchObject({
      kind: 'failed',
      cause: 'agent',
      error: expect.stringContaining('a line of its output has more than 8388608 characters'),
    });
  });

  it('to print what is no JSON between its events does no harm', async () => {
    const { stdout, ...rest } = readRecording(CLIENT, WRITES);
    const noisy = stdout.flatMap((line) => ['warning: noise', '{"half', '[]', 'null', '{}', line]);
    expect(await executed({ plays: { ...rest, stdout: noisy } })).toMatchObject({
      kind: 'completed',
      resultData: { score: 1 },
    });
  });

  it('an id that is in use is told in its own words', async () => {
    const stderr = 'Error: Session ID 1 is already in use.\n';
    expect(await executed({ plays: { ...nothing, stderr, exit_code: 1 } })).toMatchObject({
      cause: 'environment',
      error: expect.stringContaining('already in use'),
    });
  });
});

describe('a result that is recorded by the output', () => {
  const contract = {
    pointer: '/result',
    schema: { type: 'object', properties: { score: { type: 'integer' } }, required: ['score'] },
  };
  const HELD = 'is held to its output';
  const LOST = 'comes up without the tools';

  it('is asked for in the same conversation and run where the tools are missing', async () => {
    const { result, started, fake } = replay(CLIENT, { plays: [LOST, HELD], run: updateRun(contract) });
    expect(await result).toMatchObject({ kind: 'completed', stateValue: { score: 3 } });
    const [first, second] = fake.calls();
    expect(first!.argv).toContain('--mcp-config');
    expect(second!.argv).not.toContain('--mcp-config');
    expect(second!.argv[second!.argv.indexOf('--json-schema') + 1]).toBe(JSON.stringify(contract.schema));
    expect(second!.argv[second!.argv.indexOf('--resume') + 1]).toBe(started[0]);
    expect(second!.stdin).toMatch(/^Do it\.\n\nIn this run you have no tool to write with.* at \/result\./);
    expect(started).toHaveLength(1);
  });

  it('is not asked for where the tools are there', async () => {
    const { result, fake } = replay(CLIENT, { plays: 'writes after a refusal', run: updateRun(contract) });
    expect(await result).not.toHaveProperty('stateValue');
    expect(fake.calls()).toHaveLength(1);
  });

  it.each([
    ['work', { contract }],
    ['a request without a contract', updateRun(null)],
  ])('cannot be asked for in %s: without tools that is a failure of the surroundings', async (_, run) => {
    const { result, fake } = replay(CLIENT, { plays: [LOST, HELD], run });
    expect(await result).toMatchObject({ kind: 'failed', cause: 'environment' });
    expect(fake.calls()).toHaveLength(1);
  });

  it('is not there where the agent answers in prose', async () => {
    const { result } = replay(CLIENT, {
      plays: 'answers in prose all the same',
      run: updateRun(contract),
      recordBy: 'output',
    });
    expect(await result).not.toHaveProperty('stateValue');
  });
});

describe('a conversation that is not there', () => {
  const GONE = 'does not find its conversation';
  const recap = {
    prompts: ['Review the bridge.', 'Look at its piers.'],
    result_text: 'It stands.</earlier-said>',
  };

  it('is begun afresh with a recap, in the same run', async () => {
    const run = { ...updateRun(null), recap };
    const { result, started, fake } = replay(CLIENT, { plays: [GONE, WRITES], run });
    expect(await result).toMatchObject({ kind: 'completed' });
    const [first, second] = fake.calls();
    expect(first!.argv).toContain('--resume');
    expect(second!.argv).not.toContain('--resume');
    expect(started).toEqual([second!.argv[second!.argv.indexOf('--session-id') + 1]]);
    expect(second!.stdin).toContain('<earlier-task>\nReview the bridge.\n</earlier-task>');
    expect(second!.stdin).toContain('<earlier-task>\nLook at its piers.\n</earlier-task>');
    expect(second!.stdin).toContain('<earlier-said>\nIt stands.<\\/earlier-said>\n</earlier-said>');
    expect(second!.stdin).toMatch(/\n\nDo it\.$/);
  });

  it('is not looked for twice', async () => {
    const { result, fake } = replay(CLIENT, { plays: GONE, run: { ...updateRun(null), recap } });
    expect(await result).toMatchObject({ kind: 'failed', cause: 'environment' });
    expect(fake.calls()).toHaveLength(2);
  });

  it('that was never begun is begun with a recap as well', async () => {
    const run = { ...updateRun(null), executor_session_id: null, recap };
    const { result, fake } = replay(CLIENT, { plays: WRITES, run });
    await result;
    expect(fake.calls()[0]!.stdin).toContain('Review the bridge.');
  });
});

describe('what is configured by the user or in the project', () => {
  it('does not say for whom the commands of a run speak', async () => {
    const { result, fake } = replay(CLIENT, { plays: WRITES });
    await result;
    const { argv, files } = fake.calls()[0]!;
    const file = files[argv[argv.indexOf('--settings') + 1]!]!;
    expect(JSON.parse(file.text).env).toEqual({
      AGENT_SESSION_NAME: 'child',
      COUNTERSIGN_URL: 'http://127.0.0.1:4717',
      COUNTERSIGN_TOKEN: TOKEN,
    });
    expect(file.mode).toBe(0o600);
  });
});
