// What a write costs in a database with a long history, and in one with many states, against an empty one.
import { join } from 'node:path';
import { coordinatorOn, patches } from './coordinator.mjs';
import { documentOf } from './documents.mjs';
import { against, interleaved, round } from './load.mjs';
import { heading, line, rate, figure } from './report.mjs';

const EVENTS = Number(process.env.BENCH_EVENTS ?? 1_000_000);
const STATES = Number(process.env.BENCH_STATES ?? 100_000);
/** As many as the empty database is measured with: what differs is what else there is. */
const WRITTEN = 1000;

export async function growth({ dir, seconds, rounds }) {
  const empty = await coordinatorOn(join(dir, 'empty.db'));
  const long = await coordinatorOn(join(dir, 'long.db'));
  const wide = await coordinatorOn(join(dir, 'wide.db'));
  try {
    const hot = {
      empty: await empty.newState(documentOf(1000)),
      long: await long.newState(documentOf(1000)),
    };
    while ((await long.call('GET', `/workflow-states/${hot.long}`)).version < EVENTS)
      await round({ url: long.url, next: patches(long.url, [hot.long]), seconds: 10 });
    const few = await empty.newStates(WRITTEN);
    const all = await wide.newStates(STATES);
    const some = Array.from({ length: WRITTEN }, () => all[Math.floor(Math.random() * all.length)]);
    const at =
      ({ url }, ids) =>
      () =>
        round({ url, next: patches(url, ids), seconds });
    const results = await interleaved(rounds, {
      hotEmpty: at(empty, [hot.empty]),
      hotLong: at(long, [hot.long]),
      fewStates: at(empty, few),
      manyStates: at(wide, some),
    });
    heading('A write in a grown database / in an empty one (cost: the inverse of the rate)');
    line(
      `${EVENTS.toLocaleString('en')} events in the state`,
      figure(against(results.hotEmpty, results.hotLong)),
      '<= 1.4',
      rate(results.hotLong),
    );
    line(
      `${STATES.toLocaleString('en')} states`,
      figure(against(results.fewStates, results.manyStates)),
      '<= 1.4',
      rate(results.manyStates),
    );
  } finally {
    await Promise.all([empty.stop(), long.stop(), wide.stop()]);
  }
}
