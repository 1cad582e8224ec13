// One round of load: requests for some seconds over a number of connections, from this process.
import autocannon from 'autocannon';

/**
 * @param requests - Sent in turn on every connection.
 * @returns Answers per second, and latencies in milliseconds.
 */
export async function round({ url, requests, connections = 64, seconds, accept = (code) => code < 400 }) {
  const result = await autocannon({ url, requests, connections, duration: seconds });
  const refused = Object.entries(result.statusCodeStats ?? {}).filter(([code]) => !accept(Number(code)));
  if (refused.length > 0 || result.errors > 0) {
    throw new Error(`answers that do not count: ${JSON.stringify(refused)}, ${String(result.errors)} errors`);
  }
  return { perSecond: result.requests.average, p50: result.latency.p50, p99: result.latency.p99 };
}

export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Measures several things in turn, several times, so that a change of the machine's speed hits them alike. */
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
      },
    ]),
  );
}
