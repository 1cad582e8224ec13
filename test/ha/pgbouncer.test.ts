// Coordinators behind PgBouncer: two in transaction mode, and one in session mode.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient, type CountersignService } from '../../src/client/index.js';
import { freePort } from '../support/free-port.js';
import { execute } from '../support/postgres.js';
import { startPostgres, type PostgresServer } from '../support/postgres-server.js';
import { Program, runProgram } from '../support/program.js';
import { must } from '../support/stage.js';
import { PASSWORD, USER } from './deploy-files.js';
import { INSTALL_MS_MAX } from './packages.js';
import { startPooler, type Pooler } from './pgbouncer.js';

const WRITERS = 8;
const WRITES = 25;

describe('coordinators behind PgBouncer in transaction mode', () => {
  let server: PostgresServer;
  let pooler: Pooler;
  let pooled: string;
  const programs: Program[] = [];

  const start = async (db: string) => {
    const port = await freePort();
    const program = await Program.start(['serve', '--port', String(port), '--db', db, '--log-level', 'warn']);
    programs.push(program);
    await program.printed(/ready at/);
    return createClient({ url: `http://127.0.0.1:${String(port)}` });
  };
  const newState = async (client: CountersignService, name: string) => {
    must(await client.sessions.create({ session_name: name, external: true }));
    const root_session_name = name;
    return must(
      await client.states.create({ schema_name: 'plan', initial_data: { n: 0 }, root_session_name }),
    ).state_id;
  };

  beforeAll(async () => {
    server = await startPostgres();
    const { port } = new URL(server.url);
    pooler = await startPooler(Number(port));
    pooled = `postgres://${USER}:${PASSWORD}@${pooler.host}/postgres?pool_mode=transaction`;
  }, INSTALL_MS_MAX);
  afterAll(async () => {
    await Promise.all(programs.map((program) => program.end('SIGKILL')));
    await pooler.stop();
    await server.stop();
  });

  it('lose no write, share the connections to the server, and tell each other at once', async () => {
    const db = `${pooled}&listen=${new URL(server.url).host}`;
    const clients = [await start(db), await start(db)] as const;
    const [one, other] = clients;
    must(await one.schemas.register({ name: 'plan', json_schema: { type: 'object' } }));
    const states = [await newState(one, 'first'), await newState(other, 'second')];
    const increment = (client: CountersignService, stateId: string) =>
      client.states.ops(stateId, [{ op: 'increment', pointer: '/n', delta: 1 }], {});
    const [hot = ''] = states;
    const newer = other.states.get(hot, undefined, { afterVersion: 1, waitMs: 30_000 });
    await Promise.all(
      Array.from({ length: WRITERS }, async (_, writer) => {
        for (let n = 0; n < WRITES; n += 1)
          must(await increment(clients[writer % 2 === 0 ? 0 : 1], states[n % 2] ?? ''));
      }),
    );
    expect(must(await newer).version).toBeGreaterThan(1);
    const written = await Promise.all(states.map(async (id) => must(await one.states.get(id)).version - 1));
    expect(written.reduce((sum, count) => sum + count, 0)).toBe(WRITERS * WRITES);
    const { rows } = await execute(
      server.url,
      `select count(*) filter (where query not like 'listen%' and query not like 'select 1') as pooled,
        count(*) filter (where application_name = 'countersign notifications') as listening
        from pg_stat_activity where datname = 'postgres' and pid <> pg_backend_pid()`,
    );
    expect(Number(rows[0]?.['listening'])).toBe(2);
    expect(Number(rows[0]?.['pooled'])).toBeLessThanOrEqual(10);
    expect(await runProgram(['doctor', '--db', pooled])).toMatchObject({ code: 0, stdout: 'All is well.\n' });
  });

  it('hear of each other without notifications too, later', async () => {
    const [one, other] = [await start(pooled), await start(pooled)];
    const stateId = await newState(one, 'third');
    const newer = other.states.get(stateId, undefined, { afterVersion: 1, waitMs: 30_000 });
    must(await one.states.ops(stateId, [{ op: 'increment', pointer: '/n', delta: 1 }], {}));
    expect(must(await newer)).toMatchObject({ version: 2, current_data: { n: 1 } });
  });

  it('need no parameters in the URL where it is in session mode', async () => {
    const inSessions = await startPooler(Number(new URL(server.url).port), 'session');
    try {
      const client = await start(`postgres://${USER}:${PASSWORD}@${inSessions.host}/postgres`);
      const stateId = await newState(client, 'fourth');
      const written = await client.states.ops(stateId, [{ op: 'increment', pointer: '/n', delta: 1 }], {});
      expect(must(written).version).toBe(2);
    } finally {
      await inSessions.stop();
    }
  });
});
