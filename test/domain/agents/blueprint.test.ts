import { describe, expect, it } from 'vitest';
import { reservedByRunner } from '../../../src/agent-clients/index.js';
import { faultsOf as faultsWith, type Blueprint } from '../../../src/domain/agents/blueprint.js';

const http = (url: string, headers: Record<string, string> = {}) =>
  ({ executor: 'x', mcp_servers: { s: { type: 'http', url, headers } } }) as const;

const faultsOf = (blueprint: Blueprint) => faultsWith(blueprint, reservedByRunner);

describe('an agent of the right form', () => {
  it('may name what a run knows, and the variables that it lists', () => {
    expect(
      faultsOf({
        ...http('${COUNTERSIGN_URL}/mcp', { Authorization: 'Bearer ${env:KEY}' }),
        environment: ['KEY'],
      }),
    ).toEqual([]);
  });

  it('is told each placeholder that nothing stands for, by its place', () => {
    const faults = faultsOf(http('${HOME}/${COUNTERSIGN_URL}', { 'a/b': 'x ${env:KEY}', c: '${' }));
    expect(faults.map(({ pointer, message }) => `${pointer} ${message}`)).toEqual([
      '/mcp_servers/s/url has the placeholder ${HOME}, which nothing stands for',
      '/mcp_servers/s/headers/a~1b names the variable KEY, which is not listed in /environment',
      '/mcp_servers/s/headers/c opens a placeholder with ${ that is never closed',
    ]);
    expect(faults[0]!.expected).toContain('${WORKFLOW_STATE_ID}');
  });

  it('may have no texts that no process can be started with', () => {
    const servers = { s: { type: 'http', url: 'x'.repeat(130_000) } } as const;
    for (const [blueprint, pointer] of [
      [{ executor: 'codex', system_prompt: '\u4f60'.repeat(50_000) }, '/system_prompt'],
      [{ executor: 'codex', system_prompt: '\n'.repeat(65_000) }, '/system_prompt'],
      [{ executor: 'command', mcp_servers: servers }, '/mcp_servers'],
    ] as const) {
      expect(faultsOf(blueprint)).toMatchObject([
        { pointer, message: expect.stringContaining('no process takes') },
      ]);
    }
    expect(faultsOf({ executor: 'codex', system_prompt: 'x'.repeat(65_536) })).toEqual([]);
    expect(faultsOf({ executor: 'claude-code', mcp_servers: servers })).toEqual([]);
  });

  it.each(['COUNTERSIGN_TOKEN_SECRET', 'AGENT_SESSION_ID', 'WORKFLOW_STATE_ID'])(
    "does not get the runner's own %s",
    (name) => {
      expect(faultsOf({ executor: 'x', environment: ['PATH', name] })).toMatchObject([
        { pointer: '/environment/1', keyword: 'environment' },
      ]);
    },
  );

  it('may not set what the runner sets for every run', () => {
    const args = ['--permission-mode', 'plan', '--settings', 'mine.json', '--mcp-config=mine.json'];
    const faults = faultsOf({ executor: 'claude-code', args });
    expect(faults).toMatchObject([
      {
        pointer: '/args/2',
        keyword: 'args',
        message: expect.stringMatching(/^has --settings, which/) as string,
      },
      { pointer: '/args/4', expected: expect.stringContaining('mcp_servers') as string },
    ]);
    expect(faultsOf({ executor: 'command', args })).toEqual([]);
  });

  it('may not put a secret where it would be seen among the processes', () => {
    const key = '${env:KEY}';
    const token = '${COUNTERSIGN_TOKEN}';
    const faults = faultsOf({
      executor: 'x',
      environment: ['KEY'],
      mcp_servers: {
        a: { type: 'stdio', command: `x ${key}`, args: ['${PROJECT_DIR}', token], env: { K: key, T: token } },
        'b/c': { type: 'http', url: `https://b/?key=${key}`, headers: { Authorization: `Bearer ${token}` } },
      },
    });
    expect(faults.map(({ pointer }) => pointer)).toEqual([
      '/mcp_servers/a/command',
      '/mcp_servers/a/args/1',
      '/mcp_servers/b~1c/url',
    ]);
    expect(faults[1]).toMatchObject({
      keyword: 'placeholder',
      message: expect.stringContaining('${COUNTERSIGN_TOKEN} where everybody who may list processes'),
      expected: expect.stringContaining('env or headers'),
    });
  });

  it('may say anything in its prompt', () => {
    expect(faultsOf({ executor: 'x', system_prompt: 'Use ${HOME} and ${' })).toEqual([]);
  });
});
