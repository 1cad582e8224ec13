import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import jsonc from 'jsonc-parser';
import { parse } from 'smol-toml';
import { cli, type Around } from './io-double.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'countersign-install-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const FILES = {
  'claude-code': '.claude/settings.json',
  codex: '.codex/config.toml',
  gemini: '.gemini/settings.json',
};
type Client = keyof typeof FILES;
const CLIENTS = Object.keys(FILES) as Client[];
const fileOf = (client: Client) => join(dir, FILES[client]);
const textOf = (client: Client) => readFileSync(fileOf(client), 'utf8');
const put = (client: Client, text: string) => {
  mkdirSync(dirname(fileOf(client)), { recursive: true });
  writeFileSync(fileOf(client), text);
};
const run = (verb: string, client: Client, args: string[] = ['--yes'], around: Around = {}) =>
  cli(['hook', verb, '--client', client, '--project-dir', dir, ...args], {
    env: { HOME: join(dir, 'home') },
    ...around,
  });

const SETTINGS: Record<Client, string> = {
  'claude-code': `{
  "model": "opus",
  "hooks": {
    "Stop": [
      { "hooks": [{ "type": "command", "command": "notify-me" }] }
    ],
    "Notification": []
  },
  "unknown": { "kept": [1, 2] }
}
`,
  codex: `# my settings
model = "x" # the good one
when = 2026-01-01T00:00:00Z

[[hooks.Stop]]
[[hooks.Stop.hooks]]
type = "command"
command = "notify-me"

[hooks.state."a:b"]
trusted_hash = "abc"
`,
  gemini: `{
  // a comment
  "ui": { "theme": "x" }, /* another */
  "hooks": { "AfterAgent": [{ "hooks": [{ "type": "command", "command": "notify-me" }] }] }
}
`,
};

const CODEX_STOP = [
  { hooks: [{ type: 'command', command: 'countersign hook stop --client codex --wait 240s', timeout: 300 }] },
];

describe('install', () => {
  it('writes the hooks of Claude Code', async () => {
    const args = ['--yes', '--gate', '--agents', 'reviewer', 'tester', '--wait', '2m'];
    const ran = await run('install', 'claude-code', args);
    expect(ran.code).toBe(0);
    const hook = (command: string, timeout: number) => ({
      hooks: [{ type: 'command', command: `countersign hook ${command}`, timeout }],
    });
    expect(JSON.parse(textOf('claude-code'))).toEqual({
      hooks: {
        SessionStart: [hook('session-start --client claude-code', 30)],
        Stop: [hook('stop --client claude-code --wait 120s', 180), hook('awaited --client claude-code', 10)],
        SubagentStop: [hook('subagent-stop --client claude-code --agents reviewer tester', 60)],
        SessionEnd: [hook('session-end --client claude-code', 10)],
        PreToolUse: [{ matcher: '*', ...hook('pre-tool-use --client claude-code || exit 2', 30) }],
      },
    });
  });

  it('writes the hooks of Codex, and says that it skips what is not trusted', async () => {
    const ran = await run('install', 'codex', ['--yes', '--gate', '--url', 'http://10.0.0.1:4717']);
    expect(ran.err).toContain('--dangerously-bypass-hook-trust');
    const command = (hook: string) => `countersign hook ${hook} --client codex --url http://10.0.0.1:4717`;
    expect(parse(textOf('codex'))).toEqual({
      hooks: {
        SessionStart: [{ hooks: [{ type: 'command', command: command('session-start'), timeout: 30 }] }],
        Stop: [{ hooks: [{ type: 'command', command: `${command('stop')} --wait 240s`, timeout: 300 }] }],
        PostToolUse: [
          {
            matcher: '^mcp__countersign__(start|resume)_agent_session$',
            hooks: [{ type: 'command', command: command('awaited'), timeout: 10 }],
          },
        ],
        SessionEnd: [{ hooks: [{ type: 'command', command: command('session-end'), timeout: 3 }] }],
        PreToolUse: [
          {
            matcher: '.*',
            hooks: [{ type: 'command', command: `${command('pre-tool-use')} || exit 2`, timeout: 30 }],
          },
        ],
      },
    });
  });

  it('writes the hooks of Gemini CLI, with its own unit of time', async () => {
    await run('install', 'gemini');
    const { hooks } = JSON.parse(textOf('gemini'));
    expect(hooks.AfterTool).toMatchObject([
      {
        matcher: '^mcp_countersign_(start|resume)_agent_session$',
        hooks: [{ command: 'countersign hook awaited --client gemini', timeout: 10_000 }],
      },
    ]);
    expect(hooks.AfterAgent).toEqual([
      {
        hooks: [
          {
            type: 'command',
            command: 'countersign hook stop --client gemini --wait 240s',
            name: 'countersign',
            timeout: 300_000,
          },
        ],
      },
    ]);
  });

  it.each(CLIENTS)('of %s keeps what else is in the file, and is undone without a trace', async (client) => {
    put(client, SETTINGS[client]);
    const ran = await run('install', client, ['--yes', '--gate']);
    expect(ran.code).toBe(0);
    expect(ran.out).toMatch(/^\+.*countersign hook stop/m);
    const text = textOf(client);
    for (const kept of [
      'notify-me',
      ...(client === 'codex' ? ['# my settings', '# the good one', 'trusted_hash'] : []),
      ...(client === 'gemini' ? ['// a comment', '/* another */'] : []),
    ]) {
      expect(text).toContain(kept);
    }
    const settings: any = client === 'codex' ? parse(text) : jsonc.parse(text);
    const stop = settings.hooks[client === 'gemini' ? 'AfterAgent' : 'Stop'];
    expect(stop).toHaveLength(client === 'claude-code' ? 3 : 2);
    // A client that can be woken does not wait in its stop.
    if (client === 'claude-code') {
      expect(stop.slice(1)).toEqual([
        {
          hooks: [
            { type: 'command', command: 'countersign hook stop --client claude-code --wait 0s', timeout: 60 },
          ],
        },
        {
          hooks: [
            {
              type: 'command',
              command: 'countersign hook wake --client claude-code',
              timeout: 86_460,
              asyncRewake: true,
            },
          ],
        },
      ]);
    }
    if (client === 'codex') expect(stop.slice(1)).toEqual(CODEX_STOP);
    expect((await run('uninstall', client)).code).toBe(0);
    expect(textOf(client)).toBe(SETTINGS[client]);
  });

  it.each(CLIENTS)('of %s twice is the same as once, and other wishes replace the first', async (client) => {
    put(client, SETTINGS[client]);
    await run('install', client);
    const once = textOf(client);
    expect(await run('install', client)).toMatchObject({
      code: 0,
      out: '',
      err: expect.stringContaining('Nothing to change'),
    });
    expect(textOf(client)).toBe(once);
    await run('install', client, ['--yes', '--gate']);
    expect(textOf(client)).toContain('|| exit 2');
    await run('install', client);
    expect(textOf(client)).not.toContain('|| exit 2');
    expect(textOf(client).split('countersign hook stop')).toHaveLength(2);
  });

  it.each(CLIENTS)('of %s is undone with the file where it made that', async (client) => {
    await run('install', client);
    expect(existsSync(fileOf(client))).toBe(true);
    expect((await run('uninstall', client)).code).toBe(0);
    expect(existsSync(fileOf(client))).toBe(false);
    expect(await run('uninstall', client)).toMatchObject({
      code: 0,
      err: expect.stringContaining('Nothing to change'),
    });
  });

  it('shows the difference and asks', async () => {
    put('claude-code', SETTINGS['claude-code']);
    for (const stdin of ['', 'n\n', 'nope\n', '\n']) {
      const ran = await run('install', 'claude-code', [], { stdin });
      expect(ran).toMatchObject({ code: 1, err: expect.stringContaining('Nothing was written') });
      expect(ran.out).toMatch(/^\+.*countersign hook stop/m);
      expect(textOf('claude-code')).toBe(SETTINGS['claude-code']);
    }
    expect((await run('install', 'claude-code', ['--dry-run'])).code).toBe(0);
    expect(textOf('claude-code')).toBe(SETTINGS['claude-code']);
    expect((await run('install', 'claude-code', [], { stdin: 'y\n' })).code).toBe(0);
    expect(textOf('claude-code')).toContain('countersign hook stop');
  });

  it.each([
    ['claude-code', { CLAUDE_CONFIG_DIR: 'own' }, 'own/settings.json'],
    ['claude-code', {}, '.claude/settings.json'],
    ['codex', { CODEX_HOME: 'own' }, 'own/config.toml'],
    ['codex', {}, '.codex/config.toml'],
    ['gemini', {}, '.gemini/settings.json'],
  ] as const)('of %s for the user with %j writes %s', async (client, given, file) => {
    const own = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, join(dir, value)]));
    const ran = await cli(['hook', 'install', '--client', client, '--user', '--yes'], {
      env: { HOME: dir, ...own },
    });
    expect(ran.code).toBe(0);
    expect(readFileSync(join(dir, file), 'utf8')).toContain('countersign hook stop');
  });

  it('goes through a link, keeps the rights of the file and leaves no draft', async () => {
    const target = join(dir, 'dotfiles.json');
    writeFileSync(target, '{}\n');
    chmodSync(target, 0o600);
    mkdirSync(join(dir, '.claude'));
    symlinkSync(target, fileOf('claude-code'));
    await run('install', 'claude-code');
    expect(lstatSync(fileOf('claude-code')).isSymbolicLink()).toBe(true);
    expect(readFileSync(target, 'utf8')).toContain('countersign hook stop');
    expect(statSync(target).mode & 0o777).toBe(0o600);
    expect(readdirSync(dir)).toEqual(['.claude', 'dotfiles.json', 'home']);
  });

  it.each<[Client, string, RegExp]>([
    ['claude-code', '{"hooks": ', /not JSON/],
    ['claude-code', '{\n "a" 1}', /not JSON: .* in line 2/],
    ['claude-code', '[]', /else than an object at the top/],
    ['claude-code', '{"hooks": []}', /else than an object at \/hooks/],
    ['claude-code', '{"hooks": {"Stop": {}}}', /else than a list at \/hooks\/Stop/],
    ['gemini', '{"hooks": {"AfterAgent": [7]}}', /else than an object at \/hooks\/AfterAgent/],
    ['codex', 'a = ', /not TOML/],
    ['codex', 'hooks = { Stop = [] }', /write them as \[\[hooks\.NAME\]\]/],
    [
      'codex',
      '[[hooks.Stop]]\nhooks = [{ type = "command", command = "countersign hook stop" }]\n',
      /changed by hand/,
    ],
  ])('of %s into %j is refused, and the file stays as it is', async (client, text, words) => {
    put(client, text);
    const ran = await run('install', client);
    expect(ran).toMatchObject({ code: 2, out: '' });
    expect(ran.err).toMatch(words);
    expect(textOf(client)).toBe(text);
  });

  it.each([
    [['--project', '--user'], /contradict each other/],
    [['--agents', 'a; rm'], /Not the type of a sub-agent/],
    [['--url', 'http://x/$(rm)'], /Not the URL of a service/],
    [['--wait', '5'], /--wait needs a span of time/],
  ])('with %j is refused', async (args, words) => {
    const ran = await run('install', 'claude-code', ['--yes', ...args]);
    expect(ran.code).toBe(2);
    expect(ran.err).toMatch(words);
    expect(existsSync(fileOf('claude-code'))).toBe(false);
  });

  it('of a hook that the client does not have is refused', async () => {
    const ran = await run('install', 'gemini', ['--yes', '--agents', 'reviewer']);
    expect(ran).toMatchObject({ code: 2, err: expect.stringContaining('has no hook subagent-stop') });
  });
});
