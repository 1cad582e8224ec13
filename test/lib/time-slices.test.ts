import { expect, it } from 'vitest';
import { TimeSlices } from '../../src/lib/time-slices.js';

function busy(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

it('work goes on at once until a slice is over; what is left keeps its order, and others come in between', async () => {
  const slices = new TimeSlices(5);
  const order: number[] = [];
  let rounds = 0;
  let over = false;
  const round = () => {
    rounds += 1;
    if (!over) setImmediate(round);
  };
  setImmediate(round);
  await Promise.all(
    Array.from({ length: 20 }, async (_, at) => {
      const turn = slices.yieldIfDue();
      if (turn !== undefined) await turn;
      busy(3);
      order.push(at);
    }),
  );
  over = true;
  expect(order).toEqual(Array.from({ length: 20 }, (_, at) => at));
  expect(slices.waits).toBeGreaterThanOrEqual(10);
  expect(rounds).toBeGreaterThanOrEqual(5);
});

it('between two slices the event loop turns many times: it accepts one connection in each', async () => {
  const slices = new TimeSlices(5);
  let turns = 0;
  let over = false;
  const turned = () => {
    turns += 1;
    if (!over) setImmediate(turned);
  };
  setImmediate(turned);
  await Promise.all(
    Array.from({ length: 6 }, async () => {
      const turn = slices.yieldIfDue();
      if (turn !== undefined) await turn;
      busy(5);
    }),
  );
  over = true;
  expect(turns).toBeGreaterThan(4 * 16);
});

it('releases a piece of work only after the promise steps of the one before', async () => {
  const slices = new TimeSlices(5);
  const order: string[] = [];
  const work = async (name: string) => {
    const turn = slices.yieldIfDue();
    if (turn !== undefined) await turn;
    order.push(`${name} begins`);
    for (let step = 0; step < 100; step += 1) await Promise.resolve();
    order.push(`${name} ends`);
  };
  void slices.yieldIfDue();
  busy(6);
  await Promise.all([work('one'), work('two')]);
  expect(order).toEqual(['one begins', 'one ends', 'two begins', 'two ends']);
});

it('lets those go on who have waited and ask again at once', async () => {
  const slices = new TimeSlices(5);
  let asked = 0;
  const work = async () => {
    for (let pause = slices.yieldIfDue(); pause !== undefined && asked < 100; pause = slices.yieldIfDue()) {
      asked += 1;
      await pause;
    }
  };
  void slices.yieldIfDue();
  busy(6);
  await Promise.all([work(), work()]);
  expect(asked).toBe(2);
});
