// Coordinators of two versions on one PostgreSQL database: the new one has one more migration.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient, type CountersignService } from '../../../src/client/index.js';
import { builtProgram } from '../../support/built-program.js';
import { eventually, STORY_MS_MAX } from '../../support/eventually.js';
import { freePort } from '../../support/free-port.js';
import { execute, newDatabase } from '../../support/postgres.js';
import { Program, runProgram } from '../../support/program.js';
import { must } from '../../support/stage.js';

interface Journal {
  readonly entries: readonly { readonly idx: number; readonly when: number }[];
}

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** What a migration may do: see docs/operating.md. */
const MIGRATION = `ALTER TABLE "sessions" ADD COLUMN "of_the_next_version" text;
--> statement-breakpoint
ALTER TABLE "state_events" ADD COLUMN "with_a_default" bigint DEFAULT 0 NOT NULL;
--> statement-breakpoint
CREATE TABLE "next_version" ("seq" bigint PRIMARY KEY, "root_session_id" text NOT NULL);
`;

/** The program with one more migration. */
async function nextVersion(folder: string): Promise<string> {
  cpSync(dirname(dirname(await builtProgram())), join(folder, 'dist'), { recursive: true });
  for (const name of ['package.json', 'schemas']) symlinkSync(join(ROOT, name), join(folder, name));
  const migrations = join(folder, 'drizzle', 'postgres');
  cpSync(join(ROOT, 'drizzle'), join(folder, 'drizzle'), { recursive: true });
  const path = join(migrations, 'meta', '_journal.json');
  const journal = JSON.parse(readFileSync(path, 'utf8')) as Journal;
  const last = journal.entries.at(-1);
  if (last === undefined) throw new Error('There is no migration');
  const next = { ...last, idx: last.idx + 1, when: last.when + 1, tag: 'next_version' };
  writeFileSync(path, JSON.stringify({ ...journal, entries: [...journal.entries, next] }));
  writeFileSync(join(migrations, 'next_version.sql'), MIGRATION);
  return join(folder, 'dist', 'main', 'bin.js');
}

describe('a rolling upgrade', { timeout: STORY_MS_MAX }, () => {
  const cache = join(ROOT, 'node_modules', '.cache');
  const programs: Program[] = [];
  let folder: string;
  let db: string;

  const start = async (bin?: string) => {
    const port = await freePort();
    const args = ['serve', '--port', String(port), '--db', db, '--log-level', 'warn'];
    const program = await Program.start(args, bin === undefined ? {} : { bin });
    programs.push(program);
    await program.printed(/ready at/);
    return { program, client: createClient({ url: `http://127.0.0.1:${String(port)}` }) };
  };

  beforeAll(async () => {
    mkdirSync(cache, { recursive: true });
    folder = mkdtempSync(join(cache, 'countersign-next-'));
    db = await newDatabase();
  });
  afterAll(async () => {
    await Promise.all(programs.map((program) => program.end('SIGKILL')));
    rmSync(folder, { recursive: true, force: true });
  });

  it('loses no write while an old and a new coordinator work side by side over a migration', async () => {
    const old = await start();
    must(await old.client.schemas.register({ name: 'plan', json_schema: { type: 'object' } }));
    must(await old.client.sessions.create({ session_name: 'root', external: true }));
    const created = await old.client.states.create({
      schema_name: 'plan',
      initial_data: { n: 0 },
      root_session_name: 'root',
    });
    const { state_id } = must(created);
    const written = new Map<CountersignService, number>();
    let isOver = false;
    /** Writes without a break, and creates a session now and then. */
    const load = async (client: CountersignService, name: string) => {
      for (let n = 0; !isOver; n += 1) {
        must(await client.states.ops(state_id, [{ op: 'increment', pointer: '/n', delta: 1 }], {}));
        written.set(client, (written.get(client) ?? 0) + 1);
        if (n % 5 === 0)
          must(await client.sessions.create({ session_name: `${name}-${String(n)}`, external: true }));
      }
    };
    const writes = async (client: CountersignService, more = 10) => {
      const from = written.get(client) ?? 0;
      await eventually('it writes', () => (written.get(client) ?? 0) >= from + more);
    };
    const loads = [load(old.client, 'old')];
    await writes(old.client);
    const next = await start(await nextVersion(folder));
    const columns = "select 1 from information_schema.columns where column_name = 'of_the_next_version'";
    expect((await execute(db, columns)).rows).toHaveLength(1);
    loads.push(load(next.client, 'next'));
    await writes(next.client);
    await writes(old.client);
    isOver = true;
    await Promise.all(loads);
    const counted = [...written.values()].reduce((sum, count) => sum + count, 0);
    for (const { client } of [old, next])
      expect(must(await client.states.get(state_id))).toMatchObject({
        version: counted + 1,
        current_data: { n: counted },
      });
    expect(must(await next.client.operations.doctor())).toEqual({ healthy: true, findings: [] });
    expect((await old.program.end('SIGTERM')).code).toBe(0);
    // It goes on, but does not start again.
    expect(await runProgram(['serve', '--port', '0', '--db', db])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('was written by a newer version of Countersign'),
    });
    expect(must(await next.client.states.get(state_id)).version).toBe(counted + 1);
  });
});
