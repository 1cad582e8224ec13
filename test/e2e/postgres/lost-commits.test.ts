// A server that lacks the newest commits takes over: a standby that was not synchronous, or a restored backup.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/domain/limits.js';
import { eventually, STORY_MS_MAX } from '../../support/eventually.js';
import { startTestCoordinator, type TestCoordinator } from '../../support/coordinator.js';
import { execute } from '../../support/postgres.js';
import { startPostgres, startStandby, type PostgresServer } from '../../support/postgres-server.js';
import { must } from '../../support/stage.js';
import { runProgram } from '../../support/program.js';

describe('coordinators on a standby without the newest commits', { timeout: STORY_MS_MAX }, () => {
  let primary: PostgresServer;
  let standby: PostgresServer;
  /** Both servers, the primary first. */
  let db: string;
  const coordinators: TestCoordinator[] = [];

  const start = async () => {
    const coordinator = await startTestCoordinator(db, DEFAULT_LIMITS);
    coordinators.push(coordinator);
    return coordinator.operator;
  };
  /** The database answers again. */
  const works = async (operator: TestCoordinator['operator']) => {
    await eventually('the coordinator reaches the standby', async () => {
      try {
        return (await operator.schemas.register({ name: 'probe', json_schema: { type: 'object' } })).ok;
      } catch {
        return false;
      }
    });
  };

  beforeAll(async () => {
    primary = await startPostgres({ wal_level: 'replica', wal_keep_size: '256MB' });
    standby = await startStandby(primary);
    const hosts = [primary, standby].map(({ url }) => new URL(url).host).join(',');
    db = `postgres://postgres@${hosts}/postgres?target_session_attrs=read-write`;
  });
  afterAll(async () => {
    await Promise.all(coordinators.map((coordinator) => coordinator.close()));
    await standby.stop();
    await primary.stop();
  });

  it('show and write the history that is left, and not what one of them still had in memory', async () => {
    const [one, other] = [await start(), await start()];
    must(await one.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
    must(await one.sessions.create({ session_name: 'root', external: true }));
    const made = await one.states.create({
      schema_name: 'any',
      root_session_name: 'root',
      initial_data: { n: 0 },
    });
    const { state_id } = must(made);
    const put = (operator: typeof one, n: string | number) =>
      operator.states.patch(state_id, [{ op: 'add', path: '/n', value: n }], {});
    for (let n = 2; n <= 4; n += 1) must(await put(one, n));

    // From here on the standby gets nothing more.
    await execute(primary.url, "alter system set synchronous_standby_names = ''");
    await execute(primary.url, 'select pg_reload_conf()');
    const { rows } = await execute(primary.url, 'select pid from pg_stat_replication');
    const sender = Number(rows[0]?.['pid']);
    process.kill(sender, 'SIGSTOP');
    expect(must(await put(one, 'lost')).version).toBe(5);
    primary.process.kill('SIGKILL');
    process.kill(sender, 'SIGKILL');
    await execute(standby.url, 'select pg_promote(true, 60)');

    // As many commits as the lost ones: nothing but the server tells the two histories apart.
    await works(other);
    expect(must(await put(other, 'kept'))).toMatchObject({ version: 5 });
    await works(one);
    expect(must(await one.states.get(state_id))).toMatchObject({ version: 5, current_data: { n: 'kept' } });
    const written = await one.states.patch(state_id, [{ op: 'add', path: '/more', value: 1 }], {});
    expect(must(written)).toMatchObject({ version: 6 });
    for (const operator of [one, other]) {
      expect(must(await operator.states.get(state_id)).current_data).toEqual({ n: 'kept', more: 1 });
      expect(must(await operator.states.get(state_id, 5)).current_data).toEqual({ n: 'kept' });
      expect(must(await operator.states.events(state_id, {})).events).toHaveLength(6);
    }
    expect(await runProgram(['verify', '--db', db])).toMatchObject({ code: 0 });
  });
});
