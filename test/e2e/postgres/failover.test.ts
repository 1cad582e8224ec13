// A primary with a synchronous standby, both real: the primary is killed under load, and the standby is promoted.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient, type CountersignService } from '../../../src/client/index.js';
import { eventually, STORY_MS_MAX } from '../../support/eventually.js';
import { freePort } from '../../support/free-port.js';
import { execute } from '../../support/postgres.js';
import { startPostgres, startStandby, type PostgresServer } from '../../support/postgres-server.js';
import { Program, runProgram } from '../../support/program.js';
import { must } from '../../support/stage.js';

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
    const clients = [await start(), await start()] as const;
    const [one] = clients;
    must(await one.schemas.register({ name: 'plan', json_schema: { type: 'object' } }));
    must(await one.sessions.create({ session_name: 'root', external: true }));
    const created = await one.states.create({
      schema_name: 'plan',
      initial_data: { n: 0 },
      root_session_name: 'root',
    });
    const { state_id } = must(created);
    /** The versions that writers were told. */
    const acknowledged = new Map<CountersignService, number[]>(clients.map((client) => [client, []]));
    let [unknown, isOver] = [0, false];
    const writer = async (client: CountersignService) => {
      while (!isOver) {
        const result = await client.states
          .ops(state_id, [{ op: 'increment', pointer: '/n', delta: 1 }], {})
          .catch(() => null);
        if (result?.ok === true) acknowledged.get(client)?.push(result.value.version);
        else unknown += 1;
      }
    };
    const writers = clients.flatMap((client) => Array.from({ length: WRITERS }, () => writer(client)));
    const bothWrite = async () => {
      const before = clients.map((client) => acknowledged.get(client)?.length ?? 0);
      await eventually('both write', () =>
        clients.every((client, i) => (acknowledged.get(client)?.length ?? 0) >= (before[i] ?? 0) + 20),
      );
    };
    await bothWrite();
    // Its processes end with it.
    primary.process.kill('SIGKILL');
    const told = () => [...acknowledged.values()].flat();
    const atTheKill = told().length;
    await execute(standby.url, 'select pg_promote(true, 60)');
    await bothWrite();
    isOver = true;
    await Promise.all(writers);
    const versions = told();
    expect(new Set(versions).size).toBe(versions.length);
    expect(versions.length).toBeGreaterThan(atTheKill);
    for (const client of clients) {
      const { current_data, version } = must(await client.states.get(state_id));
      expect(version).toBe((current_data as { n: number }).n + 1);
      expect(version).toBeGreaterThanOrEqual(Math.max(...versions));
      expect(version - 1).toBeGreaterThanOrEqual(versions.length);
      expect(version - 1).toBeLessThanOrEqual(versions.length + unknown);
    }
    // Tools find the server that accepts writes as well.
    expect(await runProgram(['doctor', '--db', db])).toMatchObject({ code: 0, stdout: 'All is well.\n' });
  });
});
