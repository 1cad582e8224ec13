// What `connect` and `disconnect` do to the files themselves: links, permissions and owners, and a failure midway.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cli } from '../io-double.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'countersign-replaced-'));
  mkdirSync(at('project'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const at = (name: string) => join(dir, name);
const run = (line: string) =>
  cli([...line.split(' '), '--project-dir', at('project'), '--yes'], { env: { HOME: dir } });
const textOf = (name: string) => readFileSync(at(name), 'utf8');
function put(name: string, text: string): void {
  mkdirSync(dirname(at(name)), { recursive: true });
  writeFileSync(at(name), text);
}
function link(name: string, target: string): void {
  mkdirSync(dirname(at(name)), { recursive: true });
  symlinkSync(target, at(name));
}

/** Every file, folder and link below the folder: content, permissions and target. */
function everything(): Record<string, string> {
  const names = readdirSync(dir, { recursive: true, encoding: 'utf8' });
  return Object.fromEntries(
    names
      .filter((name) => !/^\.local(\/state(\/countersign(\/connected)?)?)?$/.test(name))
      .map((name) => {
        const found = lstatSync(at(name));
        if (found.isSymbolicLink()) return [name, readlinkSync(at(name))];
        return [name, `${found.mode.toString(8)} ${found.isFile() ? textOf(name) : 'folder'}`];
      }),
  );
}

it.each(['claude-code', 'codex', 'gemini'])(
  'connect of %s by several commands at once is undone as a whole',
  async (client) => {
    const before = everything();
    const codes = await Promise.all(
      Array.from({ length: 4 }, async () => (await run(`connect ${client}`)).code),
    );
    expect(codes).toContain(0);
    expect(await run(`disconnect ${client}`)).toMatchObject({ code: 0 });
    expect(everything()).toEqual(before);
  },
);

const NOBODY = 65_534;
const isRoot = process.geteuid?.() === 0;
/** Root may write everywhere, so it acts as somebody else, who owns all files. */
async function asUser<T>(act: () => Promise<T>): Promise<T> {
  if (!isRoot) return act();
  for (const name of ['', ...readdirSync(dir, { recursive: true, encoding: 'utf8' })]) {
    if (!lstatSync(at(name)).isSymbolicLink()) chownSync(at(name), NOBODY, NOBODY);
  }
  return withoutRights(act);
}
async function withoutRights<T>(act: () => Promise<T>): Promise<T> {
  if (!isRoot) return act();
  process.seteuid?.(NOBODY);
  try {
    return await act();
  } finally {
    process.seteuid?.(0);
  }
}

const SETTINGS = 'project/.claude/settings.json';

describe('a connection that fails', () => {
  /** The user's file is writable, but its folder is not: the last of the four files fails. */
  const failing = (line: string) =>
    asUser(async () => {
      chmodSync(dir, 0o555);
      try {
        return await run(line);
      } finally {
        chmodSync(dir, 0o755);
      }
    });

  it('leaves no folder and no record', async () => {
    put('.claude.json', '{}');
    put('.local/state/x', '');
    chmodSync(dir, 0o755);
    const before = everything();
    const ran = await failing('connect claude-code');
    expect(ran).toMatchObject({ code: 2, err: expect.stringContaining('.claude.json cannot be written') });
    expect(everything()).toEqual(before);
  });

  it('keeps the record of the former one, so that disconnect restores all bytes', async () => {
    const original = '{\n    "a":   1,\n\n\n  "hooks": {"Stop": [ ]}   }\n';
    put(SETTINGS, original);
    chmodSync(dir, 0o755);
    await run('connect claude-code');
    // Another content of the last file, so that it has to be written.
    put('.claude.json', '{}');
    const before = everything();
    const ran = await failing('connect claude-code --gate');
    expect(ran.code).toBe(2);
    expect(everything()).toEqual(before);
    expect((await run('disconnect claude-code')).code).toBe(0);
    expect(textOf(SETTINGS)).toBe(original);
  });

  it('restores removed files with their permissions', async () => {
    await run('connect claude-code');
    put('.claude.json', `{"b": 1, ${textOf('.claude.json').slice(1)}`);
    chmodSync(at(SETTINGS), 0o600);
    chmodSync(dir, 0o755);
    const before = everything();
    expect((await failing('disconnect claude-code')).code).toBe(2);
    expect(everything()).toEqual(before);
  });
});

describe('a state folder that cannot be created', () => {
  it.each([
    ['.local', 'claude-code'],
    ['.local/state', 'codex'],
    ['.local/state/countersign', 'gemini'],
    ['.local/state/countersign/connected', 'opencode'],
  ])('is named, and nothing is written: %s is a file (%s)', async (name, client) => {
    put(name, '');
    const before = everything();
    const ran = await run(`connect ${client}`);
    expect(ran.code).toBe(2);
    expect(ran.err).toMatch(/data for disconnect cannot be written: (\S+) \(E\w+\)/);
    expect(ran.err).toContain(at(name));
    expect(ran.err).not.toMatch(/The file \S+ cannot be written/);
    expect(everything()).toEqual(before);
  });

  it('is named where a record cannot be removed', async () => {
    await run('connect codex --user');
    const folder = at('.local/state/countersign/connected');
    const ran = await asUser(async () => {
      chmodSync(folder, 0o555);
      return run('disconnect codex --user');
    });
    chmodSync(folder, 0o755);
    expect(ran).toMatchObject({ code: 2, err: expect.stringContaining(`cannot be written: ${folder}/`) });
  });
});

it('a refused connection leaves no state folder', async () => {
  put('project/.mcp.json', '{}');
  chmodSync(at('project/.mcp.json'), 0o444);
  const ran = await asUser(() => run('connect claude-code'));
  expect(ran).toMatchObject({
    code: 2,
    err: expect.stringContaining('.mcp.json cannot be written (EACCES)'),
  });
  expect(existsSync(at('.local'))).toBe(false);
});

describe('a file', () => {
  it.each([0o664, 0o666, 0o600, 0o640])('keeps its permissions %o', async (mode) => {
    put(SETTINGS, '{"a": 1}');
    chmodSync(at(SETTINGS), mode);
    for (const verb of ['connect', 'disconnect']) {
      expect((await run(`${verb} claude-code`)).code).toBe(0);
      expect(statSync(at(SETTINGS)).mode & 0o777).toBe(mode);
    }
  });

  it('keeps its owner', async () => {
    put(SETTINGS, '{"a": 1}');
    if (isRoot) chownSync(at(SETTINGS), 1234, 1235);
    const { uid, gid } = statSync(at(SETTINGS));
    for (const verb of ['connect', 'disconnect']) {
      expect((await run(`${verb} claude-code`)).code).toBe(0);
      expect(statSync(at(SETTINGS))).toMatchObject({ uid, gid });
    }
  });

  it('of somebody else keeps its owner and its permissions', async () => {
    put(SETTINGS, '{"a": 1}');
    chmodSync(at(SETTINGS), 0o666);
    const ran = await asUser(async () => {
      if (isRoot) {
        process.seteuid?.(0);
        chownSync(at(SETTINGS), 0, 0);
      }
      return withoutRights(() => run('connect claude-code'));
    });
    expect(ran.code).toBe(0);
    expect(textOf(SETTINGS)).toContain('countersign hook stop');
    expect(statSync(at(SETTINGS))).toMatchObject({ uid: process.getuid?.(), mode: 0o100_666 });
    expect(readdirSync(at('project/.claude'))).toEqual(['settings.json', 'settings.local.json']);
  });

  it.each([SETTINGS, 'project/.mcp.json', '.claude.json'])(
    'that is not writable is refused, and nothing is written: %s',
    async (file) => {
      put(file, '{"a": 1}');
      chmodSync(at(file), 0o444);
      const before = everything();
      expect(await asUser(() => run('connect claude-code'))).toMatchObject({
        code: 2,
        err: expect.stringContaining(`${file} cannot be written (EACCES)`),
      });
      expect(everything()).toEqual(before);
    },
  );
});

describe('a link', () => {
  it.each([
    ['claude-code', SETTINGS, '../../dotfiles/file'],
    ['claude-code', SETTINGS, '../../dotfiles/more/file'],
    ['codex', '.codex/config.toml', '../dotfiles/file'],
    ['codex', 'project/.codex/config.toml', '../../dotfiles/more/file'],
  ])('of %s from %s to %s, where nothing is, stays', async (client, file, target) => {
    mkdirSync(at('dotfiles'));
    link(file, target);
    const before = everything();
    for (const flags of ['', ' --gate']) {
      expect((await run(`connect ${client}${flags}`)).code).toBe(0);
      expect(readlinkSync(at(file))).toBe(target);
      expect(textOf(file)).toContain('countersign');
    }
    expect((await run(`disconnect ${client}`)).code).toBe(0);
    expect(everything()).toEqual(before);
  });

  it.each([
    ['claude-code', 'project/.mcp.json', '{}\n'],
    ['codex', '.codex/config.toml', ''],
    ['opencode', 'project/.opencode/plugin/countersign.js', ''],
  ])('of %s to the file %s that connect made keeps a target', async (client, file, empty) => {
    await run(`connect ${client}`);
    renameSync(at(file), at('moved'));
    symlinkSync(at('moved'), at(file));
    expect((await run(`disconnect ${client}`)).code).toBe(0);
    expect(readlinkSync(at(file))).toBe(at('moved'));
    expect(textOf('moved')).toBe(empty);
    expect(readdirSync(at('.local/state/countersign/connected'))).toEqual([]);
    // The files that are none of a link are gone.
    expect(existsSync(at(SETTINGS))).toBe(false);
    expect(await run(`disconnect ${client}`)).toMatchObject({ code: 0, out: '' });
  });

  it('that leads back to itself is refused', async () => {
    link(SETTINGS, 'settings.json');
    const before = everything();
    expect(await run('connect claude-code')).toMatchObject({
      code: 2,
      err: expect.stringContaining('settings.json cannot be read (ELOOP)'),
    });
    expect(everything()).toEqual(before);
  });
});

it.each([
  ['a FIFO', (file: string) => execFileSync('mkfifo', [file])],
  ['a folder', (file: string) => mkdirSync(file)],
])('settings that are %s are refused, and nothing is written', async (_, make) => {
  for (const [client, file] of [
    ['claude-code', 'project/.mcp.json'],
    ['codex', '.codex/config.toml'],
  ] as const) {
    mkdirSync(dirname(at(file)), { recursive: true });
    make(at(file));
    for (const verb of ['connect', 'disconnect']) {
      expect(await run(`${verb} ${client}`)).toMatchObject({
        code: 2,
        out: '',
        err: expect.stringContaining(`The file ${at(file)} is not a regular file`),
      });
    }
    rmSync(at(file), { recursive: true });
  }
  expect(readdirSync(dir, { recursive: true }).toSorted()).toEqual(['.codex', 'project']);
});
