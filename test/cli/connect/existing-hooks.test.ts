// `connect` where the settings already have hooks of Countersign: those of a user, or of `hook install`.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import jsonc from 'jsonc-parser';
import { cli } from '../io-double.js';

let dir: string;
let project: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'countersign-existing-'));
  project = join(dir, 'project');
  mkdirSync(project);
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const run = (line: string) =>
  cli([...line.split(' '), '--project-dir', project, '--yes'], { env: { HOME: dir } });
const textOf = (name: string) => readFileSync(join(project, name), 'utf8');
function put(name: string, text: string): void {
  mkdirSync(dirname(join(project, name)), { recursive: true });
  writeFileSync(join(project, name), text);
}

const CLAUDE_CODE = '.claude/settings.json';
const GEMINI = '.gemini/settings.json';
const OWN: readonly (readonly [client: string, file: string, text: string])[] = [
  ['claude-code', CLAUDE_CODE, '{"hooks":{"Stop":[HOOK]}}'],
  ['gemini', GEMINI, '{"hooks":{"AfterAgent":[HOOK]}}'],
  ['claude-code', CLAUDE_CODE, '{\n  // mine\n  "hooks": {\n    "Stop": [\n      HOOK\n    ]\n  }\n}\n'],
  ['gemini', GEMINI, '{\r\n\t"a": 1,\r\n\t"hooks": {"AfterAgent": [ HOOK ]}\r\n}'],
].map(([client = '', file = '', text = '']) => {
  const command = `countersign hook stop --client ${client} --session mine`;
  return [client, file, text.replace('HOOK', JSON.stringify({ hooks: [{ type: 'command', command }] }))];
});

describe('hooks of Countersign that a user has written', () => {
  it.each(OWN)(
    'are replaced by connect, and restored by disconnect: %s %s %j',
    async (client, file, text) => {
      put(file, text);
      expect(await run(`connect ${client}`)).toMatchObject({ code: 0 });
      expect(textOf(file)).not.toContain('--session mine');
      expect(textOf(file).split(`countersign hook stop --client ${client}`)).toHaveLength(2);
      const once = textOf(file);
      expect(await run(`connect ${client}`)).toMatchObject({ code: 0, out: '' });
      await run(`connect ${client} --gate`);
      await run(`connect ${client}`);
      expect(textOf(file)).toBe(once);
      expect(await run(`disconnect ${client}`)).toMatchObject({ code: 0 });
      expect(textOf(file)).toBe(text);
    },
  );

  it.each(OWN)('are restored by hook uninstall: %s %s %j', async (client, file, text) => {
    put(file, text);
    await run(`hook install --client ${client}`);
    expect(textOf(file)).not.toContain('--session mine');
    expect(await run(`hook uninstall --client ${client}`)).toMatchObject({ code: 0 });
    expect(textOf(file)).toBe(text);
  });

  it.each(OWN)('are restored after hook install, connect and disconnect: %s %s %j', async (...own) => {
    const [client, file, text] = own;
    put(file, text);
    await run(`hook install --client ${client}`);
    await run(`connect ${client}`);
    await run(`hook install --client ${client} --gate`);
    await run(`disconnect ${client}`);
    expect(textOf(file)).toBe(text);
  });

  it('are restored where the file has other changes since', async () => {
    const [, , own] = OWN;
    const text = own?.[2] ?? '';
    put(CLAUDE_CODE, text);
    await run('connect claude-code');
    put(CLAUDE_CODE, textOf(CLAUDE_CODE).replace('{\n', '{\n  "first": 1,\n'));
    expect(await run('disconnect claude-code')).toMatchObject({ code: 0 });
    const restored = textOf(CLAUDE_CODE);
    expect(jsonc.parse(restored)).toEqual({ first: 1, ...jsonc.parse(text) });
    expect(restored).toContain('// mine');
  });

  it('are restored in a file that its client has written anew, with the server', async () => {
    const hooks = {
      AfterAgent: [{ hooks: [{ type: 'command', command: 'countersign hook stop --client gemini' }] }],
    };
    const mcpServers = { countersign: { httpUrl: 'http://127.0.0.1:4717/mcp' } };
    put(GEMINI, JSON.stringify({ hooks, mcpServers }));
    await run('connect gemini');
    put(GEMINI, JSON.stringify({ ...JSON.parse(textOf(GEMINI)), first: 1 }, null, 4));
    expect(await run('disconnect gemini')).toMatchObject({ code: 0 });
    expect(JSON.parse(textOf(GEMINI))).toEqual({ hooks, mcpServers, first: 1 });
  });
});

describe('what a user has written for Countersign', () => {
  const hook = (command: string) => ({ hooks: [{ type: 'command', command }] });
  const COMMANDS = [
    'echo countersign hook stop',
    'notify-send done && countersign hook stop --client claude-code',
    'logger x; countersign hook stop --client gemini --wait 0s',
    'countersign hook stop --client codex --wait 0s; logger x',
    'countersign hook session-start --client codex # mine',
  ];
  const CALLS = ['npx countersign hook stop --client gemini', 'countersign hook stop --client claude-code'];
  const json = (event: string, commands: readonly string[]) =>
    JSON.stringify({ hooks: { [event]: commands.map(hook) } });
  const toml = (commands: readonly string[]) =>
    commands
      .map(
        (one) => `[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = ${JSON.stringify(one)}\n`,
      )
      .join('\n');
  const CODEX = '.codex/config.toml';
  const TEXTS: readonly (readonly [client: string, file: string, text: string])[] = [
    ['claude-code', CLAUDE_CODE, json('Stop', COMMANDS)],
    ['gemini', GEMINI, json('AfterAgent', COMMANDS)],
    ['codex', CODEX, toml(COMMANDS)],
  ];
  const WHOLE: typeof TEXTS = [
    ...TEXTS,
    ['claude-code', CLAUDE_CODE, json('Stop', CALLS)],
    ['gemini', GEMINI, json('AfterAgent', CALLS)],
    ['codex', CODEX, toml(CALLS)],
    ...[
      { command: '/opt/bin/countersign', args: ['mcp'] },
      { command: 'countersign', args: ['mcp', '--session', 'lead'], env: { A: 'b' } },
    ].flatMap((server): typeof TEXTS => [
      ['claude-code', '.mcp.json', JSON.stringify({ mcpServers: { countersign: server } })],
      ['gemini', GEMINI, JSON.stringify({ mcpServers: { countersign: server } })],
      [
        'opencode',
        'opencode.json',
        JSON.stringify({ mcp: { countersign: { command: [server.command, ...server.args] } } }),
      ],
      [
        'codex',
        CODEX,
        `[mcp_servers.countersign]\ncommand = "${server.command}"\nargs = ${JSON.stringify(server.args)}\n`,
      ],
    ]),
  ];

  it.each(WHOLE)('stays at disconnect where nothing was connected: %s %s %j', async (client, file, text) => {
    put(file, text);
    for (const line of [`disconnect ${client}`, `hook uninstall --client ${client}`]) {
      expect(await run(line)).toMatchObject({ code: 0, out: '' });
      expect(textOf(file)).toBe(text);
    }
  });

  it.each(TEXTS)('stays beside the hooks of connect: %s %s %j', async (client, file, text) => {
    for (const [first, last] of [
      [`connect ${client}`, `disconnect ${client}`],
      [`hook install --client ${client}`, `hook uninstall --client ${client}`],
    ] as const) {
      put(file, text);
      expect(await run(first)).toMatchObject({ code: 0 });
      for (const command of COMMANDS) expect(textOf(file)).toContain(JSON.stringify(command));
      expect(await run(first)).toMatchObject({ code: 0, out: '' });
      expect(await run(last)).toMatchObject({ code: 0 });
      expect(textOf(file)).toBe(text);
    }
  });

  it.each(TEXTS)('stays without the record: %s %s %j', async (client, file, text) => {
    put(file, text);
    await run(`connect ${client}`);
    rmSync(join(dir, '.local'), { recursive: true });
    expect(await run(`disconnect ${client}`)).toMatchObject({ code: 0 });
    for (const command of COMMANDS) expect(textOf(file)).toContain(JSON.stringify(command));
    expect(textOf(file).split('countersign hook')).toHaveLength(COMMANDS.length + 1);
  });

  it.each([
    ['claude-code', CLAUDE_CODE, 'Stop'],
    ['gemini', GEMINI, 'AfterAgent'],
  ])('stays where it was added after connect: %s', async (client, file, event) => {
    await run(`connect ${client}`);
    const settings = JSON.parse(textOf(file));
    settings.hooks[event].push(...[...COMMANDS, ...CALLS].map(hook));
    put(file, JSON.stringify(settings, null, 4));
    expect(await run(`disconnect ${client}`)).toMatchObject({ code: 0 });
    expect(JSON.parse(textOf(file))).toEqual({ hooks: { [event]: [...COMMANDS, ...CALLS].map(hook) } });
  });

  it('is refused in the file of Codex where it does the same', async () => {
    for (const command of CALLS) {
      put(CODEX, toml([command]));
      expect(await run('connect codex')).toMatchObject({
        code: 2,
        err: expect.stringContaining('changed by hand'),
      });
      expect(textOf(CODEX)).toBe(toml([command]));
    }
  });
});

describe('members of hooks that are no events of connect', () => {
  it.each([
    ['gemini', GEMINI, '{"hooks":{"disabled":["x"]}}'],
    ['gemini', GEMINI, '{"hooks":{"enabled":true,"disabled":{"a":[1]},"AfterAgent":[]}}\n'],
    [
      'claude-code',
      CLAUDE_CODE,
      '{\n  "hooks": {\n    "PreToolUse": [7, null, {"hooks": 7}, {"hooks": ["x"]}]\n  }\n}\n',
    ],
  ])('stay as they are: %s %s %j', async (client, file, text) => {
    put(file, text);
    expect(await run(`connect ${client}`)).toMatchObject({ code: 0 });
    const { AfterAgent, Stop, ...others } = JSON.parse(textOf(file)).hooks;
    expect(AfterAgent ?? Stop).toHaveLength(client === 'gemini' ? 1 : 2);
    const before = JSON.parse(text.replace(',"AfterAgent":[]', '')).hooks;
    expect(others).toMatchObject(before);
    expect(await run(`disconnect ${client}`)).toMatchObject({ code: 0 });
    expect(textOf(file)).toBe(text);
  });
});

describe('the hooks of hook install', () => {
  const FILES = [
    ['claude-code', CLAUDE_CODE],
    ['codex', '.codex/config.toml'],
    ['gemini', GEMINI],
    ['opencode', '.opencode/plugin/countersign.js'],
  ] as const;

  it.each(FILES)('of %s are there again after connect and disconnect', async (client, file) => {
    await run(`hook install --client ${client}`);
    const installed = textOf(file);
    await run(`connect ${client} --gate`);
    expect(textOf(file)).not.toBe(installed);
    await run(`connect ${client} --gate --url http://10.0.0.1:4717`);
    expect(await run(`disconnect ${client}`)).toMatchObject({ code: 0 });
    expect(textOf(file)).toBe(installed);
    expect(await run(`hook uninstall --client ${client}`)).toMatchObject({ code: 0 });
    expect(existsSync(join(project, dirname(file)))).toBe(false);
  });

  it.each(FILES)('of %s go with hook uninstall after connect', async (client, file) => {
    await run(`hook install --client ${client}`);
    await run(`connect ${client} --gate`);
    await run(`hook uninstall --client ${client}`);
    await run(`disconnect ${client}`);
    expect(existsSync(join(project, dirname(file)))).toBe(false);
  });
});
