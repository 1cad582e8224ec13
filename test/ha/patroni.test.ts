// Two coordinators on PostgreSQL under Patroni, with PgBouncer in front of each server: the machine of the primary is lost
// under load, and Patroni promotes the standby.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/index.js';
import { CountingWriters } from '../support/counting-writers.js';
import { eventually, STORY_MS_MAX } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { Program, runProgram } from '../support/program.js';
import { PASSWORD, USER } from './deploy-files.js';
import { INSTALL_MS_MAX } from './packages.js';
import { startPatroni, type PatroniCluster } from './patroni.js';

const WRITERS = 3;
/** Patroni waits 20 s for a primary that is silent. */
const FAILOVER_MS = 100_000;

describe('coordinators on PostgreSQL under Patroni', { timeout: STORY_MS_MAX }, () => {
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
    db = `postgres://${USER}:${PASSWORD}@${poolers}/postgres?${options}`;
  }, INSTALL_MS_MAX);
  afterAll(async () => {
    await Promise.all(programs.map((program) => program.end('SIGKILL')));
    await cluster.stop();
  });

  it('go on by themselves when the primary is lost, with every acknowledged write', async () => {
    const writers = await CountingWriters.start([await start(), await start()], WRITERS);
    await writers.goOn(10, 30_000);
    const roles = await Promise.all(cluster.nodes.map((node) => node.role()));
    const [primary, standby] = roles[0] === 'replica' ? cluster.nodes.toReversed() : cluster.nodes;
    await primary?.kill();
    await eventually(
      'the standby is promoted',
      async () => ['master', 'primary'].includes((await standby?.role()) ?? ''),
      FAILOVER_MS,
    );
    await writers.goOn(10, 60_000);
    await writers.end();
    expect(await runProgram(['doctor', '--db', db])).toMatchObject({ code: 0, stdout: 'All is well.\n' });
  });
});
