// Coordinators on one PostgreSQL database, of which one stands still, or whose clocks are wrong.
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, type TestContext } from 'vitest';
import { createClient } from '../../../src/client/index.js';
import { Cluster, type ClusterOptions } from '../../support/cluster/cluster.js';
import type { Member } from '../../support/cluster/member.js';
import { eventually, pause, STORY_MS_MAX } from '../../support/eventually.js';
import { execute, newMigratedDatabase } from '../../support/postgres.js';
import { must } from '../../support/stage.js';
import { parts } from '../parts.js';
import { Tree } from '../tree.js';

const LEASE_MS = 3000;
const FLAGS = ['--lease-ms', String(LEASE_MS), '--update-retry-delay-ms', '20'];

/** How long the server lets a transaction do nothing, with time for a busy machine. */
const STALLED_MS_MAX = 5_000 + 10_000;

async function open({ onTestFinished }: TestContext, options: Partial<ClusterOptions> = {}) {
  const cluster = await Cluster.open({
    db: await newMigratedDatabase(),
    coordinators: 2,
    serve: FLAGS,
    ...options,
  });
  onTestFinished(async () => {
    const doctor = await cluster.doctor();
    await cluster.close();
    expect(doctor).toMatchObject({ code: 0, stdout: 'All is well.\n' });
  });
  cluster.agents.cast(parts);
  return cluster;
}

function two({ members }: Cluster): readonly [Member, Member] {
  const [one, other] = members;
  if (one === undefined || other === undefined) throw new Error('There are no two coordinators');
  return [one, other];
}

describe.concurrent('coordinators on one PostgreSQL database', { timeout: STORY_MS_MAX }, () => {
  it('do no work twice where one is stopped for longer than a lease, and goes on', async (context) => {
    const cluster = await open(context);
    const [one, other] = two(cluster);
    const runner = await cluster.startRunner({ url: one.url });
    const tree = await Tree.grow({ operator: one.client, agents: cluster.agents }, [
      { name: 'worker', part: 'patient' },
    ]);
    await tree.reached('worker', 'began');
    await tree.session(tree.root, ({ status }) => status === 'finished');
    await cluster.startRunner({ url: other.url });
    one.stop();
    // It stands still for so long that the others count it as gone: they tell it nothing.
    await execute(cluster.db, "update coordinators set seen_at = seen_at - interval '1 hour'");
    const begun = () => cluster.agents.notes('worker').filter((note) => note.began !== undefined);
    await eventually('the run was given to the other runner', () => begun().length === 2);
    writeFileSync(join(cluster.dir, 'go-worker'), '');
    const callbacks = async ({ client }: Member) =>
      must(await client.callbacks.list({ root_session: tree.root })).items;
    await eventually('the parent is told', async () =>
      (await callbacks(other)).some(({ status }) => status === 'delivered'),
    );
    one.go();
    await eventually('the first runner finds out', () => /held by another|lost/.test(runner.log));
    await eventually('the first coordinator knows what the other has done', async () =>
      (await callbacks(one)).every(({ status }) => status === 'delivered'),
    );
    // It has seen everything before its next decision.
    const state = must(await other.client.sessions.state(tree.root));
    const after = { op: 'set', pointer: '/after', value: true } as const;
    const written = await one.client.states.ops(state.state_id, [after], {});
    expect(must(written).version).toBe(state.version + 1);
    for (const member of [one, other]) {
      expect(await callbacks(member)).toHaveLength(1);
      const runs = must(await member.client.runs.list({ session: 'worker' })).items;
      expect(runs.map(({ purpose, status, attempt }) => [purpose, status, attempt]).toSorted()).toEqual([
        ['state_update', 'completed', 1],
        ['work', 'completed', 2],
      ]);
      expect(must(await member.client.sessions.state(tree.root)).current_data).toEqual({
        worker: { by: 'worker' },
        after: true,
      });
    }
    const callbackNotes = () =>
      cluster.agents.notes(tree.root).filter(({ purpose }) => purpose === 'callback');
    await eventually('the parent has read it', () => callbackNotes().length > 0);
    await tree.session(tree.root, ({ status }) => status === 'finished');
    expect(callbackNotes()).toHaveLength(1);
  });

  it('wait for a transaction of one that is stopped for a bounded time, and lose no write of it', async (context) => {
    const cluster = await open(context);
    const [one, other] = two(cluster);
    must(await one.client.schemas.register({ name: 'plan', json_schema: { type: 'object' } }));
    must(await one.client.sessions.create({ session_name: 'root', external: true }));
    const created = await one.client.states.create({
      schema_name: 'plan',
      initial_data: { n: 0 },
      root_session_name: 'root',
    });
    const { state_id } = must(created);
    // A decision about a repeatable request looks for its receipt, so that its locks are held for more than one round trip.
    const increment = ({ url }: Member) =>
      createClient({ url, retry: false, idempotencyKey: randomUUID() }).states.ops(
        state_id,
        [{ op: 'increment', pointer: '/n', delta: 1 }],
        {},
      );
    let [acknowledged, unknown, isOver] = [0, 0, false];
    const writers = Array.from({ length: 8 }, async () => {
      while (!isOver) {
        const isWritten = await increment(one).then(
          ({ ok }) => ok,
          () => false,
        );
        if (isWritten) acknowledged += 1;
        else unknown += 1;
      }
    });
    const holds = `select 1 from pg_locks l join pg_stat_activity a using (pid)
      where l.relation = 'tree_commits'::regclass and l.mode = 'RowExclusiveLock' and l.granted
        and a.state = 'idle in transaction'`;
    await eventually('it is stopped while it holds the lock of the tree', async () => {
      one.stop();
      await pause(50);
      if ((await execute(cluster.db, holds)).rows.length > 0) return true;
      one.go();
      await pause(Math.random() * 20);
      return false;
    });
    const from = performance.now();
    const written = await eventually(
      'the other writes',
      async () => {
        const result = await increment(other);
        return result.ok && result.value;
      },
      STALLED_MS_MAX,
    );
    await context.annotate(`The other wrote after ${(performance.now() - from).toFixed(0)} ms`);
    acknowledged += 1;
    one.go();
    const before = acknowledged;
    await eventually('the first one writes again', () => acknowledged > before + 8);
    isOver = true;
    await Promise.all(writers);
    const { current_data, version } = must(await one.client.states.get(state_id));
    const counted = (current_data as { n: number }).n;
    expect(version).toBe(counted + 1);
    expect(version).toBeGreaterThan(written.version);
    expect(counted).toBeGreaterThanOrEqual(acknowledged);
    expect(counted).toBeLessThanOrEqual(acknowledged + unknown);
    expect(must(await other.client.states.get(state_id)).version).toBe(version);
  });

  it('keep leases and times where their clocks disagree by two minutes', async (context) => {
    const skewed = (ms: number) => ({
      NODE_OPTIONS: `--import ${new URL('../../support/cluster/skewed-clock.mjs', import.meta.url).href}`,
      SKEW_MS: String(ms),
    });
    const skews = [60_000, -60_000];
    // Long enough that a busy machine loses no lease.
    const serve = ['--lease-ms', '20000', '--update-retry-delay-ms', '20'];
    const cluster = await open(context, { serve, env: (index) => skewed(skews[index] ?? 0) });
    const before = Date.now();
    for (const [index, { url }] of cluster.members.entries())
      await cluster.startRunner({
        url,
        env: skewed(skews[index] ?? 0),
        flags: ['--tag', `at-${String(index)}`],
      });
    const children = ['patient', 'patient', 'clumsy', 'clumsy', 'dutiful', 'dutiful'].map((part, n) => ({
      name: `${part}-${String(n)}`,
      part,
      demands: { tags: [`at-${String(n % 2)}`] },
    }));
    const tree = await Tree.grow(cluster, children);
    const patient = children.slice(0, 2).map(({ name }) => name);
    for (const name of patient) await tree.reached(name, 'began');
    // By clocks that disagree more than a lease is long, every lease has ended.
    await pause(2000);
    for (const name of patient) writeFileSync(join(cluster.dir, `go-${name}`), '');
    await tree.delivered(children.length);
    await tree.session(tree.root, ({ status }) => status === 'finished');
    const after = Date.now();
    const runs = (await Promise.all(children.map(({ name }) => tree.runs(name)))).flat();
    expect(runs.map(({ attempt }) => attempt)).toEqual(runs.map(() => 1));
    const state = must(await cluster.operator.sessions.state(tree.root));
    const { events } = must(await cluster.operator.states.events(state.state_id, { since: 0 }));
    const times = events.map(({ created_at }) => Date.parse(created_at));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    const all = [
      ...times,
      ...runs.flatMap((run) => [run.created_at, run.completed_at ?? ''].map(Date.parse)),
    ];
    // The clock of the server, which is that of this process, is known to within one answer of the server.
    expect(Math.min(...all)).toBeGreaterThan(before - 2000);
    expect(Math.max(...all)).toBeLessThan(after + 2000);
  });
});
