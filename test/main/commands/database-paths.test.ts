// Every command that takes --db is given what is no database: one plain sentence, exit code, and nothing is created.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import Database from 'better-sqlite3';
import type { Command } from 'commander';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { runCli, type CliIo, type WiredCommands } from '../../../src/cli/index.js';
import { programParts } from '../../../src/cli/command-list.js';
import { createProgram } from '../../../src/cli/program.js';
import { agentFolder } from '../../../src/main/runner/agent-folder.js';
import { examineFile } from '../../../src/main/commands/doctor-file.js';
import { backup } from '../../../src/main/evidence/backup.js';
import { verify } from '../../../src/main/evidence/verify.js';
import { serve } from '../../../src/main/commands/serve.js';
import { keepStatements } from '../../../src/store/sqlite/kept-statements.js';
import { createToken, listTokens, revokeToken } from '../../../src/main/commands/tokens.js';

const unused = () => Promise.reject(new Error('not part of this test'));
const wired: WiredCommands = {
  serve: (options, io) => serve(options, io, () => undefined),
  runner: unused,
  mcp: unused,
  demo: unused,
  copyDatabase: unused,
  tokenCreate: createToken,
  tokenList: listTokens,
  tokenRevoke: revokeToken,
  examineFile,
  verify,
  backup,
  restore: unused,
  compareSchemas: unused,
};

async function run(argv: readonly string[]) {
  let out = '';
  let err = '';
  const io: CliIo = {
    stdout: { write: (text) => (out += text) },
    stderr: { write: (text) => (err += text) },
    stdin: Readable.from([]),
    env: {},
    isTTY: false,
    width: 80,
  };
  return { code: await runCli(argv, io, wired), out, err };
}

/** Arguments without which a command does not get as far as its database. */
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  serve: ['--port', '0', '--log-level', 'silent'],
  'token create': ['--name', 'ci', '--role', 'reader'],
  'token revoke': ['ci'],
  backup: [path.join(tmpdir(), 'countersign-never-made.db')],
};

async function commandsWithDatabase(): Promise<string[]> {
  const io = { env: {}, isTTY: false, width: 80 } as CliIo;
  const program = createProgram({ io, setExitCode: () => undefined }, await programParts(undefined, wired));
  const below = (command: Command, words: readonly string[]): string[] =>
    command.commands.flatMap((one) => {
      const own = [...words, one.name()];
      const takes = one.options.some((option) => option.long === '--db');
      return [...(takes ? [own.join(' ')] : []), ...below(one, own)];
    });
  return below(program, []);
}

const dir = mkdtempSync(path.join(tmpdir(), 'countersign-paths-'));
const at = (name: string) => path.join(dir, name);
mkdirSync(at('folder'));
execFileSync('mkfifo', [at('fifo')]);
writeFileSync(at('text'), 'This is no database, but a text that is long enough to be taken for one.');
writeFileSync(at('short'), 'x');
writeFileSync(at('secret'), 'SQLite format 3\0 and more');
chmodSync(at('secret'), 0);
symlinkSync(at('loop'), at('loop'));
symlinkSync(at('fifo'), at('link'));
afterAll(() => rmSync(dir, { recursive: true }));

/** `serve` listens for errors of its process until that ends. */
const EVENTS = ['uncaughtException', 'unhandledRejection'] as const;
const own = EVENTS.map((event) => process.listeners(event as 'exit'));
afterEach(() => {
  EVENTS.forEach((event, i) => {
    for (const listener of process.listeners(event as 'exit'))
      if (!own[i]?.includes(listener)) process.off(event, listener);
  });
});

const PATHS: readonly [what: string, path: string, why: RegExp][] = [
  ['the root', '/', /is a folder/],
  ['a folder', at('folder'), /is a folder/],
  ['a FIFO', at('fifo'), /is a FIFO/],
  ['a link to a FIFO', at('link'), /is a FIFO/],
  ['/dev/null', '/dev/null', /is a device/],
  ['/dev/zero', '/dev/zero', /is a device/],
  ['an unreadable file', at('secret'), /may not be read/],
  ['a text', at('text'), /is not an SQLite database/],
  ['a short text', at('short'), /is not an SQLite database/],
  ['a loop of links', at('loop'), /links form a loop/],
  ['a path under a file', at('text/x.db'), /part of its path is a file/],
  ['a path far under a file', at('text/x/y.db'), /part of its path is a file/],
  ['a name that is too long', at('x'.repeat(300)), /name is too long/],
  ['a path that is too long', `/${'x/'.repeat(3000)}y.db`, /name is too long/],
  ['a missing folder', at('none/x.db'), /no folder|no such file/],
];

const databaseCommands = await commandsWithDatabase();

/** These answer as the API does; the others have not started. */
const ANSWERING = new Set(['doctor', 'verify', 'backup', 'token create', 'token list', 'token revoke']);

// `restore` makes a new database: test/main/evidence.
describe.each(databaseCommands.filter((command) => command !== 'restore'))('%s', (command) => {
  it.each(PATHS)('says in one sentence what is wrong with %s', async (_what, db, why) => {
    const before = readdirSync(dir, { recursive: true });
    const argv = [...command.split(' '), ...(ARGUMENTS[command] ?? []), '--db', db];
    const { code, out, err } = await run(argv);
    expect(err).toMatch(why);
    expect(err.trim().split('\n').length).toBeLessThanOrEqual(ANSWERING.has(command) ? 3 : 1);
    expect(err).not.toMatch(/E[A-Z]{4,}|SQLITE_|\n\s+at /);
    expect({ code, out }).toEqual({ code: ANSWERING.has(command) ? 2 : 1, out: '' });
    expect(readdirSync(dir, { recursive: true })).toEqual(before);
  });
});

// As a copy of a database is whose log was left behind.
it.each(['doctor', 'verify', 'backup', 'token list', 'token revoke'])(
  '%s refuses a file without tables',
  async (command) => {
    const db = at('without-tables');
    keepStatements(new Database(db)).pragma('user_version = 1');
    const before = readFileSync(db);
    const { code, out, err } = await run([...command.split(' '), ...(ARGUMENTS[command] ?? []), '--db', db]);
    expect(err).toMatch(/has no tables of Countersign; a copy .* needs the file without-tables-wal, too/);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(readFileSync(db).equals(before)).toBe(true);
  },
);

it('is every command that is known to have a database', () => {
  expect(databaseCommands.toSorted()).toEqual(
    ['backup', 'doctor', 'restore', 'serve', 'token create', 'token list', 'token revoke', 'verify'].sort(),
  );
});

it.each(PATHS.filter(([, , why]) => !why.source.includes('folder')))(
  '%s is no folder of agents',
  (_what, folder) => {
    expect(() => agentFolder(folder, 1000)).toThrow(/is not a folder/);
  },
);
