import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import Database from 'better-sqlite3';
import { keepStatements } from '../../../src/store/sqlite/kept-statements.js';
import type { CliIo } from '../../../src/cli/index.js';
import { copyDatabase } from '../../../src/main/commands/copy-database.js';
import { createToken, listTokens, revokeToken } from '../../../src/main/commands/tokens.js';

const dirs: string[] = [];
afterEach(() => {
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true });
});

function stage() {
  const dir = mkdtempSync(join(tmpdir(), 'countersign-tokens-'));
  dirs.push(dir);
  const written = { out: '', err: '' };
  const io: CliIo = {
    stdout: { write: (text) => (written.out += text) },
    stderr: { write: (text) => (written.err += text) },
    stdin: Readable.from([]),
    env: {},
    isTTY: false,
    width: 80,
  };
  return { dir, db: join(dir, 'typo.db'), io, written };
}

describe('tokens of a database that is not there', () => {
  it.each([
    ['list', (db: string, io: CliIo) => listTokens({ db, json: false }, io)],
    ['revoke', (db: string, io: CliIo) => revokeToken({ db, token: 'ci', json: false }, io)],
  ])('are refused by %s, which makes no file', async (_, run) => {
    const { dir, db, io, written } = stage();
    expect(await run(db, io)).toBe(2);
    expect(written.out).toBe('');
    expect(written.err).toContain(`The database ${db} cannot be used: there is no such file.\n`);
    expect(readdirSync(dir)).toEqual([]);
  });

  it('are refused for an empty file, which stays empty', async () => {
    const { dir, db, io, written } = stage();
    writeFileSync(db, '');
    expect(await listTokens({ db, json: false }, io)).toBe(2);
    expect(written.err).toContain('the file is empty');
    expect([readdirSync(dir), statSync(db).size]).toEqual([['typo.db'], 0]);
  });

  it.each([
    ['token list', (db: string, io: CliIo) => listTokens({ db, json: true }, io)],
    ['token revoke', (db: string, io: CliIo) => revokeToken({ db, token: 'ci', json: true }, io)],
    ['db copy', (db: string, io: CliIo) => copyDatabase({ from: db, to: 'postgres://x/y', json: true }, io)],
    [
      'db copy to no server',
      (db: string, io: CliIo) => copyDatabase({ from: db, to: 'foo', json: true }, io),
    ],
  ])('are refused in JSON by %s --json', async (_, run) => {
    const { db, io, written } = stage();
    expect(await run(db, io)).toBe(2);
    expect(written.out).toBe('');
    expect(JSON.parse(written.err)).toMatchObject({ error: 'database_unusable' });
  });

  it('can be made: the first token comes before the first start', async () => {
    const { db, io, written } = stage();
    expect(await createToken({ db, name: 'ci', role: 'reader', json: false }, io)).toBe(0);
    expect(existsSync(db)).toBe(true);
    written.out = '';
    expect(await listTokens({ db, json: true }, io)).toBe(0);
    expect(written.out).toContain('"name":"ci"');
  });

  it.each([
    ['the file', 'typo.db', 0o400],
    ['its folder', '.', 0o500],
  ])('are listed where %s cannot be written, and nothing is left', async (_, name, mode) => {
    const { dir, db, io, written } = stage();
    await createToken({ db, name: 'ci', role: 'reader', json: false }, io);
    const before = readdirSync(dir);
    chmodSync(join(dir, name), mode);
    written.out = '';
    expect(await listTokens({ db, json: true }, io)).toBe(0);
    expect(written.out).toContain('"name":"ci"');
    expect(await revokeToken({ db, token: 'ci', json: false }, io)).toBe(2);
    expect(written.err).toContain('cannot be written');
    expect(readdirSync(dir)).toEqual(before);
    chmodSync(join(dir, name), 0o700);
  });

  it('are made once for a name, however many ask at the same time', async () => {
    const { db, io, written } = stage();
    expect(await createToken({ db, name: 'first', role: 'admin', json: false }, io)).toBe(0);
    const asked = Array.from({ length: 4 }, () =>
      createToken({ db, name: 'ci', role: 'reader', json: false }, io),
    );
    expect((await Promise.all(asked)).sort()).toEqual([0, 5, 5, 5]);
    expect(written.err).toContain('There is a token named ci already; revoke it first');
    written.out = '';
    await listTokens({ db, json: true }, io);
    expect(written.out.match(/"name":"ci"/g)).toHaveLength(1);
    expect(await revokeToken({ db, token: 'ci', json: false }, io)).toBe(0);
    expect(await revokeToken({ db, token: 'ci', json: false }, io)).toBe(4);
    expect(written.err).toContain('There is no token ci in force.');
  });
});

describe('a database that another program holds', () => {
  it('gets no token, and says why', async () => {
    const { db, io, written } = stage();
    expect(await createToken({ db, name: 'first', role: 'reader', json: false }, io)).toBe(0);
    const holder = keepStatements(new Database(db));
    const made = createToken({ db, name: 'second', role: 'reader', json: false }, io);
    holder.exec('begin immediate');
    expect(await made).toBe(1);
    holder.close();
    expect(written.err).toContain('(storage_busy)');
  });
});
