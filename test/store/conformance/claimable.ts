// Which runs a runner may be given, and in which order.
import { expect, it } from 'vitest';
import type { Session } from '../../../src/domain/records/records.js';
import { fits, hasEnded, isNextInQueue } from '../../../src/domain/lifecycle/run.js';
import { NOW, aRun, aRunner, aSession, childOf, demands, next } from '../records.js';
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
      load: 'claimable',
      onlySound: false,
      now: NOW,
      hostname: 'host-a',
      executorTypes: ['command'],
      tags: ['gpu'],
      runsMax: 10,
      claimsMax: 10,
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

  it('offers the oldest run of a session and its state updates, and no others', async () => {
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
    expect(await claimable()).toEqual(['run_work', 'run_update', 'run_update_2']);
    await write(store(), { put: 'run', record: next(update, { status: 'completed' }) });
    expect(await claimable()).toEqual(['run_work', 'run_update_2']);
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

/** All that the rule may hand out is among the candidates, whatever waits. */
export function conformCandidates({ store }: Subject): void {
  it('offers every run that is the next of its session, and that the rule would hand out', async () => {
    const runner = aRunner({ executorTypes: ['command'], tags: ['gpu'] });
    const statuses = ['pending', 'pending', 'pending', 'running', 'completed'] as const;
    const purposes = ['work', 'state_update', 'callback'] as const;
    const expected: string[] = [];
    for (let index = 0; index < 60; index += 1) {
      const session = childOf(root, `ses_${String(index)}`, { generation: 1 + (index % 2) });
      const runs = [0, 1, 2].map((at) =>
        aRun(session, `run_${String(index)}_${String(at)}`, {
          status: statuses[(index * 7 + at * 3) % statuses.length]!,
          purpose: purposes[(index + at * 2) % purposes.length]!,
          generation: 1 + ((index + at) % 3 === 0 ? 0 : index % 2),
          availableAt: NOW + ((index * 5 + at) % 7 === 0 ? 1 : 0),
          demands: demands((index + at) % 5 === 0 ? { hostname: 'host-b' } : {}),
        }),
      );
      await write(
        store(),
        { put: 'session', record: session },
        ...runs.map((record) => ({ put: 'run', record }) as const),
      );
      const open = runs.filter((run) => !hasEnded(run));
      const next = open.find((run) => isNextInQueue(run, session.generation, open));
      if (next !== undefined && next.availableAt <= NOW && fits(next.demands, runner))
        expected.push(next.runId);
    }
    const want = {
      load: 'claimable',
      onlySound: false,
      now: NOW,
      hostname: runner.hostname,
      executorTypes: runner.executorTypes,
      tags: runner.tags,
      runsMax: 1_000,
      claimsMax: 1_000,
    } as const;
    const offered = (await load(store(), want)).claimable.map((run) => run.runId);
    expect(expected.length).toBeGreaterThan(10);
    expect(expected.filter((runId) => !offered.includes(runId))).toEqual([]);
  });
}
