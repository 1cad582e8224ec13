// Callers who connect at the same time: who waits for whom, and for how long.
import { setImmediate as nextIteration } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { ArrivingConnections } from '../../../src/http/connections/arriving-connections.js';

it('lets a request through at once where nobody connects', async () => {
  const connections = new ArrivingConnections();
  expect(connections.letIn()).toBeUndefined();
  connections.add();
  await connections.letIn();
  expect(connections.letIn()).toBeUndefined();
});

it('lets all in who connect in iterations that follow each other, and then all of their requests at once', async () => {
  const connections = new ArrivingConnections();
  const log: string[] = [];
  for (let caller = 1; caller <= 5; caller += 1) {
    connections.add();
    log.push(`connected ${String(caller)}`);
    void connections.letIn()?.then(() => log.push(`answered ${String(caller)}`));
    await nextIteration();
  }
  await connections.letIn();
  const each = [1, 2, 3, 4, 5].map(String);
  expect(log).toEqual([
    ...each.map((caller) => `connected ${caller}`),
    ...each.map((caller) => `answered ${caller}`),
  ]);
});

it('makes nobody wait for ever where somebody always connects', async () => {
  const connections = new ArrivingConnections();
  connections.add();
  const waited = { iterations: 0, isOver: false };
  const letIn = connections.letIn()?.then(() => (waited.isOver = true));
  while (!waited.isOver && waited.iterations < 1_000) {
    connections.add();
    waited.iterations += 1;
    await nextIteration();
  }
  await letIn;
  expect(waited.iterations).toBeLessThan(100);
});
