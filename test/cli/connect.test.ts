// `connect` and `disconnect` on real files: what else is in them stays, and goes back as it was, byte for byte.
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
import { cli } from './io-double.js';

let dir: string;
let project: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'countersign-connect-'));
  project = join(dir, 'project');
  mkdirSync(project);
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const run = (line: string, stdin = '') =>
  cli([...line.split(' '), '--project-dir', project], { env: { HOME: dir }, stdin });

/** Every file and folder of the user and the project, but for what `connect` remembers. */
function everything(): Record<string, string> {
  const names = readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter(
    (name) => !name.startsWith('.local'),
  );
  return Object.fromEntries(
    names.map((name) => [
      name,
      statSync(join(dir, name)).isFile() ? readFileSync(join(dir, name), 'latin1') : 'folder',
    ]),
  );
}

function put(name: string, text: string): string {
  const file = join(dir, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}
const textOf = (name: string) => readFileSync(join(dir, name), 'utf8');

const SCOPES = ['--project', '--user'] as const;
const CLIENTS = ['claude-code', 'codex', 'gemini', 'opencode'] as const;
const BOTH = CLIENTS.flatMap((client) => SCOPES.map((scope) => [client, scope] as const));

/** The files that a connection of the project and of the user joins, beside those that it makes. */
const FILES: Record<(typeof CLIENTS)[number], Record<(typeof SCOPES)[number], string>> = {
  'claude-code': { '--project': 'project/.claude/settings.json', '--user': '.claude/settings.json' },
  codex: { '--project': 'project/.codex/config.toml', '--user': '.codex/config.toml' },
  gemini: { '--project': 'project/.gemini/settings.json', '--user': '.gemini/settings.json' },
  opencode: { '--project': 'project/opencode.json', '--user': '.config/opencode/opencode.json' },
};

const JSON_TEXTS = [
  '',
  '{}',
  '{}\n',
  '{ }',
  '{\n}\n',
  '\uFEFF{"a": 1}',
  '{"a": 1}',
  '{ "a": [], "hooks": {}, "permissions": { "allow": [] }, "mcp": {}, "mcpServers": { } }',
  '{\r\n\t"a": 1, // why\r\n\t"hooks": {\r\n\t\t"Stop": [\r\n\t\t\t{ "hooks": [{ "type": "command", "command": "notify-me" }] }\r\n\t\t]\r\n\t}\r\n}',
  '{\n    "permissions": {\n        "allow": ["Bash(ls)", "mcp__countersign"], // mine\n    },\n    /* last */\n}\n',
  '// only a comment\n{\n  // nothing yet\n}\n',
  '{\n  "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": "a" }] }], "AfterAgent": [] },\n  "mcpServers": {\n    "other": { "command": "x" }\n  },\n  "mcp": {\n    "other": { "type": "local", "command": ["x"] }\n  }\n}',
  '{"mcpServers":{"countersign":{"type":"http","url":"http://127.0.0.1:4717/mcp"}},"mcp":{"countersign":{"type":"remote","url":"x"}}}',
  // Members given twice, by hand or by a tool: the last one counts.
  '{"a": 1, "a": 2}',
  '{"hooks": {}, "a": 1, "hooks": {"Stop": []}}\n',
  '{"hooks":{"Stop":[{"hooks":[]}],"Stop":[]},"mcpServers":{},"mcpServers":{"other":{}},"mcp":{},"mcp":{}}',
  // Two kinds of line ends, commas at ends, comments in empty and filled lists.
  '{\r\n  "a": 1,\n  "b": 2,\r\n}',
  '\uFEFF{\r\n\t"a": [1, 2, ],\r\n}\r\n\r\n',
  '{\n  "hooks": {\n    "Stop": [ /* none yet */ ], // why\n    "SessionStart": [\n      // later\n    ],\n  },\n}\n',
  '{\n\t"permissions": {"allow": [ // why\n\t]}, "mcpServers": { // why\n\t},\n\t"mcp": { /* last */ }\n}',
  '/* one */ /* two */ {"a": "// no comment", "b": "/* nor this */"} // after\n// the end',
  '  \n\n{"a":1}   \n\n',
  '{"é": "ü→\u2028", "b\\u0061": "\\ud83d\\ude00 😀"}',
  '{"a":1}\r',
];
const TOML_TEXTS = [
  '',
  '\n\n',
  '# only a comment',
  'model = "x"',
  'model = "x" # the good one\r\n\r\n[[hooks.Stop]]\r\n[[hooks.Stop.hooks]]\r\ntype = "command"\r\ncommand = "notify-me"\r\n',
  '[mcp_servers.other]\ncommand = "x"\n\n\n',
  '[mcp_servers.countersign]\ncommand = "countersign"\nargs = ["mcp"]\n\n[tui]\ntheme = "x"\n',
  '\uFEFFmodel = "x"\r\n# the good one',
  'model = "x"\n\n[mcp_servers] # why\n# later\n\n[mcp_servers.other] # why\ncommand = "x" # why\n# the end',
  '[features]\n\thooks = true\n[projects."/elsewhere"]\ntrust_level = "trusted"\n\n\n# the end\n\n',
  'notify = """\n[mcp_servers.countersign]\n# no comment\n"""\nother = \'\'\'\n[[hooks.Stop]]\'\'\'\n',
  'a = [\n  1, # why\n  2,\n] # why\n[tui]\ntheme = "é😀"',
  '[hooks]\n# none yet\n[[hooks.PreToolUse]] # why\nmatcher = "other"\n[[hooks.PreToolUse.hooks]]\ntype = "command"\ncommand = "notify-me"',
  'model = "x"\r\n\n[tui]\r\ntheme = "x"\n',
];
const TEXTS = BOTH.flatMap(([client, scope]) =>
  (client === 'codex' ? TOML_TEXTS : JSON_TEXTS).map((text) => [client, scope, text] as const),
);

const parsed = (client: string, text: string): any =>
  client === 'codex' ? parse(text) : jsonc.parse(text.replace(/^\uFEFF/, ''));

describe('connect', () => {
  it.each(BOTH)(
    'of %s %s makes files that disconnect takes away, with their folders',
    async (client, scope) => {
      const before = everything();
      const made = await run(`connect ${client} ${scope} --yes`);
      expect(made).toMatchObject({ code: 0 });
      expect(made.out).toMatch(/^--- \/dev\/null$/m);
      expect(everything()).not.toEqual(before);
      expect((await run(`disconnect ${client} ${scope} --yes`)).code).toBe(0);
      expect(everything()).toEqual(before);
      expect(existsSync(join(dir, '.local/state/countersign/connected'))).toBe(true);
      expect(readdirSync(join(dir, '.local/state/countersign/connected'))).toEqual([]);
    },
  );

  it.each(TEXTS)('of %s %s joins %j, and disconnect gives it back', async (client, scope, text) => {
    put(FILES[client][scope], text);
    const before = everything();
    expect(await run(`connect ${client} ${scope} --yes --gate`)).toMatchObject({ code: 0 });
    const connected = textOf(FILES[client][scope]);
    const settings = parsed(client, connected);
    const servers = settings[{ codex: 'mcp_servers', opencode: 'mcp' }[client as string] ?? 'mcpServers'];
    if (client !== 'claude-code') expect(JSON.stringify(servers.countersign)).toContain('"mcp"');
    if (client !== 'opencode') expect(connected).toContain('countersign hook stop');
    for (const kept of text.match(/notify-me|other|\/\/ why|\/\* last \*\/|# the good one|theme/g) ?? []) {
      expect(connected).toContain(kept);
    }
    if (/^[^\n]*\r\n/.test(text) && !/[^\r]\n/.test(text))
      expect(connected.replaceAll('\r\n', '')).not.toContain('\n');
    // Once more changes nothing.
    const once = everything();
    const again = await run(`connect ${client} ${scope} --yes --gate`);
    expect(again).toMatchObject({ code: 0, out: '', err: expect.stringContaining('Nothing to change') });
    expect(everything()).toEqual(once);
    // Other wishes take the place of the first.
    await run(`connect ${client} ${scope} --yes`);
    expect(textOf(FILES[client][scope])).not.toContain('|| exit 2');
    expect((await run(`disconnect ${client} ${scope} --yes`)).code).toBe(0);
    expect(everything()).toEqual(before);
  });

  it.each(TEXTS.filter(([client]) => client !== 'opencode'))(
    'of the hooks of %s %s alone joins %j, and hook uninstall gives it back',
    async (client, scope, text) => {
      put(FILES[client][scope], text);
      const before = everything();
      const flags = `--client ${client} ${scope} --yes`;
      expect(await run(`hook install ${flags} --gate`)).toMatchObject({ code: 0 });
      expect(textOf(FILES[client][scope])).toContain('countersign hook stop');
      parsed(client, textOf(FILES[client][scope]));
      expect((await run(`hook uninstall ${flags}`)).code).toBe(0);
      expect(everything()).toEqual(before);
    },
  );

  it.each(BOTH)('of %s %s keeps what was changed meanwhile', async (client, scope) => {
    const file = FILES[client][scope];
    put(file, client === 'codex' ? 'model = "x"\n' : '{\n  "model": "x"\n}\n');
    await run(`connect ${client} ${scope} --yes`);
    const changed = textOf(file).replace('"x"', '"y"');
    writeFileSync(
      join(dir, file),
      client === 'codex' ? `${changed}\n[tui]\ntheme = "z"\n` : changed.replace(/^\{/, '{ "first": [1],'),
    );
    await run(`disconnect ${client} ${scope} --yes`);
    expect(parsed(client, textOf(file))).toEqual(
      client === 'codex' ? { model: 'y', tui: { theme: 'z' } } : { first: [1], model: 'y' },
    );
  });

  it.each(BOTH)('of %s %s is undone also where nothing is remembered of it', async (client, scope) => {
    const file = FILES[client][scope];
    const text = client === 'codex' ? 'model = "x"\n' : '{\n  "model": "x"\n}\n';
    put(file, text);
    await run(`connect ${client} ${scope} --yes`);
    rmSync(join(dir, '.local'), { recursive: true });
    expect(await run(`connect ${client} ${scope} --yes`)).toMatchObject({ out: '' });
    await run(`disconnect ${client} ${scope} --yes`);
    expect(parsed(client, textOf(file))).toEqual({ model: 'x' });
    expect(JSON.stringify(everything())).not.toMatch(/countersign (hook|mcp)|countersign","mcp/);
  });

  it.each(BOTH)(
    'of %s %s shows all of it, asks once, and writes nothing without a yes',
    async (client, scope) => {
      const before = everything();
      for (const [flags, stdin, code] of [
        ['', '', 1],
        ['', 'n\n', 1],
        [' --dry-run', '', 0],
      ] as const) {
        const ran = await run(`connect ${client} ${scope}${flags}`, stdin);
        expect(ran.code).toBe(code);
        expect(ran.out).toMatch(/^\+.*countersign/m);
        expect(everything()).toEqual(before);
      }
      const ran = await run(`connect ${client} ${scope}`, 'y\n');
      expect(ran.code).toBe(0);
      expect(ran.err.match(/\[y\/N\]/g)).toHaveLength(1);
      const shown = [...ran.out.matchAll(/^\+\+\+ (\S+)$/gm)].map(([, name]) => name);
      const wrote = [...ran.err.matchAll(/Wrote (\S+)\.$/gm)].map(([, name]) => name);
      expect(wrote).toEqual(shown);
    },
  );

  it.each(BOTH)('of %s %s that finds a broken file writes none', async (client, scope) => {
    const broken = client === 'codex' ? 'a = 1\nb = \n' : '{\n  "a": 1,\n  "b" 2\n}';
    const file = put(FILES[client][scope], broken);
    const before = everything();
    for (const verb of ['connect', 'disconnect']) {
      const ran = await run(`${verb} ${client} ${scope} --yes`);
      expect(ran).toMatchObject({ code: 2, out: '' });
      expect(ran.err).toContain(file);
      expect(ran.err).toMatch(client === 'codex' ? /not TOML: .* in line 2/ : /not JSON: .* in line 3/);
      expect(ran.err).toContain('nothing was written');
      expect(everything()).toEqual(before);
    }
  });

  it('that cannot write its second file gives the first back', async () => {
    put('project/.claude/settings.json', '{"a": 1}');
    put('project/.mcp.json/in-the-way', '');
    const before = everything();
    const ran = await run('connect claude-code --yes');
    expect(ran.code).toBe(2);
    expect(ran.err).toContain('.mcp.json');
    expect(everything()).toEqual(before);
  });

  it('takes no file that is no text', async () => {
    writeFileSync(put('project/.gemini/settings.json', ''), Buffer.from([0x7b, 0xff, 0x7d]));
    const before = everything();
    expect(await run('connect gemini --yes')).toMatchObject({
      code: 2,
      err: expect.stringContaining('no text in UTF-8'),
    });
    expect(everything()).toEqual(before);
  });

  it('goes through links and keeps the rights of a file', async () => {
    const target = put('dotfiles.toml', 'model = "x"\n');
    chmodSync(target, 0o600);
    mkdirSync(join(dir, '.codex'));
    symlinkSync(target, join(dir, '.codex/config.toml'));
    for (const [verb, holds] of [
      ['connect', true],
      ['disconnect', false],
    ] as const) {
      await run(`${verb} codex --user --yes`);
      expect(lstatSync(join(dir, '.codex/config.toml')).isSymbolicLink()).toBe(true);
      expect(textOf('dotfiles.toml').includes('countersign')).toBe(holds);
      expect(statSync(target).mode & 0o777).toBe(0o600);
    }
    expect(readdirSync(dir).sort()).toEqual(['.codex', '.local', 'dotfiles.toml', 'project']);
  });

  it('keeps what it remembers from others', async () => {
    await run('connect codex --user --yes');
    const folder = join(dir, '.local/state/countersign/connected');
    expect(statSync(folder).mode & 0o077).toBe(0);
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o077).toBe(0);
  });

  it('leaves the trust that people gave themselves', async () => {
    put('.claude.json', JSON.stringify({ projects: { [project]: { hasTrustDialogAccepted: true } } }));
    put('project/.claude/settings.json', '{"permissions": {"allow": ["mcp__countersign"]}}');
    const before = everything();
    await run('connect claude-code --yes');
    await run('disconnect claude-code --yes');
    expect(everything()).toEqual(before);
    await run('connect claude-code --yes');
    writeFileSync(
      join(dir, 'project/.claude/settings.json'),
      textOf('project/.claude/settings.json').replace(/^\{/, '{ "model": "x",'),
    );
    await run('disconnect claude-code --yes');
    const { model, permissions } = parsed('claude-code', textOf('project/.claude/settings.json'));
    expect([model, permissions.allow[0]]).toEqual(['x', 'mcp__countersign']);
    expect(textOf('project/.claude/settings.json')).not.toContain('countersign hook');
  });

  it('lets codex exec write, wait for its server, and run hooks that nobody has looked at', async () => {
    await run('connect codex --project --yes --url http://10.0.0.1:4717');
    const { mcp_servers } = parsed('codex', textOf('project/.codex/config.toml'));
    expect(mcp_servers.countersign).toMatchObject({
      args: ['mcp', '--url', 'http://10.0.0.1:4717'],
      default_tools_approval_mode: 'approve',
      required: true,
    });
    const { projects, hooks } = parsed('codex', textOf('.codex/config.toml'));
    expect(projects[project]).toEqual({ trust_level: 'trusted' });
    const keys = Object.keys(hooks.state);
    expect(keys).toContain(`${join(project, '.codex/config.toml')}:stop:0:0`);
    for (const key of keys) expect(hooks.state[key].trusted_hash).toMatch(/^sha256:[0-9a-f]{64}$/);
  });

  it('trusts the end of a session as Codex does, which cuts the time of that hook', async () => {
    await run('connect codex --project --yes');
    const { hooks } = parsed('codex', textOf('.codex/config.toml'));
    // What Codex 0.169 itself writes when its user trusts this hook.
    expect(hooks.state[`${join(project, '.codex/config.toml')}:session_end:0:0`].trusted_hash).toBe(
      'sha256:66eab562df21c8e47a83b5fbf4783d43b0aaf70e8a5c6020258a0616473be0ff',
    );
  });

  it('does not trust a project for Codex that its user does not trust', async () => {
    put('.codex/config.toml', `[projects."${project}"]\ntrust_level = "untrusted"\n`);
    const before = everything();
    expect(await run('connect codex --yes')).toMatchObject({
      code: 2,
      err: expect.stringContaining('Codex does not trust'),
    });
    expect(everything()).toEqual(before);
  });

  it('does not trust a folder for Gemini CLI that its user does not trust', async () => {
    put(
      '.gemini/trustedFolders.json',
      JSON.stringify({ '/other': 'TRUST_FOLDER', [project]: 'DO_NOT_TRUST' }),
    );
    const before = everything();
    expect(await run('connect gemini --yes')).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining(`Gemini CLI does not trust ${project} (DO_NOT_TRUST)`),
    });
    expect(everything()).toEqual(before);
    // The settings of the user and the hooks alone need no trust in the folder.
    expect(await run('connect gemini --user --yes')).toMatchObject({ code: 0 });
    expect(await run('hook install --client gemini --yes')).toMatchObject({ code: 0 });
  });

  it('leaves a folder as it is that Gemini CLI trusts with its parent', async () => {
    put('.gemini/trustedFolders.json', JSON.stringify({ [project]: 'TRUST_PARENT' }));
    const before = everything();
    expect(await run('connect gemini --yes')).toMatchObject({ code: 0 });
    expect(textOf('.gemini/trustedFolders.json')).toContain('TRUST_PARENT');
    expect(await run('disconnect gemini --yes')).toMatchObject({ code: 0 });
    expect(everything()).toEqual(before);
  });

  it('leaves a plugin of opencode that somebody else wrote', async () => {
    put('project/.opencode/plugin/countersign.js', '// mine\n');
    const before = everything();
    expect(await run('connect opencode --yes')).toMatchObject({ code: 2 });
    expect(everything()).toEqual(before);
  });

  it('and hook install are one: each takes out what is its own', async () => {
    put('.codex/config.toml', 'model = "x"\n');
    const before = everything();
    await run('hook install --client codex --user --yes');
    await run('connect codex --user --yes');
    await run('hook install --client codex --user --yes --gate');
    expect(parsed('codex', textOf('.codex/config.toml'))).toMatchObject({
      mcp_servers: { countersign: { required: true } },
      hooks: { PreToolUse: [{ matcher: '.*' }] },
    });
    await run('hook uninstall --client codex --user --yes');
    expect(textOf('.codex/config.toml')).toContain('mcp_servers.countersign');
    expect(textOf('.codex/config.toml')).not.toContain('countersign hook');
    await run('disconnect codex --user --yes');
    expect(everything()).toEqual(before);
  });

  it.each([
    ['connect nobody', /There is no client nobody; there are claude-code, codex, gemini, opencode/],
    ['connect codex --project --user', /contradict each other/],
    ['connect gemini --agents x', /has no hook subagent-stop/],
    ['connect codex --url http://x/$(rm)', /Not the URL of a service/],
  ])('as %s is refused', async (line, words) => {
    const before = everything();
    expect(await run(`${line} --yes`)).toMatchObject({ code: 2, err: expect.stringMatching(words) });
    expect(everything()).toEqual(before);
  });
});
