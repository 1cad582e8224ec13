// Several coordinators on one PostgreSQL database, as stores: what one commits, the others hear.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import pg from 'pg';
import type { Changeset } from '../../../src/domain/transactions/changeset.js';
import { DatabaseClock } from '../../../src/store/postgres/connection/database-clock.js';
import { openPostgresStore, type PostgresStore } from '../../../src/store/postgres/index.js';
import { eventually } from '../../support/eventually.js';
import { execute, nameIn, newMigratedDatabase } from '../../support/postgres.js';
import { load, write } from '../conformance/subject.js';
import { aSession, aState, aTree, anEvent, childOf, next } from '../records.js';

/** Long enough that no test notices it. */
const NEVER_MS = 3_600_000;

describe('coordinators on one PostgreSQL database', () => {
  let url: string;
  const stores: PostgresStore[] = [];
  const open = async (limits: Parameters<typeof openPostgresStore>[0]['limits'] = {}) => {
    const store = await openPostgresStore({ url, limits });
    stores.push(store);
    await store.follow();
    return store;
  };
  /** What a store hears of the commits of others. */
  const heardBy = (store: PostgresStore) => {
    const heard: Changeset[] = [];
    store.subscribe((changes, by) => {
      if (by === 'another') heard.push(changes);
    });
    return heard;
  };
  const cut = (application: string) =>
    execute(
      url,
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and application_name = $2',
      [nameIn(url), application],
    );
  beforeEach(async () => {
    url = await newMigratedDatabase();
  });
  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()));
  });

  it('hear of each commit of another at once, in order, and not of their own', async () => {
    const one = await open({ commitPollMs: NEVER_MS });
    const other = await open({ commitPollMs: NEVER_MS });
    const [own, heard] = [heardBy(one), heardBy(other)];
    for (let i = 0; i < 20; i += 1)
      await write(one, { put: 'tree', record: aTree({ rootSessionId: `ses_${String(i)}` }) });
    await eventually('all is heard', () => heard.length === 20);
    expect(heard.flat()).toEqual(
      Array.from({ length: 20 }, (_, i) => ({
        put: 'tree',
        record: aTree({ rootSessionId: `ses_${String(i)}` }),
      })),
    );
    expect(own).toEqual([]);
  });

  it('have heard of what others committed before they decide, without any notification', async () => {
    const one = await open({ commitPollMs: NEVER_MS });
    const other = await open({ commitPollMs: NEVER_MS, listenRetryMs: NEVER_MS });
    await write(other, { put: 'state', record: aState() }, { put: 'session', record: aSession() });
    const heard = heardBy(other);
    await cut('countersign notifications');
    for (let version = 2; version <= 4; version += 1) {
      await write(one, { put: 'state', record: next(aState({ revision: version - 1 }), { version }) });
      const { states } = await load(other, { load: 'state', stateId: 'wst_1' });
      expect(states.get('wst_1')?.version).toBe(version);
      expect(heard).toHaveLength(version - 1);
    }
  });

  it('know how many sessions a tree has, whoever adds one', async () => {
    const [one, other] = [await open(), await open()];
    const root = aSession();
    await write(one, { put: 'tree', record: aTree() }, { put: 'session', record: root });
    for (let i = 1; i <= 6; i += 1) {
      const [by, reader] = i % 2 === 0 ? [one, other] : [other, one];
      await write(by, { put: 'session', record: childOf(root, `ses_${String(i)}`) });
      for (const store of [reader, by]) {
        const { sessionCounts } = await load(store, { load: 'sessionCount', rootSessionId: 'ses_root' });
        expect(sessionCounts.get('ses_root')).toBe(i + 1);
      }
    }
  });

  it('know sessions by their ids until another changes them, and trees only where they are alone', async () => {
    const one = await open();
    const root = aSession();
    const tree = aTree();
    await write(one, { put: 'tree', record: tree }, { put: 'session', record: root });
    expect(one.known.session(root.sessionName)?.session).toEqual(root);
    expect(one.known.session(root.sessionId)?.session).toEqual(root);
    expect(one.known.tree('ses_root')).toEqual(tree);
    expect(one.isSoleCoordinator).toBe(true);

    const other = await open();
    await eventually('it learns that it is not alone', () => !one.isSoleCoordinator);
    expect(other.known.session(root.sessionId)).toBeUndefined();
    expect(one.known.session(root.sessionId)?.session).toEqual(root);
    // Another coordinator may create its state at any time.
    expect(one.known.tree('ses_root')).toBeUndefined();

    const heard = heardBy(one);
    const deleted = next(root, { deletedAt: 1 });
    await write(other, { put: 'session', record: deleted });
    await eventually('it is heard', () => heard.length > 0);
    expect(one.known.session(root.sessionName)).toBeUndefined();
    expect(one.known.session(root.sessionId)).toBeUndefined();
  });

  it('know what is committed, also while they commit a change of it', async () => {
    const one = await open();
    const root = aSession();
    await write(one, { put: 'tree', record: aTree() }, { put: 'session', record: root });
    const shown = () => [
      one.known.session('ses_root')?.session.sessionName,
      one.known.session(root.sessionName)?.session.sessionName,
      one.known.session('ses_new'),
    ];
    const locking = new pg.Client({ connectionString: url });
    await locking.connect();
    await locking.query('begin; lock table sessions in exclusive mode');
    const written = one.transact([{ load: 'aggregate', sessionId: 'ses_root' }], () => ({
      changes: [
        { put: 'tree', record: next(aTree(), { stateId: 'wst_1' }) },
        { put: 'session', record: next(root, { sessionName: 'renamed' }) },
        { put: 'session', record: childOf(root, 'ses_new') },
      ],
      value: null,
    }));
    const waits = 'select 1 from pg_locks where not granted';
    await eventually('it waits', async () => (await execute(url, waits)).rows.length > 0);
    expect(shown()).toEqual([root.sessionName, root.sessionName, undefined]);
    expect(one.known.tree('ses_root')?.stateId).not.toBe('wst_1');
    await locking.end();
    await written;
    expect([one.known.tree('ses_root')?.stateId, one.known.session('ses_root')?.session.sessionName]).toEqual(
      ['wst_1', 'renamed'],
    );
    expect(one.known.session('ses_new')?.session.sessionId).toBe('ses_new');
  });

  it('hear of a commit whose notification was lost when they look, and are notified again later', async () => {
    const one = await open({ commitPollMs: NEVER_MS });
    const other = await open({ commitPollMs: 50, listenRetryMs: NEVER_MS });
    const heard = heardBy(other);
    await cut('countersign notifications');
    await write(one, { put: 'tree', record: aTree() });
    await eventually('it is heard', () => heard.length === 1);

    const third = await open({ commitPollMs: NEVER_MS, listenRetryMs: 10 });
    const heardByThird = heardBy(third);
    await cut('countersign notifications');
    const listening = "select 1 from pg_stat_activity where application_name = 'countersign notifications'";
    await eventually('it listens again', async () => (await execute(url, listening)).rows.length > 0);
    await eventually('it is heard of', async () => {
      await write(one, { put: 'tree', record: aTree({ rootSessionId: `ses_${String(Math.random())}` }) });
      return heardByThird.length > 0;
    });
  });

  it('are told where commits are not known, before the next decision, and decide on what is stored', async () => {
    const one = await open();
    const other = await open({ commitPollMs: NEVER_MS, listenRetryMs: NEVER_MS });
    const before = heardBy(other);
    await write(one, { put: 'state', record: aState() });
    await eventually('the first commit is heard of', () => before.length === 1);
    await load(other, { load: 'state', stateId: 'wst_1' });
    const counted = () => other.gauges()['missed_commits'];
    expect(counted()).toEqual({ met: 0 });
    await cut('countersign notifications');
    // It was stopped for so long that the others count it as gone.
    await execute(url, "update coordinators set seen_at = seen_at - interval '1 hour'");
    await write(one, { put: 'state', record: next(aState(), { version: 2 }) });
    const received: number[] = [];
    other.onMissedCommits(async () => {
      received.push((await other.read.state('wst_1'))?.version ?? 0);
    });
    const { states } = await load(other, { load: 'state', stateId: 'wst_1' });
    expect(states.get('wst_1')?.version).toBe(2);
    expect(received).toEqual([2]);
    // From here on it is told of each commit again.
    const heard = heardBy(other);
    await write(one, { put: 'state', record: next(aState({ revision: 2 }), { version: 3 }) });
    await load(other, { load: 'state', stateId: 'wst_1' });
    expect(heard).toHaveLength(1);
    expect(received).toEqual([2]);
    expect(counted()).toEqual({ met: 1 });
  });

  it('find who has a name now, also after it went to another tree', async () => {
    const one = await open({ commitPollMs: NEVER_MS });
    const other = await open({ commitPollMs: NEVER_MS, listenRetryMs: NEVER_MS });
    const first = aSession({ sessionName: 'taken' });
    await write(one, { put: 'tree', record: aTree() }, { put: 'session', record: first });
    expect(await other.read.session('taken')).toEqual(first);
    await cut('countersign notifications');
    const second = aSession({ sessionId: 'ses_2', rootSessionId: 'ses_2', sessionName: 'taken' });
    await write(one, { put: 'session', record: next(first, { deletedAt: 1 }) });
    await write(
      one,
      { put: 'tree', record: aTree({ rootSessionId: 'ses_2' }) },
      { put: 'session', record: second },
    );
    for (const store of [one, other]) expect(await store.read.session('taken')).toEqual(second);
  });

  it('count one commit of a tree for a decision about two sessions of it that they find by name', async () => {
    const one = await open();
    const root = aSession({ sessionName: 'root' });
    const child = childOf(root, 'ses_child', { sessionName: 'child' });
    await write(
      one,
      { put: 'tree', record: aTree() },
      { put: 'session', record: root },
      { put: 'session', record: child },
    );
    const other = await open();
    await load(one, { load: 'aggregate', sessionId: 'ses_child' });
    const missed: unknown[] = [];
    one.onMissedCommits(() => {
      missed.push(null);
      return Promise.resolve();
    });
    const loads = [root, child].map(
      ({ sessionName }) => ({ load: 'aggregateNamed', idOrName: sessionName }) as const,
    );
    await other.transact(loads, () => ({
      changes: [{ put: 'session', record: next(child, { updatedAt: child.updatedAt + 1 }) }],
      value: null,
    }));
    await load(one, { load: 'aggregate', sessionId: 'ses_child' });
    expect(missed).toEqual([]);
  });

  it('tell the others no long texts, and nothing at all where there are none', async () => {
    const one = await open();
    await write(one, { put: 'state', record: aState() });
    const count = async () => (await execute(url, 'select changes from commit_changes')).rows;
    expect(await count()).toEqual([]);
    await open();
    const long = JSON.stringify([{ op: 'add', path: '/text', value: 'x'.repeat(3000) }]);
    await write(one, { put: 'event', record: anEvent({ patchText: '[]' }) });
    await write(one, { put: 'event', record: anEvent({ version: 2, patchText: long }) });
    expect(await count()).toMatchObject(
      ['[]', ''].map((patchText) => ({ changes: { changes: [{ put: 'event', record: { patchText } }] } })),
    );
  });

  it('believe no patch that is not as it was written', async () => {
    const one = await open();
    await write(one, { put: 'state', record: aState() });
    const other = await open();
    const heard = heardBy(other);
    const patchText = JSON.stringify([{ op: 'add', path: '/n', value: 1 }]);
    await write(one, { put: 'event', record: anEvent({ patchText }) });
    await write(one, { put: 'event', record: anEvent({ version: 2, patchText, hash: 'f'.repeat(64) }) });
    await eventually('both are heard of', () => heard.length === 2);
    expect(heard).toMatchObject(
      [patchText, ''].map((text) => [{ put: 'event', record: { patchText: text } }]),
    );
  });

  it('leave nothing behind where they end', async () => {
    const one = await open();
    const other = await open();
    await other.close();
    await write(one, { put: 'state', record: aState() });
    const { rows } = await execute(url, 'select count(*)::int as coordinators from coordinators');
    expect(rows).toEqual([{ coordinators: 1 }]);
    expect((await execute(url, 'select 1 from commit_changes')).rows).toEqual([]);
  });

  it('go by the clock of the database', async () => {
    const store = await open();
    const before = Date.now();
    const { rows } = await execute(
      url,
      'select (extract(epoch from clock_timestamp()) * 1000)::float8 as now',
    );
    const apart = Math.abs(store.clock.now() - Number(rows[0]?.['now']));
    expect(apart).toBeLessThanOrEqual(Date.now() - before + 1_000);
  });
});

describe('the clock of a database', () => {
  it('is followed by a process whose own clock is a minute wrong', () => {
    let local = 1_000_000;
    const clock = new DatabaseClock(() => local);
    const server = () => local + 60_000;
    for (const tookMs of [400, 20, 90, 2]) {
      const askedAt = clock.localTime();
      local += tookMs / 2;
      const answer = server();
      local += tookMs / 2;
      clock.learn(answer, askedAt);
      expect(Math.abs(clock.now() - server())).toBeLessThanOrEqual(tookMs);
    }
    expect(Math.abs(clock.now() - server())).toBeLessThanOrEqual(2);
  });

  it('is not moved by an answer that comes late, and stands still where it was set back a little', () => {
    let local = 1_000_000;
    const clock = new DatabaseClock(() => local);
    const asked = clock.localTime();
    local += 10_000;
    clock.learn(1_000_100, asked);
    expect(clock.now()).toBe(local);
    clock.learn(local - 5_000, local);
    expect(clock.now()).toBe(local);
    local += 6_000;
    expect(clock.now()).toBe(local - 5_000);
  });

  it('is followed where it was set back by an hour: nothing stands still for that long', () => {
    const hourMs = 3_600_000;
    let local = Date.now() + 25 * hourMs;
    const clock = new DatabaseClock(() => local);
    for (const behindMs of [25 * hourMs, 26 * hourMs]) {
      clock.learn(local - behindMs, local);
      expect(clock.now()).toBe(local - behindMs);
      local += 1000;
      expect(clock.now()).toBe(local - behindMs);
    }
  });

  it('is what others see, also where it was set back a little', () => {
    const local = Date.now();
    const clock = new DatabaseClock(() => local);
    for (const behindMs of [1000, 6000]) {
      clock.learn(local - behindMs, local);
      expect(clock.now()).toBe(local - 1000);
      expect(clock.wall()).toBe(local - behindMs);
    }
  });
});
