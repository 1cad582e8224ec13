// The tables of `connect` in the settings of Codex, in whatever form of TOML they and their neighbours are written.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'smol-toml';
import { cli } from '../io-double.js';

let dir: string;
let project: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'countersign-tables-'));
  project = join(dir, 'project');
  mkdirSync(project);
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const run = (line: string) =>
  cli([...line.split(' '), '--project-dir', project, '--yes'], { env: { HOME: dir } });
const textOf = (name: string) => readFileSync(join(dir, name), 'utf8');
function put(name: string, text: string): void {
  mkdirSync(dirname(join(dir, name)), { recursive: true });
  writeFileSync(join(dir, name), text);
}
const edit = (name: string, change: (text: string) => string) => put(name, change(textOf(name)));
const forget = () => rmSync(join(dir, '.local'), { recursive: true });

const CODEX = '.codex/config.toml';
const toml = (name = CODEX): any => parse(textOf(name));

describe('a change of a table of connect', () => {
  it.each([
    ['a comment', (text: string) => text.replace('args = ', '# why\nargs = ')],
    ['a comment below the mark', (text: string) => text.replace('[mcp_servers', '# why\n[mcp_servers')],
    ['a blank line', (text: string) => text.replace('required =', '\n \t\nrequired =')],
    ['a value over several lines', (text: string) => text.replace('[ "mcp" ]', '[\n  "mcp", # why\n]')],
    ['a comment in a hook', (text: string) => text.replaceAll('timeout =', '# why\n\ntimeout =')],
    ['a comment at a header', (text: string) => text.replaceAll(/^\[.*\]$/gm, '$& # why')],
    ['spaces', (text: string) => text.replaceAll(/^(?=[[\w])/gm, '  ')],
    ['line ends of Windows', (text: string) => text.replaceAll('\n', '\r\n')],
  ])('of its form does not hinder disconnect and connect: %s', async (_, change) => {
    for (const verb of ['disconnect codex --user', 'connect codex --user --gate']) {
      put(CODEX, 'model = "x"\n');
      await run('connect codex --user');
      edit(CODEX, change);
      expect(await run('connect codex --user')).toMatchObject({ code: 0, out: '' });
      expect(await run(verb)).toMatchObject({ code: 0 });
      expect(await run('disconnect codex --user')).toMatchObject({ code: 0 });
      expect(textOf(CODEX).trim()).toBe('model = "x"');
    }
  });

  it('stays in the server of Codex where its tables stand below others', async () => {
    await run('connect codex --user');
    const tui = '[tui]\ntheme = "x"\n';
    edit(CODEX, (now) => `${now}\n${tui}\n[mcp_servers.countersign.env]\nA = "b"\n`);
    expect(await run('connect codex --user --gate')).toMatchObject({ code: 0 });
    expect(toml().mcp_servers.countersign).toMatchObject({ required: true, env: { A: 'b' } });
    expect(await run('disconnect codex --user')).toMatchObject({ code: 0 });
    expect(textOf(CODEX).trim()).toBe(tui.trim());
  });

  it('does not take comments above the next table with it', async () => {
    await run('connect codex --user');
    const other = '# of the team\n\n# the next\n[tui]\ntheme = "x"\n\n# the end\n';
    edit(CODEX, (now) => now.replace('required = true\n', `required = true\n\n${other}`));
    forget();
    expect(await run('disconnect codex --user')).toMatchObject({ code: 0 });
    expect(textOf(CODEX).trim()).toBe(other.trim());
  });
});

describe('a list of tables where Codex has a table', () => {
  const PROJECT = `project/${CODEX}`;
  it.each([
    [PROJECT, '[[mcp_servers]]\nname = "x"\n', 'mcp_servers'],
    [PROJECT, '[[hooks]]\nname = "x"\n', 'hooks'],
    [CODEX, '[[hooks.state]]\nname = "x"\n', 'hooks.state'],
    [CODEX, '[[projects]]\npath = "/x"\n', 'projects'],
    [CODEX, '[tui]\n[[projects]]\n[[projects.inner]]\na = 1\n', 'projects'],
  ])('is refused, and nothing is written: %s %j', async (file, text, list) => {
    put(file, text);
    const ran = await run('connect codex');
    expect(ran).toMatchObject({ code: 2, out: '' });
    expect(ran.err).toContain(
      `${join(dir, file)}: The settings have ${list} as a list of tables ([[${list}]])`,
    );
    expect(textOf(file)).toBe(text);
    expect(existsSync(join(dir, file === CODEX ? PROJECT : CODEX))).toBe(false);
  });

  it.each(['[[mcp_servers]]', '[[hooks]]', '[[hooks.state]]'])(
    'is refused in the settings of the user: %s',
    async (header) => {
      put(CODEX, `${header}\nname = "x"\n`);
      expect(await run('connect codex --user')).toMatchObject({
        code: 2,
        err: expect.stringContaining(`as a list of tables (${header})`),
      });
      expect(textOf(CODEX)).toBe(`${header}\nname = "x"\n`);
    },
  );
});
