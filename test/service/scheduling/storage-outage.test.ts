// Nothing can be written for longer than a lease: a full disk, a folder that was renamed, a server that is away.
import { afterEach, describe, expect, it } from 'vitest';
import { StorageError, type StorageHealth } from '../../../src/ports/storage/storage.js';
import type { Store } from '../../../src/ports/storage/store.js';
import { eventually } from '../../support/eventually.js';
import { must, openHarness, PlayedRunner, silent, type Harness } from '../harness.js';

const LEASE_MS = 30_000;

describe('a database that cannot be written for a while', () => {
  let harness: Harness;
  let health: StorageHealth = 'ok';
  let refuses = false;
  let isSoleCoordinator = true;
  let asked = 0;
  const error = silent.error.bind(silent);

  const full = () => Promise.reject(new StorageError('storage_full', 'The database cannot grow'));
  const wrapped = (store: Store) =>
    new Proxy(store, {
      get: (target, name) => {
        if (name === 'isSoleCoordinator') return isSoleCoordinator;
        if (name === 'transact' && refuses) return full;
        if (name === 'health') {
          asked += 1;
          return () => Promise.resolve(health);
        }
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });

  const open = async () => {
    [health, refuses, isSoleCoordinator, asked] = ['ok', false, true, 0];
    silent.error = () => undefined;
    harness = await openHarness({ leaseMs: LEASE_MS }, false, {}, undefined, wrapped);
    return PlayedRunner.register(harness);
  };
  afterEach(async () => {
    silent.error = error;
    await harness.close();
  });

  const start = (timeout_ms?: number) =>
    harness.operator.runs.create({
      type: 'start_session',
      session_name: 'worker',
      prompt: 'x',
      ...(timeout_ms === undefined ? {} : { timeout_ms }),
    });
  const run = async (runId: string) => must(await harness.operator.runs.get(runId));

  /** Nothing can be written for this time. */
  const outage = async (ms: number, end: () => unknown = () => ([health, refuses] = ['ok', false])) => {
    [health, refuses] = ['not_writable', true];
    await expect(harness.operator.runners.register({ hostname: 'x', executor_types: [] })).rejects.toThrow(
      'cannot grow',
    );
    harness.clock.advance(ms);
    asked = 0;
    await eventually('timers were to fire', () => asked > 2);
    await end();
    await harness.pass(0);
  };

  it('costs no runner its lease', async () => {
    const runner = await open();
    must(await start());
    const { run_id } = await runner.take();
    await outage(2 * LEASE_MS);
    expect(await run(run_id)).toMatchObject({ status: 'running', attempt: 1 });
    await harness.pass(2 * LEASE_MS);
    expect(await run(run_id)).toMatchObject({ status: 'pending', attempt: 1 });
  });

  it('counts towards no time-out', async () => {
    const runner = await open();
    must(await start(LEASE_MS));
    const { run_id } = await runner.take();
    await outage(2 * LEASE_MS);
    await harness.pass(LEASE_MS - 1);
    expect(await run(run_id)).toMatchObject({ status: 'running' });
    await harness.pass(1);
    expect(await run(run_id)).not.toMatchObject({ status: 'running' });
  });

  it('is over with the first commit, also on a disk that is nearly full', async () => {
    const runner = await open();
    must(await start());
    const { run_id } = await runner.take();
    await outage(2 * LEASE_MS, async () => {
      [health, refuses] = ['not_writable', false];
      await runner.claim();
    });
    expect(await run(run_id)).toMatchObject({ status: 'running', attempt: 1 });
    await harness.pass(LEASE_MS);
    expect(await run(run_id)).toMatchObject({ status: 'pending', attempt: 1 });
  });

  it('moves no deadline if another coordinator may have written meanwhile', async () => {
    const runner = await open();
    isSoleCoordinator = false;
    must(await start(LEASE_MS));
    const { run_id } = await runner.take();
    await outage(2 * LEASE_MS);
    expect(await run(run_id)).toMatchObject({ status: 'stopping', attempt: 1 });
  });

  it('is none if only some records cannot be read or written', async () => {
    const runner = await open();
    must(await start());
    const { run_id } = await runner.take();
    refuses = true;
    await expect(start()).rejects.toThrow('cannot grow');
    await eventually('the service looks at the database', () => asked > 0);
    refuses = false;
    await harness.pass(LEASE_MS);
    expect(await run(run_id)).toMatchObject({ status: 'pending', attempt: 1 });
  });
});
