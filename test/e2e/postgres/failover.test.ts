// A primary with a synchronous standby, both real: the primary is killed under load, and the standby is promoted.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../../src/client/index.js';
import { CountingWriters } from '../../support/counting-writers.js';
import { eventually, STORY_MS_MAX } from '../../support/eventually.js';
import { freePort } from '../../support/free-port.js';
import { execute } from '../../support/postgres.js';
import { startPostgres, startStandby, type PostgresServer } from '../../support/postgres-server.js';
import { Program, runProgram } from '../../support/program.js';

const WRITERS = 4;

describe('coordinators on a primary with a synchronous standby', { timeout: STORY_MS_MAX }, () => {
  let primary: PostgresServer;
  let standby: PostgresServer;
  /** Both servers, the standby first. */
  let db: string;
  const programs: Program[] = [];

  const start = async () => {
    const port = await freePort();
    const program = await Program.start(['serve', '--port', String(port), '--db', db, '--log-level', 'warn']);
    programs.push(program);
    await program.printed(/ready at/);
    return createClient({ url: `http://127.0.0.1:${String(port)}`, retry: false });
  };

  beforeAll(async () => {
    primary = await startPostgres({ wal_level: 'replica', wal_keep_size: '256MB' });
    standby = await startStandby(primary);
    const replicates = "select 1 from pg_stat_replication where sync_state = 'sync'";
    await eventually(
      'the standby is synchronous',
      async () => (await execute(primary.url, replicates)).rows.length > 0,
    );
    const hosts = [standby, primary].map(({ url }) => new URL(url).host).join(',');
    db = `postgres://postgres@${hosts}/postgres?target_session_attrs=read-write`;
  });
  afterAll(async () => {
    await Promise.all(programs.map((program) => program.end('SIGKILL')));
    await standby.stop();
    await primary.stop();
  });

  it('go on by themselves on the standby when it is promoted, with every acknowledged write', async () => {
    const writers = await CountingWriters.start([await start(), await start()], WRITERS);
    await writers.goOn(20);
    // Its processes end with it.
    primary.process.kill('SIGKILL');
    await execute(standby.url, 'select pg_promote(true, 60)');
    await writers.goOn(20);
    await writers.end();
    // Tools find the server that accepts writes as well.
    expect(await runProgram(['doctor', '--db', db])).toMatchObject({ code: 0, stdout: 'All is well.\n' });
  });
});
