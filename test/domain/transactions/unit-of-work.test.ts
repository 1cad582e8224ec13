// Decisions as the store sees them: asked for more until everything is there, whole or not at all.
import { describe, expect, it } from 'vitest';
import { deciding } from '../../../src/domain/transactions/decide.js';
import { STALE } from '../../../src/domain/transactions/unit-of-work.js';
import { accepted, refused } from '../../../src/domain/errors.js';
import { contractAt, must, sleepingRoot, World } from '../world.js';

describe('a decision', () => {
  it('asks for what it needs, and is made again from the start', () => {
    const world = sleepingRoot();
    let rounds = 0;
    const outcome = world.decide((draft) => {
      rounds += 1;
      draft.need({ want: 'desk', sessionId: 'ses_root' }, { want: 'runner', runnerId: 'rnr_1' });
      return accepted(draft.desk('ses_root').session.sessionName);
    });
    expect([must(outcome), rounds]).toEqual(['root', 2]);
  });

  it('that is made from the beginning asks again for what it needs', () => {
    const world = sleepingRoot();
    const { store } = world;
    const decide = deciding(world.context(false), (draft) => accepted(draft.findDesk('ses_root') !== null));
    const wants = [{ want: 'desk', sessionId: 'ses_root' }];
    expect(decide(store.load([]))).toEqual({ more: wants });
    expect(decide(store.load([]))).toEqual({ more: wants });
    expect(store.transact([], decide)).toEqual(accepted(true));
  });

  it('finds nothing where there is nothing, without asking for ever', () => {
    expect(must(new World().decide((draft) => accepted(draft.findDesk('ses_none'))))).toBeNull();
  });

  it('writes nothing where it refuses, whatever it had put down before', () => {
    const world = sleepingRoot();
    const before = world.store.written.length;
    const outcome = world.decide((draft) => {
      draft.putSession({ ...draft.desk('ses_root').session, agentName: 'x' });
      return refused('internal', 'no');
    });
    expect([outcome.ok, world.store.written.length]).toEqual([false, before]);
  });

  it('raises a revision by one, however often it puts a record', () => {
    const world = sleepingRoot();
    const before = world.session('root').revision;
    world.decide((draft) => {
      for (const agentName of ['a', 'b', 'c'])
        draft.putSession({ ...draft.desk('ses_root').session, agentName });
      return accepted(null);
    });
    expect(world.session('root')).toMatchObject({ agentName: 'c', revision: before + 1 });
    expect(world.store.written.at(-1)).toHaveLength(1);
  });

  it('sees what it has decided so far', () => {
    const world = sleepingRoot();
    world.work('root');
    const seen = world.decide((draft) => {
      const { session, runs } = draft.desk('ses_root');
      draft.putSession({ ...session, status: 'stopped' });
      draft.putRun({ ...runs[0]!, status: 'stopped', completedAt: draft.now, dueAt: null });
      return accepted([draft.desk('ses_root').session.status, draft.desk('ses_root').runs.length]);
    });
    expect(must(seen)).toEqual(['stopped', 0]);
  });

  it('is stale where it was prepared on an older document, or lacks a verdict', () => {
    const world = sleepingRoot();
    world.child('a', 'root', { contract: contractAt('/a') });
    const old = world.context(true);
    world.write(null, 'n', 1);
    const wants = [{ want: 'desk', sessionId: 'ses_a' }] as const;
    const look = deciding(old, (draft) => accepted(draft.view('ses_root')), wants);
    expect(world.store.transact(wants, look)).toBe(STALE);
    const judge = deciding(
      world.context(true),
      (draft) => accepted(draft.verdict(draft.completion('ses_a'))),
      wants,
    );
    expect(world.store.transact(wants, judge)).toBe(STALE);
  });

  it('throws where the fault is the program’s', () => {
    expect(() => new World().decide((draft) => accepted(draft.desk('ses_none')))).toThrow(
      'The stored session ses_none is missing',
    );
  });
});
