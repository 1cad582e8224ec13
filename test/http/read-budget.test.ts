// The bytes of bodies that are read in one iteration of the event loop.
import { describe, expect, it } from 'vitest';
import { ReadBudget } from '../../src/http/read-budget.js';

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('the budget of an iteration', () => {
  it('lets readers of few bytes read on', async () => {
    const budget = new ReadBudget(100);
    for (let at = 0; at < 10; at += 1) {
      expect(budget.spend(9, () => undefined)).toBe(true);
    }
    await turn();
    expect(budget.spend(99, () => undefined)).toBe(true);
  });

  it('lets those wait whose bytes come when it is used up, and calls each once, in their order', async () => {
    const budget = new ReadBudget(100);
    const called: number[] = [];
    const readers = Array.from({ length: 40 }, (_, at) => () => called.push(at));
    expect(readers.map((goOn) => budget.spend(60, goOn)).filter(Boolean)).toHaveLength(1);
    expect(called).toEqual([]);
    await turn();
    expect(called.length).toBeGreaterThan(0);
    expect(called.length).toBeLessThan(39);
    while (called.length < 39) await turn();
    await turn();
    expect(called).toEqual(Array.from({ length: 39 }, (_, at) => at + 1));
  });

  it('bounds what all read in one iteration, whoever they are', async () => {
    const [budget, piece, bodies] = [new ReadBudget(1000), 100, 200];
    let [readInTurn, most, ended] = [0, 0, 0];
    for (let body = 0; body < bodies; body += 1) {
      let pieces = 0;
      const read = (): void => {
        for (;;) {
          pieces += 1;
          readInTurn += piece;
          most = Math.max(most, readInTurn);
          if (pieces === 10) {
            ended += 1;
            return;
          }
          if (!budget.spend(piece, read)) return;
        }
      };
      setImmediate(read);
    }
    while (ended < bodies) {
      readInTurn = 0;
      await turn();
    }
    // Each of the 200 bodies has one piece in the first iteration. After that, 16 read at once.
    expect(most).toBeLessThanOrEqual(200 * piece + 1000);
  });
});
