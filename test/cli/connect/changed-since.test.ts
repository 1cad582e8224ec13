// `connect` and `disconnect` where a person has changed the files since: what they wrote is never lost.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import jsonc from 'jsonc-parser';
import { parse } from 'smol-toml';
import { cli } from '../io-double.js';

let dir: string;
let project: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'countersign-changed-'));
  project = join(dir, 'project');
  mkdirSync(project);
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const run = (line: string, env: Record<string, string> = {}, folder = project) =>
  cli([...line.split(' '), '--project-dir', folder, '--yes'], { env: { HOME: dir, ...env } });
const textOf = (name: string) => readFileSync(join(dir, name), 'utf8');
function put(name: string, text: string): void {
  mkdirSync(dirname(join(dir, name)), { recursive: true });
  writeFileSync(join(dir, name), text);
}
const edit = (name: string, change: (text: string) => string) => put(name, change(textOf(name)));
const forget = () => rmSync(join(dir, '.local'), { recursive: true });

const CODEX = '.codex/config.toml';
const toml = (name = CODEX): any => parse(textOf(name));
const json = (name: string): any => jsonc.parse(textOf(name));

describe('a table of the user directly below ours', () => {
  const TABLES = [
    '[mcp_servers.other]\ncommand = "other"\nargs = ["serve"]\n',
    '[profiles.fast]\nmodel = "o4"\n[projects."/secret"]\ntrust_level = "untrusted"\n',
    '[mcp_servers.countersign-dev]\ncommand = "dev"\n',
    '[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "mine"\n',
    '[hooks.state."/elsewhere:stop:0:0"]\ntrusted_hash = "sha256:0"\n',
    '# mine\n[tui]\ntheme = "x"\n',
  ];
  const CASES = ['--user', '--project'].flatMap((scope) =>
    ['model = "x"\n', ''].flatMap((text) => TABLES.map((table) => [scope, text, table] as const)),
  );

  it.each(CASES)('stays at disconnect (codex %s, %j, %j)', async (scope, text, table) => {
    if (text !== '') put(CODEX, text);
    await run(`connect codex ${scope}`);
    edit(CODEX, (now) => `${now}${table}`);
    expect(await run(`disconnect codex ${scope}`)).toMatchObject({ code: 0 });
    expect(textOf(CODEX).trimStart()).toBe(`${text}${table}`);
  });

  it.each(CASES)('stays at a second connect (codex %s, %j, %j)', async (scope, text, table) => {
    if (text !== '') put(CODEX, text);
    await run(`connect codex ${scope}`);
    edit(CODEX, (now) => `${now}${table}`);
    expect(await run(`connect codex ${scope} --gate`)).toMatchObject({ code: 0 });
    expect(textOf(CODEX)).toContain(table);
    expect(await run(`disconnect codex ${scope}`)).toMatchObject({ code: 0 });
    expect(textOf(CODEX).trimStart()).toBe(`${text}${table}`);
  });

  it('stays without the record, below the hooks alone', async () => {
    await run('hook install --client codex --user');
    edit(CODEX, (now) => `${now}[tui]\ntheme = "x"\n`);
    forget();
    expect(await run('hook uninstall --client codex --user')).toMatchObject({ code: 0 });
    expect(toml()).toEqual({ tui: { theme: 'x' } });
  });
});

describe('what a user adds to an entry of connect', () => {
  it.each([
    ['startup_timeout_sec = 60', { startup_timeout_sec: 60 }],
    ['startup_timeout_sec=60 # slow', { startup_timeout_sec: 60 }],
    ['[mcp_servers.countersign.env]\nA = "b"', { env: { A: 'b' } }],
    ['\n[mcp_servers.countersign.env]\nA = "b"', { env: { A: 'b' } }],
    ['\n# why\n\n[mcp_servers.countersign.env] # here\n\n# of a\nA = "b"', { env: { A: 'b' } }],
    ['enabled_tools = [\n  "state_read",\n]', { enabled_tools: ['state_read'] }],
    ['enabled_tools = [ # a ]\n\n  # [b]\n  "[x]",\n  "#y" ]', { enabled_tools: ['[x]', '#y'] }],
    ['env = { A = "b}", B = "#" } # why', { env: { A: 'b}', B: '#' } }],
    ['note = """\n[tui]\n# no \\""" comment""""\nn = 1', { note: '[tui]\n# no """ comment"', n: 1 }],
    ["note = '''\n[[tui]]\n'''''\nn = 1", { note: "[[tui]]\n''", n: 1 }],
    ['a = \'it"s\'\n"b#" = "it\'s \\"[\\""', { a: 'it"s', 'b#': 'it\'s "["' }],
    ['\nstartup_timeout_sec = 60', { startup_timeout_sec: 60 }],
    [
      '# slow\nstartup_timeout_sec = 60\n\n\n# and\nenabled = true',
      { startup_timeout_sec: 60, enabled: true },
    ],
  ])('stays in the server of Codex: %j', async (line, added) => {
    put(CODEX, 'model = "x"\n');
    await run('connect codex --user');
    edit(CODEX, (now) => now.replace('required = true\n', `required = true\n${line}\n`));
    expect(await run('connect codex --user')).toMatchObject({ code: 0, out: '' });
    expect(await run('connect codex --user --gate --url http://10.0.0.1:4717')).toMatchObject({ code: 0 });
    expect(toml().mcp_servers.countersign).toMatchObject({
      args: ['mcp', '--url', 'http://10.0.0.1:4717'],
      ...added,
    });
    expect(toml().hooks.PreToolUse).toHaveLength(1);
    expect(await run('disconnect codex --user')).toMatchObject({ code: 0 });
    expect(textOf(CODEX)).toBe('model = "x"\n');
  });

  it.each([
    ['claude-code', '.claude.json', 'mcpServers'],
    ['gemini', '.gemini/settings.json', 'mcpServers'],
    ['opencode', '.config/opencode/opencode.json', 'mcp'],
  ])('stays in the server of %s', async (client, file, servers) => {
    put(file, '{"a": 1}\n');
    await run(`connect ${client} --user`);
    const settings = json(file);
    settings[servers].countersign.timeout = 60;
    put(file, JSON.stringify(settings, null, 4));
    expect(await run(`connect ${client} --user`)).toMatchObject({ code: 0, out: '' });
    expect(await run(`connect ${client} --user --url http://10.0.0.1:4717`)).toMatchObject({ code: 0 });
    const { countersign } = json(file)[servers];
    expect(countersign.timeout).toBe(60);
    expect(JSON.stringify(countersign)).toContain('"--url","http://10.0.0.1:4717"');
    expect(await run(`disconnect ${client} --user`)).toMatchObject({ code: 0 });
    expect(json(file)).toEqual({ a: 1 });
  });

  it('does not stay of a server that is none of ours', async () => {
    put('.claude.json', '{"mcpServers":{"countersign":{"type":"http","url":"http://x"}}}');
    await run('connect claude-code --user');
    expect(json('.claude.json').mcpServers.countersign).not.toHaveProperty('url');
  });

  it('lets a hook of Codex stay switched off', async () => {
    await run('connect codex --user');
    const key = `${join(dir, CODEX)}:stop:0:0`;
    edit(CODEX, (now) => now.replace(`[hooks.state."${key}"]\n`, `$&enabled = false\n`));
    expect(await run('connect codex --user')).toMatchObject({ code: 0, out: '' });
    await run('connect codex --user --gate --wait 5s');
    expect(toml().hooks.state[key]).toMatchObject({ enabled: false });
    expect(await run('disconnect codex --user')).toMatchObject({ code: 0 });
  });

  it.each([
    ['a key at the end', (text: string) => `${text}approval_policy = "never"\n`],
    ['a key in a hook', (text: string) => text.replace('timeout = 30\n', 'timeout = 30\nnote = "x"\n')],
    [
      'a command in a group',
      (text: string) =>
        text.replace(
          'timeout = 30\n',
          'timeout = 30\n\n[[hooks.SessionStart.hooks]]\ntype = "command"\ncommand = "mine"\n',
        ),
    ],
    ['another command', (text: string) => text.replace('command = "countersign"', 'command = "mine"')],
  ])('is refused, and nothing is written: %s', async (_, change) => {
    put(CODEX, 'model = "x"\n');
    await run('connect codex --user');
    edit(CODEX, change);
    const text = textOf(CODEX);
    for (const line of ['disconnect codex', 'connect codex --gate']) {
      expect(await run(`${line} --user`)).toMatchObject({
        code: 2,
        out: '',
        err: expect.stringContaining('changed by hand'),
      });
      expect(textOf(CODEX)).toBe(text);
    }
  });
});

describe('the settings of project and user in one file', () => {
  it.each([
    ['the project is the home folder', {}, '', CODEX],
    [
      'CODEX_HOME is in the project',
      { CODEX_HOME: 'project/.codex' },
      'project',
      'project/.codex/config.toml',
    ],
  ])('get all parts at once: %s', async (_, given, folder, file) => {
    const env = Object.fromEntries(Object.entries(given).map(([name, one]) => [name, join(dir, one)]));
    put(file, 'model = "x"\n');
    const line = (verb: string) => run(`${verb} codex --project`, env, join(dir, folder));
    expect(await line('connect')).toMatchObject({ code: 0 });
    const { hooks, mcp_servers, projects } = toml(file);
    expect(mcp_servers.countersign.required).toBe(true);
    expect(projects).toEqual({ [join(dir, folder)]: { trust_level: 'trusted' } });
    expect(hooks.Stop).toHaveLength(1);
    expect(Object.keys(hooks.state)).toContain(`${join(dir, file)}:stop:0:0`);
    expect(await line('connect')).toMatchObject({ code: 0, out: '' });
    expect(await line('disconnect')).toMatchObject({ code: 0 });
    expect(textOf(file)).toBe('model = "x"\n');
  });

  it.each([
    ['the folder', '', ''],
    ['the file', '.codex', 'config.toml'],
  ])('get all parts, trusted by both paths, by a link of %s', async (_, folder, name) => {
    put(CODEX, 'model = "x"\n');
    if (folder !== '') mkdirSync(join(project, folder));
    symlinkSync(join(dir, '.codex', name), join(project, '.codex', name).replace(/\/$/, ''));
    expect(await run('connect codex --project')).toMatchObject({ code: 0 });
    expect(Object.keys(toml().hooks.state)).toEqual(
      expect.arrayContaining([`${join(dir, CODEX)}:stop:0:0`, `${join(project, CODEX)}:stop:0:0`]),
    );
    expect(await run('connect codex --project')).toMatchObject({ code: 0, out: '' });
    expect(await run('disconnect codex --project')).toMatchObject({ code: 0 });
    expect(textOf(CODEX)).toBe('model = "x"\n');
  });

  it('get all parts in JSON, by a link', async () => {
    put('project/.claude/settings.json', '{"a": 1}\n');
    symlinkSync('settings.json', join(project, '.claude/settings.local.json'));
    expect(await run('connect claude-code')).toMatchObject({ code: 0 });
    expect(json('project/.claude/settings.json')).toMatchObject({
      enabledMcpjsonServers: ['countersign'],
      hooks: { Stop: expect.anything() },
    });
    expect(await run('disconnect claude-code')).toMatchObject({ code: 0 });
    expect(textOf('project/.claude/settings.json')).toBe('{"a": 1}\n');
  });
});

describe('a server of Codex with tables inside it', () => {
  const SERVER = '[mcp_servers.countersign]\ncommand = "other"\n';
  const OURS = SERVER.replace('"other"', '"countersign"\nargs = ["mcp"]');

  it.each([
    `model = "x"\n\n${SERVER}[mcp_servers.countersign.env]\nA = "b"\n`,
    `${SERVER}\n[mcp_servers.countersign.env] # why\nA = "b"\n\n# mine\n[tui]\ntheme = "x"\n`,
    `[mcp_servers.countersign.env]\r\nA = "b"\r\n[tui]\r\ntheme = "x"\r\n[mcp_servers."countersign"]\r\ncommand = "x"`,
    `${SERVER}[mcp_servers.countersign.a]\n[mcp_servers.countersign.a.b]\nc = 1\n[[mcp_servers.countersign.d]]\n`,
    `[mcp_servers]\n[ "mcp_servers" . 'countersign' ]\nurl = "http://x"\n[mcp_servers.'countersign'."http headers"]\nA = "b"\n`,
    `${OURS}[mcp_servers.countersign.env]\nA = "b"\n[mcp_servers.countersign-dev]\ncommand = "dev"\n`,
  ])('is replaced, and restored: %j', async (text) => {
    for (const scope of ['--user', '--project']) {
      const file = scope === '--user' ? CODEX : `project/${CODEX}`;
      put(file, text);
      expect(await run(`connect codex ${scope}`)).toMatchObject({ code: 0 });
      const { countersign } = toml(file).mcp_servers;
      expect(countersign).toMatchObject({ command: 'countersign', args: ['mcp'], required: true });
      // What a user added to a server of ours stays in it.
      expect(countersign.env).toEqual(text.startsWith(OURS) ? { A: 'b' } : undefined);
      for (const kept of text.match(/# mine|\[tui\]|countersign-dev/g) ?? [])
        expect(textOf(file)).toContain(kept);
      expect(await run(`connect codex ${scope}`)).toMatchObject({ code: 0, out: '' });
      expect(await run(`disconnect codex ${scope}`)).toMatchObject({ code: 0 });
      expect(textOf(file)).toBe(text);
    }
  });
});

describe('a comment', () => {
  it('in front of the next table stays where our server replaces another', async () => {
    const server = '[mcp_servers.countersign]\ncommand = "countersign"\nargs = ["mcp"]\n';
    const other = '\n# keep: the server of the team\n\n[mcp_servers.other]\ncommand = "other"\n';
    put(CODEX, `model = "x"\n\n${server}${other}`);
    await run('connect codex --user');
    expect(textOf(CODEX)).toContain(other);
    await run('disconnect codex --user');
    expect(textOf(CODEX)).toBe(`model = "x"\n\n${server}${other}`);
  });

  it.each([
    ['claude-code', '.claude/settings.json', '{\n  "hooks": { // mine\n  }\n}\n'],
    ['claude-code', '.claude/settings.json', '{\n  "hooks": { "Stop": [ /* mine */ ] }\n}\n'],
    ['claude-code', '.claude/settings.json', '{\n  "permissions": { "allow": [ // mine\n  ] }\n}\n'],
    ['claude-code', '.claude.json', '{\n  "mcpServers": { /* mine */ }\n}\n'],
    ['gemini', '.gemini/settings.json', '{\n  "mcpServers": {\n    // mine\n  }\n}\n'],
    ['opencode', '.config/opencode/opencode.json', '{\n  "mcp": { /* mine */ }\n}\n'],
  ])('of %s in %s %j stays at disconnect', async (client, file, text) => {
    for (const change of [() => edit(file, (now) => now.replace('{', '{ "first": 1,')), forget]) {
      put(file, text);
      await run(`connect ${client} --user`);
      change();
      expect(await run(`disconnect ${client} --user`)).toMatchObject({ code: 0 });
      expect(textOf(file)).toContain('mine');
      expect(json(file)).toMatchObject(jsonc.parse(text));
      expect(textOf(file)).not.toContain('countersign');
    }
  });
});
