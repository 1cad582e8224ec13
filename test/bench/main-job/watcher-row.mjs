// Writes that come at a steady pace, with and without watchers of their tree: no write may become slower.
import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { coordinatorOn, patches } from '../coordinator.mjs';
import { openCaller as openPrepared } from '../connection.mjs';
import { interleaved } from '../load.mjs';
import { heading, line, ratio } from '../report.mjs';
import { percentile } from './caller.mjs';
import { treeWithChild } from './write-rows.mjs';

const WATCHERS = 200;
const WRITES_PER_SECOND = 200;
const CALLERS = 32;
const SECONDS = 3;

/** Starts watchers of a tree. `end` disconnects them, and gives the bytes of the one that got the least. */
async function watchersOf(url, root) {
  const worker = new Worker(new URL('watchers.mjs', import.meta.url), {
    workerData: { url, root, count: WATCHERS },
  });
  const said = async () => (await once(worker, 'message'))[0];
  await said();
  return {
    end() {
      worker.postMessage('end');
      return said();
    },
  };
}

/** Latencies of writes that are due at a fixed time each, from then on, in milliseconds. */
async function steadyWrites(url, next, seconds) {
  const callers = await Promise.all(Array.from({ length: CALLERS }, () => openPrepared(url)));
  const latencies = [];
  const from = performance.now();
  const all = WRITES_PER_SECOND * seconds;
  let sent = 0;
  await Promise.all(
    callers.map(async ({ call, close }) => {
      while (sent < all) {
        const due = from + ((sent += 1) - 1) * (1000 / WRITES_PER_SECOND);
        const wait = due - performance.now();
        if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
        const begun = Math.max(due, performance.now() - 1);
        if ((await call(next())) !== 200) throw new Error('a write was refused');
        latencies.push(performance.now() - begun);
      }
      close();
    }),
  );
  return { latencies };
}

export async function watcherRow({ dir, rounds }) {
  const service = await coordinatorOn(join(dir, 'watched.db'));
  try {
    const { root, stateId } = await treeWithChild(service, 'watched');
    const next = patches(service.url, [stateId]);
    const kinds = {
      alone: () => steadyWrites(service.url, next, SECONDS),
      watched: async () => {
        const watchers = await watchersOf(service.url, root);
        const result = await steadyWrites(service.url, next, SECONDS);
        const { leastBytes } = await watchers.end();
        if (leastBytes < 100 * WRITES_PER_SECOND)
          throw new Error(`a watcher got ${String(leastBytes)} bytes`);
        return result;
      },
    };
    // Once without measuring: the first seconds of a process are slower, with watchers and without.
    await interleaved(1, kinds);
    const measured = await interleaved(Math.min(rounds, 5), kinds);
    heading(`${String(WATCHERS)} watchers of a tree, ${String(WRITES_PER_SECOND)} writes/s to its state`);
    const all = ({ all: rounds }) => rounds.flatMap(({ latencies }) => latencies);
    for (const [name, part] of Object.entries({ p50: 0.5, p99: 0.99 })) {
      const [watched, alone] = [measured.watched, measured.alone].map((one) => percentile(all(one), part));
      line(
        `${name} of a write, with / without them`,
        ratio(watched, alone),
        '<= 1.2',
        `${watched.toFixed(1)} ms and ${alone.toFixed(1)} ms`,
      );
    }
  } finally {
    await service.stop();
  }
}
