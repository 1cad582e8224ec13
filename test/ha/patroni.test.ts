// Two coordinators on PostgreSQL under Patroni, with PgBouncer in front of each server: the machine of the primary is lost
// under load, and Patroni promotes the standby.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient, type CountersignService } from '../../src/client/index.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { Program, runProgram } from '../support/program.js';
import { must } from '../support/stage.js';
import { startPatroni, type PatroniCluster } from './patroni.js';

const WRITERS = 3;
/** Patroni waits 20 s for a primary that is silent. */
const FAILOVER_MS = 100_000;

describe('coordinators on PostgreSQL under Patroni', () => {
  let cluster: PatroniCluster;
  let db: string;
  const programs: Program[] = [];

  const start = async () => {
    const port = await freePort();
    const program = await Program.start([
      'serve',
      '--port',
      String(port),
      '--db',
      db,
      '--log-level',
      'error',
    ]);
    programs.push(program);
    await program.printed(/ready at/);
    return createClient({ url: `http://127.0.0.1:${String(port)}`, retry: false });
  };

  beforeAll(async () => {
    cluster = await startPatroni();
    const poolers = cluster.nodes.map(({ pooler }) => pooler.host).join(',');
    const listen = cluster.nodes.map(({ host }) => host).join(',');
    const options = `target_session_attrs=read-write&pool_mode=transaction&listen=${listen}`;
    db = `postgres://postgres@${poolers}/postgres?${options}`;
  });
  afterAll(async () => {
    await Promise.all(programs.map((program) => program.end('SIGKILL')));
    await cluster.stop();
  });

  it('go on by themselves when the primary is lost, with every acknowledged write', async () => {
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
    const bothWrite = async (withinMs: number) => {
      const before = clients.map((client) => acknowledged.get(client)?.length ?? 0);
      const goOn = () =>
        clients.every((client, i) => (acknowledged.get(client)?.length ?? 0) >= (before[i] ?? 0) + 10);
      await eventually('both write', goOn, withinMs);
    };
    await bothWrite(30_000);
    const roles = await Promise.all(cluster.nodes.map((node) => node.role()));
    const [primary, standby] = roles[0] === 'replica' ? cluster.nodes.toReversed() : cluster.nodes;
    await primary?.kill();
    const atTheKill = [...acknowledged.values()].flat().length;
    await eventually(
      'the standby is promoted',
      async () => ['master', 'primary'].includes((await standby?.role()) ?? ''),
      FAILOVER_MS,
    );
    await bothWrite(60_000);
    isOver = true;
    await Promise.all(writers);
    const versions = [...acknowledged.values()].flat();
    expect(new Set(versions).size).toBe(versions.length);
    expect(versions.length).toBeGreaterThan(atTheKill);
    for (const client of clients) {
      const { current_data, version } = must(await client.states.get(state_id));
      expect(version).toBe((current_data as { n: number }).n + 1);
      expect(version).toBeGreaterThanOrEqual(Math.max(...versions));
      expect(version - 1).toBeGreaterThanOrEqual(versions.length);
      expect(version - 1).toBeLessThanOrEqual(versions.length + unknown);
    }
    expect(await runProgram(['doctor', '--db', db])).toMatchObject({ code: 0, stdout: 'All is well.\n' });
  });
});
