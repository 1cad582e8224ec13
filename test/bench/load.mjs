// Rounds of load: requests for some seconds over a number of connections, from this process.
import { openConnection } from './connection.mjs';

export const CONNECTIONS = 64;

/**
 * @param next - Gives the text of each request.
 * @returns Answers per second, and latencies in milliseconds.
 */
export async function round({
  url,
  next,
  connections = CONNECTIONS,
  seconds,
  accept = (code) => code < 400,
}) {
  const latencies = [];
  const from = performance.now();
  const until = from + seconds * 1000;
  const worker = () =>
    new Promise((resolve, reject) => {
      let sent = 0;
      let connection = null;
      const send = () => {
        sent = performance.now();
        connection.send(next());
      };
      const answered = (status) => {
        const now = performance.now();
        if (!accept(status)) reject(new Error(`an answer that does not count: ${String(status)}`));
        latencies.push(now - sent);
        if (now < until) send();
        else resolve(connection.close());
      };
      openConnection(url, answered).then((opened) => {
        connection = opened;
        send();
      }, reject);
    });
  await Promise.all(Array.from({ length: connections }, worker));
  const took = (performance.now() - from) / 1000;
  latencies.sort((a, b) => a - b);
  const at = (part) => latencies[Math.floor(latencies.length * part)] ?? 0;
  return { perSecond: latencies.length / took, p50: at(0.5), p99: at(0.99) };
}

export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * Measures several things in turn, several times, so that a change of the machine's speed hits them alike.
 *
 * @returns For each the medians, and `all`: its rounds in their order.
 */
export async function interleaved(rounds, measures) {
  const results = Object.fromEntries(Object.keys(measures).map((name) => [name, []]));
  for (let i = 0; i < rounds; i += 1) {
    for (const [name, measure] of Object.entries(measures)) results[name].push(await measure());
  }
  return Object.fromEntries(
    Object.entries(results).map(([name, all]) => [
      name,
      {
        perSecond: median(all.map((one) => one.perSecond)),
        p50: median(all.map((one) => one.p50)),
        p99: median(all.map((one) => one.p99)),
        all,
      },
    ]),
  );
}

/** How many times as many of the one were done as of the other: the median of what it was in each round. */
export function against(one, other) {
  return median(one.all.map(({ perSecond }, i) => perSecond / other.all[i].perSecond));
}
