import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { STORY_MS_MAX } from '../../support/eventually.js';
import { freePort } from '../../support/free-port.js';
import { Program, runProgram } from '../../support/program.js';
import { Stage } from '../../support/stage.js';

describe.concurrent('a program that cannot start', { timeout: STORY_MS_MAX }, () => {
  const dir = mkdtempSync(join(tmpdir(), 'countersign-start-'));
  const db = join(dir, 'countersign.db');
  const junk = join(dir, 'junk.db');
  const readOnly = join(dir, 'read-only.db');
  writeFileSync(readOnly, '', { mode: 0o444 });
  writeFileSync(junk, 'this is no database, and it was never meant to be one\n');
  const taken: { port: number; server: Server } = { port: 0, server: createServer() };
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.open({ runner: null });
    taken.port = await freePort();
    await new Promise<void>((resolve) => taken.server.listen(taken.port, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    taken.server.close();
    await stage.close();
    rmSync(dir, { recursive: true, force: true });
  });

  it.each<[string, () => readonly string[], string, Record<string, string>?]>([
    [
      'an address that others can reach, without --auth',
      () => ['serve', '--host', '0.0.0.0', '--db', db],
      '0.0.0.0 can be reached by others: add --auth (and make tokens with: countersign token create), or bind 127.0.0.1.',
    ],
    [
      'a port that is taken',
      () => ['serve', '--port', String(taken.port), '--db', db],
      'is taken by another program; choose another, or 0 for a free one.',
    ],
    [
      'a database that cannot be written, not even by root',
      () => ['serve', '--port', '0', '--db', '/proc/countersign.db'],
      'The database /proc/countersign.db cannot be used: its folder /proc cannot be written',
    ],
    [
      'a database that nobody may write, not even root',
      () => ['serve', '--port', '0', '--db', readOnly],
      `The database ${readOnly} cannot be used: it cannot be written`,
    ],
    [
      'a database in a folder that is not there',
      () => ['serve', '--port', '0', '--db', join(dir, 'nowhere', 'countersign.db')],
      `cannot be used: there is no folder ${join(dir, 'nowhere')}`,
    ],
    [
      'a database that is a folder',
      () => ['serve', '--port', '0', '--db', dir],
      `The database ${dir} cannot be used: it is a folder, not a regular file`,
    ],
    ['a database that is none', () => ['serve', '--port', '0', '--db', junk], 'it is not an SQLite database'],
    [
      'a database that another coordinator holds',
      () => ['serve', '--port', '0', '--db', stage.db],
      'is in use by another coordinator; stop it, or use another file',
    ],
    [
      'a secret for session tokens that can be guessed',
      () => ['serve', '--port', '0', '--db', join(dir, 'guessable.db')],
      'COUNTERSIGN_TOKEN_SECRET has 31 bytes; it needs at least 32',
      { COUNTERSIGN_TOKEN_SECRET: 'x'.repeat(31) },
    ],
    [
      'a signing secret that can be guessed',
      () => ['serve', '--port', '0', '--db', join(dir, 'guessable.db')],
      'COUNTERSIGN_SIGNING_SECRET has 31 characters; it needs at least 32',
      { COUNTERSIGN_SIGNING_SECRET: ` ${'ü'.repeat(31)}\n` },
    ],
    [
      'a previous signing secret that can be guessed',
      () => ['serve', '--port', '0', '--db', join(dir, 'guessable.db')],
      'COUNTERSIGN_SIGNING_SECRET_PREVIOUS has 1 characters; it needs at least 32',
      { COUNTERSIGN_SIGNING_SECRET: 'x'.repeat(32), COUNTERSIGN_SIGNING_SECRET_PREVIOUS: 'x' },
    ],
    [
      'a previous signing secret alone',
      () => ['serve', '--port', '0', '--db', join(dir, 'guessable.db')],
      'COUNTERSIGN_SIGNING_SECRET is not: it has to be the secret that signs',
      { COUNTERSIGN_SIGNING_SECRET_PREVIOUS: 'x'.repeat(32) },
    ],
  ])('says in one sentence what is wrong: %s', async (_, args, sentence, env = {}) => {
    const { code, stdout, stderr } = await runProgram(args(), { env });
    expect(stderr).toMatch(/^error: [^\n]+\n$/);
    expect(stderr).toContain(sentence);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  });

  it('makes no database where the secret is refused', () => {
    expect(existsSync(join(dir, 'guessable.db'))).toBe(false);
  });

  it('starts beside a FIFO among the agents, and names it', async () => {
    const agents = join(dir, 'agents');
    mkdirSync(agents);
    writeFileSync(join(agents, 'fine.json'), '{"executor": "command", "command": "true"}');
    execFileSync('mkfifo', [join(agents, 'pipe.json')]);
    const args = ['serve', '--port', '0', '--db', join(dir, 'agents.db'), '--agents', agents];
    const program = await Program.start(args);
    try {
      await program.printed(/countersign is ready at/);
      expect(program.log).toMatch(/"agent":"pipe".*is a FIFO, not a regular file/);
      expect(program.log).not.toContain('"agent":"fine"');
    } finally {
      await program.end();
    }
  });

  it('says what is wrong and what to do where a runner finds no coordinator', async () => {
    const url = `http://127.0.0.1:${String(await freePort())}`;
    const { code, stderr } = await runProgram(['runner', '--url', url, '--exec', 'true']);
    expect(stderr).toMatch(
      /^error: The service at [^\n]+ cannot be reached \(ECONNREFUSED\)\nhint: start it [^\n]+\n$/,
    );
    expect(code).toBe(3);
  });

  it('says what is wrong and what to do where a runner has nothing to execute', async () => {
    const { code, stderr } = await runProgram(['serve', '--runner', '--db', db]);
    expect(stderr).toMatch(/^error: A runner needs to know what to execute[^\n]+\nhint: [^\n]+\n$/);
    expect(code).toBe(2);
  });
});

describe('a program that starts', { timeout: STORY_MS_MAX }, () => {
  it('prints one line, and ends with 0 when it is told to', async () => {
    const stage = await Stage.open({ runner: null });
    const { code, stdout, stderr } = await stage.coordinator.end('SIGTERM');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(`countersign is ready at ${stage.url}\n`);
    await stage.close();
  });
});
