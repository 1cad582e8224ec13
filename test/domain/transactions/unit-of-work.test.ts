// Decisions as the store sees them: asked for more until everything is there, whole or not at all.
import { describe, expect, it } from 'vitest';
import { deciding } from '../../../src/domain/decisions/decide.js';
import { STALE } from '../../../src/domain/transactions/decision-context.js';
import { ok, fail } from '../../../src/domain/errors.js';
import { contractAt, must, sleepingRoot, World } from '../world.js';

describe('a decision', () => {
  it('asks for what it needs, and is made again from the start', () => {
    const world = sleepingRoot();
    let rounds = 0;
    const result = world.decide((unit) => {
      rounds += 1;
      unit.need({ load: 'aggregate', sessionId: 'ses_root' }, { load: 'runner', runnerId: 'rnr_1' });
      return ok(unit.aggregate('ses_root').session.sessionName);
    });
    expect([must(result), rounds]).toEqual(['root', 2]);
  });

  it('that is made from the beginning asks again for what it needs', () => {
    const world = sleepingRoot();
    const { store } = world;
    const decide = deciding(world.context(false), (unit) => ok(unit.findAggregate('ses_root') !== null));
    const loads = [{ load: 'aggregate', sessionId: 'ses_root' }];
    expect(decide(store.load([]))).toEqual({ more: loads });
    expect(decide(store.load([]))).toEqual({ more: loads });
    expect(store.transact([], decide)).toEqual(ok(true));
  });

  it('finds nothing where there is nothing, without asking for ever', () => {
    expect(must(new World().decide((unit) => ok(unit.findAggregate('ses_none'))))).toBeNull();
  });

  it('writes nothing where it refuses, whatever it had put down before', () => {
    const world = sleepingRoot();
    const before = world.store.written.length;
    const result = world.decide((unit) => {
      unit.putSession({ ...unit.aggregate('ses_root').session, agentName: 'x' });
      return fail('internal', 'no');
    });
    expect([result.ok, world.store.written.length]).toEqual([false, before]);
  });

  it('raises a revision by one, however often it puts a record', () => {
    const world = sleepingRoot();
    const before = world.session('root').revision;
    world.decide((unit) => {
      for (const agentName of ['a', 'b', 'c'])
        unit.putSession({ ...unit.aggregate('ses_root').session, agentName });
      return ok(null);
    });
    expect(world.session('root')).toMatchObject({ agentName: 'c', revision: before + 1 });
    expect(world.store.written.at(-1)).toHaveLength(1);
  });

  it('sees what it has decided so far', () => {
    const world = sleepingRoot();
    world.work('root');
    const seen = world.decide((unit) => {
      const { session, runs } = unit.aggregate('ses_root');
      unit.putSession({ ...session, status: 'stopped' });
      unit.putRun({ ...runs[0]!, status: 'stopped', completedAt: unit.now, dueAt: null });
      return ok([unit.aggregate('ses_root').session.status, unit.aggregate('ses_root').runs.length]);
    });
    expect(must(seen)).toEqual(['stopped', 0]);
  });

  it('is stale where the document or the result of a contract is not in memory', () => {
    const world = sleepingRoot();
    world.child('a', 'root', { contract: contractAt('/a') });
    const loads = [{ load: 'aggregate', sessionId: 'ses_a' }] as const;
    const withDocument = world.context(true);
    const look = deciding(world.context(false), (unit) => ok(unit.view('ses_root')), loads);
    expect(world.store.transact(loads, look)).toBe(STALE);
    const validate = deciding(
      { ...withDocument, contractViolationsOf: () => undefined },
      (unit) => ok(unit.contractViolations(unit.completion('ses_a'))),
      loads,
    );
    expect(world.store.transact(loads, validate)).toBe(STALE);
  });

  it('throws where the fault is the program’s', () => {
    expect(() => new World().decide((unit) => ok(unit.aggregate('ses_none')))).toThrow(
      'The stored session ses_none is missing',
    );
  });
});
