import { describe, expect, it } from 'vitest';
import type { AgentCall } from '../../../src/agent-clients/runs/agent-cli.js';
import { AGENT_CLIENTS, reservedByRunner } from '../../../src/agent-clients/index.js';

/** Set by the runner too, and of no harm where a user says them once more. */
const USERS_TOO = new Set([
  '--print',
  '--verbose',
  '--model',
  '--append-system-prompt',
  '--skip-git-repo-check',
  '--skip-trust',
  '--print-logs',
]);

const flagsOf = (executor: string, args: readonly string[]) =>
  reservedByRunner(executor, args).map(({ index, flag }) => `${String(index)} ${flag}`);

function call(more: Partial<AgentCall>): AgentCall {
  return {
    prompt: 'Do it.',
    purpose: 'state_update',
    conversationId: 'c1',
    resumes: false,
    settings: { model: 'm', systemPrompt: 'Be brief.', args: [] },
    outputSchema: null,
    mcp: { url: 'http://127.0.0.1:1/mcp', token: 't' },
    identity: {},
    configuredServers: [{ name: 'countersign', entry: {} }],
    folder: '/f',
    ...more,
  };
}

describe('flags that the runner sets', () => {
  it.each(AGENT_CLIENTS.map((cli) => [cli.name, cli] as const))(
    "of %s are the user's too, or refused",
    (type, cli) => {
      const calls = [call({}), call({ resumes: true }), call({ outputSchema: { type: 'object' } })];
      const set = calls.flatMap((one) => {
        const { args } = cli.invoke(one);
        const taken = new Set(reservedByRunner(type, args).map(({ index }) => index));
        return args.filter((arg, at) => arg.startsWith('--') && !USERS_TOO.has(arg) && !taken.has(at));
      });
      // Of the settings of Codex only the servers are the runner's own.
      expect([...new Set(set)]).toEqual(type === 'codex' ? ['--config'] : []);
    },
  );

  it('are known for each client, and for no other executor', () => {
    for (const { reservedFlags: taken } of AGENT_CLIENTS) expect(taken.length).toBeGreaterThan(0);
    expect(flagsOf('command', ['--settings', 'x'])).toEqual([]);
    expect(flagsOf('constructor', ['--settings', 'x'])).toEqual([]);
  });

  it('are found however they are written', () => {
    const args = [
      '--model',
      'm',
      '--settings={}',
      '-r',
      'x',
      '-rx',
      '--resume',
      'x',
      '--settings-not',
      '--print',
    ];
    expect(flagsOf('claude-code', args)).toEqual(['2 --settings', '3 -r', '5 -r', '6 --resume']);
    expect(flagsOf('claude-code', ['--', '--settings', 'x'])).toEqual([]);
  });

  it('are of a setting of Codex only its servers as a whole, and that of the state', () => {
    const taken = [
      ['-c', 'mcp_servers={}'],
      ['-cmcp_servers.countersign.url="x"'],
      ['-cmcp_servers.countersign_run.url="x"'],
      ['--config=mcp_servers.countersign={}'],
      ['--config', 'mcp_servers."countersign".required=false'],
    ];
    for (const args of taken) expect(reservedByRunner('codex', args)).toHaveLength(1);
    const free = [
      ['-c', 'mcp_servers.mine.url="x"'],
      ['-c', 'model_reasoning_effort="high"'],
      ['-c'],
      ['--config'],
    ];
    for (const args of free) expect(reservedByRunner('codex', args)).toEqual([]);
  });
});
