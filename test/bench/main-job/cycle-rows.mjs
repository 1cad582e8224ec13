// The cycle of a child against the echo: over many trees, and all under one root. BENCH_CLIENT names the clients to call
// through.
import { join } from 'node:path';
import { coordinatorOn } from '../coordinator.mjs';
import { documentOf } from '../documents.mjs';
import { against, interleaved, median } from '../load.mjs';
import { startEcho } from '../processes.mjs';
import { figure, heading, line, rate } from '../report.mjs';
import { clientsAsked, percentile } from './caller.mjs';
import { CALLERS, CALLS, newTree, prepareTrees, runCycles, runEchoes } from './cycle.mjs';

const TREES = 40;
const CHILDREN = 25;

/** Cycles over many trees, each tree in turn, so that all of them are at work at once. */
async function ofTrees(service, options) {
  const trees = await Promise.all(Array.from({ length: TREES }, () => newTree(service)));
  const ofEach = Array.from({ length: TREES * CHILDREN }, (_, i) => trees[i % TREES]);
  return runCycles(service, ofEach, options);
}

export async function cycleRows({ dir, seconds, rounds }) {
  const document = documentOf(1000);
  const clients = clientsAsked();
  const echo = await startEcho(document);
  const service = await coordinatorOn(join(dir, 'cycles.db'));
  try {
    await prepareTrees(service);
    for (const client of clients) {
      const echoed = () => runEchoes(echo.url, document, seconds, client);
      const measured = await interleaved(rounds, {
        echo: echoed,
        trees: () => ofTrees(service, { client }),
        keyed: () => ofTrees(service, { client, keyed: true }),
        echoAgain: echoed,
        root: async () => {
          const tree = await newTree(service);
          const children = Array.from({ length: TREES * CHILDREN }, () => tree);
          return runCycles(service, children, { client });
        },
      });
      printRows(client, measured);
    }
  } finally {
    await Promise.all([echo.stop(), service.stop()]);
  }
}

function printRows(client, measured) {
  const children = ({ all }) => `${median(all.map(({ cycles }) => cycles)).toFixed(0)} children/s`;
  heading(
    `Cycles of a child through ${client}: 4 requests each, ${String(CALLERS)} callers, the parent pulls`,
  );
  line('bare Hono echo of 1 KB', '1.00', '', rate(measured.echo));
  line(
    `${String(TREES)} trees x ${String(CHILDREN)} children / echo`,
    figure(against(measured.trees, measured.echo)),
    '>= 0.30',
    `${children(measured.trees)}; aim 0.50`,
  );
  line(
    '  each request with an idempotency key / echo',
    figure(against(measured.keyed, measured.echo)),
    '',
    children(measured.keyed),
  );
  line(
    'all 1,000 under one root / echo',
    figure(against(measured.root, measured.echoAgain)),
    '>= 0.20',
    `${children(measured.root)}; aim 0.40`,
  );
  for (const [i, call] of CALLS.entries()) {
    const p99 = measured.trees.all.map(({ latencies }) => percentile(latencies[i], 0.99));
    const p50 = measured.trees.all.map(({ latencies }) => percentile(latencies[i], 0.5));
    line(
      `  p99 of "${call}" / p99 of the echo`,
      figure(median(p99.map((ms, k) => ms / measured.echo.all[k].p99))),
      '<= 4',
      `p50 ${median(p50).toFixed(1)} ms, p99 ${median(p99).toFixed(1)} ms; aim 2`,
    );
  }
}
