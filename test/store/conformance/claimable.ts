// Which runs a runner may be given, and in which order.
import { expect, it } from 'vitest';
import type { Session } from '../../../src/domain/records/records.js';
import { NOW, aRun, aSession, childOf, demands, next } from '../records.js';
import { load, write, type Subject } from './subject.js';

const root = aSession();
const child = childOf(root, 'ses_child', { generation: 2 });

export function conformClaimable({ store }: Subject): void {
  const sessions = (...records: readonly Session[]) =>
    write(store(), ...records.map((record) => ({ put: 'session', record }) as const));

  const claimable = async (
    over: Partial<{
      now: number;
      hostname: string;
      executorTypes: string[];
      tags: string[];
      runsMax: number;
    }> = {},
  ) => {
    const want = {
      want: 'claimable',
      onlySound: false,
      now: NOW,
      hostname: 'host-a',
      executorTypes: ['command'],
      tags: ['gpu'],
      runsMax: 10,
      ...over,
    } as const;
    return (await load(store(), want)).claimable.map((run) => run.runId);
  };

  it('offers pending runs whose time has come, oldest first, no more than asked for', async () => {
    const many = ['a', 'b', 'c', 'd'].map((id) => childOf(root, id));
    await sessions(...many);
    await write(
      store(),
      ...many.map(
        (session, i) =>
          ({
            put: 'run',
            record: aRun(session, `run_${session.sessionId}`, { availableAt: NOW - i + 1 }),
          }) as const,
      ),
    );
    expect(await claimable()).toEqual(['run_b', 'run_c', 'run_d']);
    expect(await claimable({ now: NOW + 1 })).toEqual(['run_a', 'run_b', 'run_c', 'run_d']);
    expect(await claimable({ runsMax: 2 })).toEqual(['run_b', 'run_c']);
  });

  it('offers runs only to a host, an executor and tags that they demand', async () => {
    const wishes = {
      any: {},
      here: { hostname: 'host-a' },
      elsewhere: { hostname: 'host-b' },
      command: { executorType: 'command', tags: ['gpu'] },
      codex: { executorType: 'codex', hostname: 'host-a' },
    };
    for (const [id, wish] of Object.entries(wishes)) {
      const session = childOf(root, id, { demands: demands(wish) });
      await write(store(), { put: 'session', record: session }, { put: 'run', record: aRun(session, id) });
    }
    expect(await claimable()).toEqual(['any', 'here', 'command']);
    expect(await claimable({ tags: [] })).toEqual(['any', 'here']);
    expect(await claimable({ executorTypes: ['codex', 'command'] })).toEqual([
      'any',
      'here',
      'command',
      'codex',
    ]);
    expect(await claimable({ executorTypes: [], hostname: 'host-b' })).toEqual(['any', 'elsewhere']);
  });

  it.each(['claimed', 'running', 'stopping'] as const)(
    'offers no run of a session with a %s one',
    async (status) => {
      await sessions(root);
      await write(
        store(),
        { put: 'run', record: aRun(root, 'run_1', { status }) },
        { put: 'run', record: aRun(root, 'run_2') },
      );
      expect(await claimable()).toEqual([]);
      await write(store(), { put: 'run', record: next(aRun(root, 'run_1', { status: 'completed' })) });
      expect(await claimable()).toEqual(['run_2']);
    },
  );

  it('offers the first run of a session in line: state updates, then the oldest', async () => {
    await sessions(root);
    const work = aRun(root, 'run_work');
    const update = aRun(root, 'run_update', { purpose: 'state_update' });
    const later = aRun(root, 'run_update_2', { purpose: 'state_update' });
    await write(
      store(),
      { put: 'run', record: work },
      { put: 'run', record: aRun(root, 'run_callback', { purpose: 'callback' }) },
    );
    expect(await claimable()).toEqual(['run_work']);
    await write(store(), { put: 'run', record: update }, { put: 'run', record: later });
    expect(await claimable()).toEqual(['run_update']);
    await write(store(), { put: 'run', record: next(update, { status: 'completed' }) });
    expect(await claimable()).toEqual(['run_update_2']);
  });

  it('lets a run that is first in line but not due yet hold back those behind it', async () => {
    await sessions(root);
    await write(
      store(),
      { put: 'run', record: aRun(root, 'run_callback', { purpose: 'callback' }) },
      { put: 'run', record: aRun(root, 'run_update', { purpose: 'state_update', availableAt: NOW + 5 }) },
    );
    expect(await claimable()).toEqual([]);
    expect(await claimable({ now: NOW + 5 })).toEqual(['run_update']);
  });

  it('offers only runs of the present generation of their session', async () => {
    await sessions(root, child);
    await write(
      store(),
      { put: 'run', record: aRun(child, 'run_old', { generation: 1, purpose: 'state_update' }) },
      { put: 'run', record: aRun(child, 'run_next', { generation: 3 }) },
      { put: 'run', record: aRun(child, 'run_now', { generation: 2 }) },
    );
    expect(await claimable()).toEqual(['run_now']);
    await write(store(), { put: 'session', record: next(child, { generation: 3 }) });
    expect(await claimable()).toEqual(['run_next']);
  });
}
