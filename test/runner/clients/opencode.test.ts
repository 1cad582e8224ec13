import { describe, expect, it } from 'vitest';
import { OPENCODE_SCENARIOS } from './opencode-scenarios.js';
import { readRecording } from './recording.js';
import { TOKEN, replay, updateRun, type Replay } from './replay.js';
import { settingsFor } from './scenario.js';

const CLIENT = 'opencode';
const WRITES = 'writes after a refusal';
const executed = (given: Replay) => replay(CLIENT, given).result;

describe('opencode', () => {
  it.each(OPENCODE_SCENARIOS)('that $name is understood', async (scenario) => {
    const settings = settingsFor(scenario, 'http://127.0.0.1:1/mcp');
    expect(await executed({ plays: scenario.name, settings })).toMatchObject(scenario.expected);
  });

  it('chooses the id of its conversation, and gets the prompt on standard input', async () => {
    const { result, started, fake } = replay(CLIENT, { plays: WRITES });
    await result;
    const { argv, stdin } = fake.calls()[0]!;
    expect(argv).toEqual(['run', '--format', 'json', '--print-logs', '--log-level', 'WARN']);
    expect(stdin).toBe('Do it.');
    expect(started).toHaveLength(1);
  });

  it('goes on with the conversation that its session is bound to', async () => {
    const run = { type: 'resume_session', executor_session_id: 'ses_1' } as const;
    const { result, fake } = replay(CLIENT, { plays: 'goes on with a conversation', run });
    await result;
    const { argv } = fake.calls()[0]!;
    expect(argv[argv.indexOf('--session') + 1]).toBe('ses_1');
  });

  it('gets the tools of the state by its environment, and does not update itself', async () => {
    const { result, fake } = replay(CLIENT, { plays: WRITES });
    await result;
    const { environment, argv } = fake.calls()[0]!;
    const { permission, ...config } = JSON.parse(environment['OPENCODE_CONFIG_CONTENT']!);
    expect(config).toEqual({
      autoupdate: false,
      share: 'disabled',
      mcp: {
        countersign: { enabled: false },
        countersign_run: {
          type: 'remote',
          url: 'http://127.0.0.1:4717/mcp',
          headers: { Authorization: `Bearer ${TOKEN}` },
          enabled: true,
          oauth: false,
        },
      },
    });
    // The last that fits counts: no other entry offers tools of the state.
    expect(Object.entries(permission).at(-1)).toEqual(['countersign_run_*', 'allow']);
    expect(permission).toMatchObject({ '*_state_patch': 'deny', '*_start_agent_session': 'deny' });
    expect(environment['OPENCODE_DISABLE_AUTOUPDATE']).toBe('1');
    expect(argv.join(' ')).not.toContain(TOKEN);
  });

  it('is what a named agent says', async () => {
    const { result, fake } = replay(CLIENT, {
      plays: WRITES,
      agent: {
        name: 'a',
        command: null,
        args: ['--variant', 'high'],
        model: 'p/large',
        systemPrompt: 'Be kind.',
        mcpServers: {
          web: { type: 'http', url: 'https://web.example/mcp', headers: { k: 'v' } },
          files: { type: 'stdio', command: 'files', args: ['.'], env: { A: 'b' } },
        },
      },
    });
    await result;
    const { argv, environment } = fake.calls()[0]!;
    expect(argv.slice(-4)).toEqual(['--model', 'p/large', '--variant', 'high']);
    const config = JSON.parse(environment['OPENCODE_CONFIG_CONTENT']!);
    expect(config.instructions).toEqual([expect.stringMatching(/\/system-prompt\.md$/)]);
    expect(config.mcp).toMatchObject({
      web: { type: 'remote', url: 'https://web.example/mcp', headers: { k: 'v' } },
      files: { type: 'local', command: ['files', '.'], environment: { A: 'b' } },
    });
  });

  it('is ended at once when its tools did not connect', async () => {
    const { result } = replay(CLIENT, { plays: 'comes up without the tools', stays: true });
    expect(await result).toMatchObject({ kind: 'failed', cause: 'environment' });
  });

  it('has failed for its surroundings where its last call did not reach the state', async () => {
    const { stdout, ...rest } = readRecording(CLIENT, WRITES);
    const at = stdout.findLastIndex((line) => line.includes('"tool":"countersign_run_'));
    const event = JSON.parse(stdout[at]!);
    const state = { ...event.part.state, status: 'error', error: 'fetch failed' };
    const lost = stdout.with(at, JSON.stringify({ ...event, part: { ...event.part, state } }));
    expect(await executed({ plays: { ...rest, stdout: lost } })).toMatchObject({
      kind: 'failed',
      cause: 'environment',
      error: expect.stringContaining('without the tools of the state'),
    });
  });

  it('begins afresh where there is no such session', async () => {
    const run = { ...updateRun(null), recap: { prompts: ['Review.'], result_text: null } };
    const { result, fake } = replay(CLIENT, { plays: ['does not find its conversation', WRITES], run });
    expect(await result).toMatchObject({ kind: 'completed' });
    expect(fake.calls()[1]!.argv).not.toContain('--session');
    expect(fake.calls()[1]!.stdin).toContain('<earlier-task>\nReview.\n</earlier-task>');
  });

  it('that stops for another reason than its own has failed', async () => {
    const { stdout, ...rest } = readRecording(CLIENT, WRITES);
    const cut = stdout.map((line) => line.replace('"reason":"stop"', '"reason":"length"'));
    expect(await executed({ plays: { ...rest, stdout: cut } })).toMatchObject({
      kind: 'failed',
      cause: 'agent',
      error: 'opencode: the turn ended for length',
    });
  });
});
