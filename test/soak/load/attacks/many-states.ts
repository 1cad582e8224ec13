// Many states that are written at the same time.
import { AttackedState, many, pause, wide, type Attack } from '../kit.js';

const STATES = 200;
/** Longer than all writes take on a slow machine. */
const PATIENCE_MS = 120_000;

async function inTime(work: Promise<unknown>): Promise<void> {
  const late = pause(PATIENCE_MS).then(() => {
    throw new Error(`Not all are answered after ${String(PATIENCE_MS)} ms`);
  });
  await Promise.race([work, late]);
}

export const manyStates: readonly Attack[] = [
  {
    name: '200 states of 60 kB, 2,000 writes by 48 callers',
    async ready(target) {
      const states: AttackedState[] = [];
      await many(STATES, 8, async () => {
        states.push(await AttackedState.open(target, wide(600, 'x'.repeat(100))));
      });
      return () => inTime(many(2000, 48, async (at) => states[at % STATES]?.set('/m0', at)));
    },
  },
];
