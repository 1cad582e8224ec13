// What several coordinators take at the same time: runs, timers, and messages of webhooks.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import pg from 'pg';
import { claimed } from '../../../src/domain/lifecycle/run.js';
import { DEFAULT_LIMITS } from '../../../src/domain/limits.js';
import type { Run } from '../../../src/domain/records/records.js';
import { openPostgresStore, type PostgresStore } from '../../../src/store/postgres/index.js';
import { newMigratedDatabase } from '../../support/postgres.js';
import { load, write } from '../conformance/subject.js';
import { NOW, aDelivery, aRun, aSession, aTree, next } from '../records.js';

const TREES = 20;

describe('coordinators that look for work at the same time', () => {
  let url: string;
  let holder: pg.Client;
  const stores: PostgresStore[] = [];
  const open = async () => {
    const store = await openPostgresStore({ url });
    stores.push(store);
    await store.follow();
    return store;
  };
  /** Trees of one session with a run. */
  const runsIn = async (store: PostgresStore, roots: readonly string[], over: Partial<Run> = {}) => {
    for (const rootSessionId of roots) {
      const session = aSession({ sessionId: rootSessionId, sessionName: rootSessionId, rootSessionId });
      await write(
        store,
        { put: 'tree', record: aTree({ rootSessionId }) },
        { put: 'session', record: session },
        { put: 'run', record: aRun(session, `run_of_${rootSessionId}`, over) },
      );
    }
  };
  const wanted = (claimsMax: number) =>
    ({
      load: 'claimable',
      now: NOW,
      hostname: 'h',
      executorTypes: [],
      tags: [],
      runsMax: 100,
      claimsMax,
      onlySound: false,
    }) as const;
  const claimable = async (store: PostgresStore) =>
    (await load(store, wanted(1))).claimable.map(({ runId }) => runId);

  beforeEach(async () => {
    url = await newMigratedDatabase();
    holder = new pg.Client({ connectionString: url });
    await holder.connect();
  });
  afterEach(async () => {
    await holder.end();
    await Promise.all(stores.splice(0).map((store) => store.close()));
  });

  it('are offered the runs first whose tree nobody is changing, and the others too', async () => {
    const store = await open();
    await runsIn(store, ['ses_a', 'ses_b']);
    expect(await claimable(store)).toEqual(['run_of_ses_a', 'run_of_ses_b']);
    await holder.query("begin; select 1 from tree_commits where key = 'ses_a' for update");
    expect(await claimable(store)).toEqual(['run_of_ses_b', 'run_of_ses_a']);
    await holder.query('rollback');
    expect(await claimable(store)).toEqual(['run_of_ses_a', 'run_of_ses_b']);
  });

  it('claim each run once', async () => {
    const both = [await open(), await open()] as const;
    const roots = Array.from({ length: TREES }, (_, i) => `ses_${String(i).padStart(2, '0')}`);
    await runsIn(both[0], roots);
    const claimOne = (store: PostgresStore, hash: string) =>
      store.transact<string>([wanted(1)], ({ claimable, aggregates }) => {
        for (const { sessionId, runId } of claimable) {
          const runs = aggregates.get(sessionId)?.runs;
          if (runs === undefined) return { more: [{ load: 'aggregate', sessionId }] };
          const present = runs.find((run) => run.runId === runId);
          if (present?.status !== 'pending') continue;
          const record = next(claimed(present, 'rnr_1', hash, NOW, DEFAULT_LIMITS));
          return { changes: [{ put: 'run', record }], value: runId };
        }
        return { changes: [], value: 'none' };
      });
    const found = await Promise.all(roots.map((root, i) => claimOne(both[i % 2 === 0 ? 0 : 1], root)));
    expect(found.toSorted()).toEqual(roots.map((root) => `run_of_${root}`));
  });

  it('leave out a timer that another transaction is changing, until it has ended', async () => {
    const store = await open();
    await runsIn(store, ['ses_a', 'ses_b'], { dueAt: NOW - 1 });
    const due = async () => (await store.read.due(NOW, 10)).map(({ rootSessionId }) => rootSessionId);
    expect(await due()).toEqual(['ses_a', 'ses_b']);
    await holder.query("begin; update runs set attempt = attempt where run_id = 'run_of_ses_a'");
    expect(await due()).toEqual(['ses_b']);
    await holder.query('rollback');
    expect(await due()).toEqual(['ses_a', 'ses_b']);
  });

  it('leave out a message that another transaction is changing, until it has ended', async () => {
    const store = await open();
    const deliveries = ['dlv_1', 'dlv_2'].map((deliveryId) => aDelivery({ deliveryId, dueAt: NOW - 1 }));
    await write(store, ...deliveries.map((record) => ({ put: 'delivery', record }) as const));
    const { origin } = aDelivery();
    const due = async () =>
      (await store.read.webhooks.dueAt(origin, NOW, 10)).map(({ deliveryId }) => deliveryId);
    expect(await due()).toEqual(['dlv_1', 'dlv_2']);
    await holder.query("begin; select 1 from webhook_deliveries where delivery_id = 'dlv_1' for update");
    expect(await due()).toEqual(['dlv_2']);
    await holder.query('rollback');
    expect(await due()).toEqual(['dlv_1', 'dlv_2']);
  });
});
