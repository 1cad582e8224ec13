import { afterEach, expect, it } from 'vitest';
import { httpFetch } from '../../src/cli/io/http-fetch.js';
import { stoppable } from '../../src/cli/io/stoppable-fetch.js';
import { startHttpDouble, type HttpDouble } from '../client/http-double.js';

const doubles: HttpDouble[] = [];
afterEach(async () => {
  await Promise.all(doubles.splice(0).map((double) => double.close()));
});

async function asking(answer: Parameters<typeof startHttpDouble>[0]) {
  const double = await startHttpDouble(answer);
  doubles.push(double);
  const [stop, own] = [new AbortController(), new AbortController()];
  const fetch = stoppable(httpFetch, stop.signal);
  const sent = { method: 'GET', headers: {}, redirect: 'manual' as const, signal: own.signal };
  return { stop, own, double, ask: () => fetch(double.url, sent) };
}

it('is a fetch until the signal aborts', async () => {
  const { ask, stop } = await asking(() => ({ status: 201, body: { a: 1 } }));
  const response = await ask();
  expect([response.ok, response.status, await response.text()]).toEqual([true, 201, '{"a":1}']);
  stop.abort();
  await expect(ask()).rejects.toThrow(TypeError);
});

it.each(['stop', 'own'] as const)('ends a request without an answer by the signal: %s', async (which) => {
  const asked = await asking(() => null);
  const waiting = asked.ask();
  while (asked.double.asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  asked[which].abort();
  await expect(waiting).rejects.toThrow(TypeError);
});
