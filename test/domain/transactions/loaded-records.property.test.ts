// Random lives of whole trees: whatever is done to them, in whatever order, the promises hold, and once the faults stop
// every piece of work that ended is handed on.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Watch } from '../invariants.js';
import { command, Play, setup, type Command, type Setup } from '../play.js';
import { runs } from '../../support/runs.js';

const RUNS = runs(150);

/** Its time must not be due for ever. */
const MORE_WORK_WHILE_A_STATE_IS_AWAITED: [Setup, Command[]] = [
  {
    modes: ['always', 'always', 'always', 'always', 'always', 'always'],
    contracts: false,
    state: false,
    rootTakes: 'resume',
    childTakes: 'resume',
    attemptsMax: 1,
    busy: false,
  },
  [
    { do: 'stop', name: 'a1' },
    { do: 'begin', name: 'root', then: 'complete' },
    { do: 'complete', pick: 0 },
    { do: 'work', name: 'a1', callback: false },
    { do: 'write', name: 'root', value: 0 },
  ],
];

describe('a tree of sessions', () => {
  it('keeps its promises through everything, and hands every outcome on in the end', () => {
    fc.assert(
      fc.property(setup, fc.array(command, { minLength: 1, maxLength: 80, size: 'max' }), (how, commands) => {
        const play = new Play(how);
        new Watch(play.world.store);
        for (const one of commands) play.do(one);
        play.drain();
        for (const one of play.world.store.completions.values()) {
          expect([one.sessionId, one.generation, one.releasedAt === null, one.status === 'pending']).toEqual([
            one.sessionId,
            one.generation,
            false,
            false,
          ]);
        }
        for (const one of play.world.store.callbacks.values()) {
          expect(['delivered', 'acknowledged', 'dead']).toContain(one.status);
        }
      }),
      { numRuns: RUNS, examples: [MORE_WORK_WHILE_A_STATE_IS_AWAITED] },
    );
  });
});
