// What happens to the database of a running service: real files under real processes.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keepStatements } from '../../../src/store/sqlite/kept-statements.js';
import { eventually, STORY_MS_MAX } from '../../support/eventually.js';
import { freePort } from '../../support/free-port.js';
import { Program, runProgram } from '../../support/program.js';
import { must, Stage } from '../../support/stage.js';

describe('the database of a running coordinator', { timeout: STORY_MS_MAX }, () => {
  let stage: Stage;
  let at: string;
  const started: Program[] = [];
  beforeEach(async () => {
    stage = await Stage.open({ runner: null });
    must(await stage.operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
    const { state_id } = must(
      await stage.operator.states.create({ schema_name: 'any', initial_data: { n: 0 } }),
    );
    at = `${stage.url}/workflow-states/${state_id}`;
  });
  afterEach(async () => {
    for (const one of started.splice(0)) await one.end('SIGKILL');
    await stage.close();
  });

  const write = (n: number) =>
    fetch(at, {
      method: 'PATCH',
      headers: { 'content-type': 'application/merge-patch+json' },
      body: JSON.stringify({ n }),
    });
  const ready = async () => (await fetch(`${stage.url}/readyz`)).status;
  const data = async () => ((await (await fetch(at)).json()) as { current_data: { n: number } }).current_data;

  it('takes no write once its files were removed, says why, and can still be read', async () => {
    expect((await write(1)).status).toBe(200);
    for (const name of readdirSync(stage.dir))
      if (name.startsWith('countersign.db')) rmSync(join(stage.dir, name));
    for (const n of [2, 3, 4]) {
      const answer = await write(n);
      expect(answer.status).toBe(503);
      const problem = (await answer.json()) as { error: string; detail: string };
      expect(problem.error).toBe('storage_lost');
      expect(problem.detail).toContain('gone from its path');
      expect(problem.detail).not.toContain(stage.dir);
    }
    expect(await ready()).toBe(503);
    expect((await data()).n).toBeLessThanOrEqual(2);
    expect((await fetch(`${stage.url}/healthz`)).status).toBe(200);
    expect(stage.coordinator.log).toContain(stage.db);
    const { code } = await stage.coordinator.end('SIGTERM');
    expect(code).toBe(0);
    // Its end leaves nothing behind that somebody else may have made since.
    expect(existsSync(stage.db)).toBe(false);
  });

  it('takes writes again once the folder has its name back', async () => {
    const away = `${stage.dir}-away`;
    renameSync(stage.dir, away);
    expect((await write(1)).status).toBe(503);
    renameSync(away, stage.dir);
    await eventually('writes are taken', async () => (await write(5)).status === 200);
    expect(await data()).toEqual({ n: 5 });
    expect(await ready()).toBe(200);
  });

  it('has no second coordinator, also where the lock file was removed', async () => {
    rmSync(`${stage.db}.lock`);
    const { code, stderr } = await runProgram(['serve', '--port', '0', '--db', stage.db]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(
        /^error: The database [^\n]+ is in use by another coordinator, process \d+[^\n]+\n$/,
      ),
    });
    expect((await write(1)).status).toBe(200);
    // Killed, it is free at once.
    await stage.coordinator.end('SIGKILL');
    await stage.startCoordinator();
    expect(await data()).toEqual({ n: 1 });
    expect((await write(2)).status).toBe(200);
  });

  it('that another program holds keeps writes waiting, and nothing else', async () => {
    const other = keepStatements(new Database(stage.db));
    other.exec('BEGIN IMMEDIATE');
    let isAnswered = false;
    const held = write(1).finally(() => (isAnswered = true));
    for (let i = 0; i < 5; i += 1) {
      expect((await fetch(`${stage.url}/healthz`)).status).toBe(200);
      expect(await data()).toEqual({ n: 0 });
    }
    expect(isAnswered).toBe(false);
    other.exec('ROLLBACK');
    expect((await held).status).toBe(200);
    other.exec('BEGIN IMMEDIATE');
    const answer = await write(2);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await answer.json()).toMatchObject({ error: 'storage_busy', retryable: true });
    other.exec('ROLLBACK');
    other.close();
    expect(await data()).toEqual({ n: 1 });
  });

  it("is the owner's alone whatever the umask, in a folder that version control leaves out", async () => {
    const folder = join(stage.dir, 'work');
    mkdirSync(folder);
    const before = `umask 000\ncd '${folder}'`;
    const args = ['serve', '--port', String(await freePort()), '--log-level', 'warn'];
    const program = await Program.start(args, { before });
    started.push(program);
    await program.printed(/ready at/);
    const own = join(folder, '.countersign');
    const modes = Object.fromEntries(
      readdirSync(own).map((name) => [name, (statSync(join(own, name)).mode & 0o777).toString(8)]),
    );
    expect((statSync(own).mode & 0o777).toString(8)).toBe('700');
    expect(readFileSync(join(own, '.gitignore'), 'utf8')).toBe('*\n');
    expect(Object.keys(modes)).toContain('countersign.db-wal');
    expect(new Set(Object.values(modes))).toEqual(new Set(['600']));
    expect(readdirSync(folder)).toEqual(['.countersign']);
  });

  it('that an earlier version made where nobody named it is used on, and closed to others', async () => {
    await stage.coordinator.end();
    chmodSync(stage.db, 0o644);
    const args = ['serve', '--port', String(stage.port), '--log-level', 'warn'];
    const program = await Program.start(args, { before: `cd '${stage.dir}'` });
    started.push(program);
    await program.printed(/ready at/);
    expect(await data()).toEqual({ n: 0 });
    expect(existsSync(join(stage.dir, '.countersign'))).toBe(false);
    expect((statSync(stage.db).mode & 0o777).toString(8)).toBe('600');
    expect(program.log).toContain('its usual place is .countersign/countersign.db');
    expect(program.log).toContain('others could read a file of the database');
  });
});
