// Random lives of whole trees: the aggregates that are computed from each commit are those that a load would give.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { changedAggregates } from '../../../src/domain/transactions/changed-aggregates.js';
import type { SessionAggregate } from '../../../src/domain/transactions/loaded-records.js';
import { command, Play, setup } from '../play.js';
import { runs } from '../../support/runs.js';

const RUNS = runs(100);

it('computes the aggregates after a commit as if they were loaded again', () => {
  let computed = 0;
  let loadedAgain = 0;
  fc.assert(
    fc.property(setup, fc.array(command, { minLength: 1, maxLength: 60, size: 'max' }), (how, commands) => {
      const play = new Play(how);
      const { store } = play.world;
      const known = new Map<string, SessionAggregate>();
      const load = (sessionId: string) => {
        const aggregate = store.aggregate(sessionId);
        if (aggregate === undefined) throw new Error(`no session ${sessionId}`);
        return aggregate;
      };
      for (const sessionId of store.sessions.keys()) known.set(sessionId, load(sessionId));
      store.heard = (changes) => {
        for (const [sessionId, after] of changedAggregates(changes, (one) => known.get(one))) {
          known.set(sessionId, after ?? load(sessionId));
          if (after === null) loadedAgain += 1;
          else computed += 1;
        }
        for (const [sessionId, aggregate] of known) expect(aggregate).toEqual(load(sessionId));
      };
      for (const one of commands) play.do(one);
      play.drain();
    }),
    { numRuns: RUNS },
  );
  // Only a record that comes back has to be loaded again, such as a callback that an operator redelivers.
  expect(loadedAgain).toBeLessThan(computed / 20);
});
