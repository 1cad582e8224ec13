// What a cycle costs as a parent gets more children, and as the database gets more sessions. BENCH_CHART names a folder
// that gets the growth as a table and as a chart.
import { join } from 'node:path';
import { coordinatorOn } from '../coordinator.mjs';
import { interleaved, median } from '../load.mjs';
import { processorMs } from '../processes.mjs';
import { figure, heading, line } from '../report.mjs';
import { writeChart } from './chart.mjs';
import { newTree, prepareTrees, runCycles } from './cycle.mjs';
import { grownDatabase } from './grown-database.mjs';

const BATCH = 60;
const FEW = 10;
const MANY = 1000;
/** The chart has more points than the rows need. */
const CHART = process.env.BENCH_CHART;
const CHILDREN = CHART === undefined ? [MANY] : [10, 30, 100, 300, MANY, 2000];
const SESSIONS = CHART === undefined ? [100, 100_000] : [100, 1000, 10_000, 100_000];

/** A point of the chart is the best of so many samples: other work on the machine only ever takes time. */
const SAMPLES = 6;

const times = (count, value) => Array.from({ length: count }, () => value);
const timesOf = (one, other) => median(one.all.map(({ cycles }, i) => other.all[i].cycles / cycles));

/** A measure of cycles, with the processor time of the service for each of them. */
async function timed(service, cycles, run) {
  const before = processorMs(service.pid);
  const measured = await run();
  return { ...measured, processorMs: (processorMs(service.pid) - before) / cycles };
}

const pointOf = (size, samples) => ({
  size,
  rate: Math.max(...samples.map(({ cycles }) => cycles)),
  processorMs: median(samples.map((sample) => sample.processorMs)),
});

/** Cycles in trees of their own, ten children each. */
async function spread(service) {
  const trees = [];
  while (trees.length < BATCH / 10) trees.push(await newTree(service));
  return runCycles(
    service,
    Array.from({ length: 2 * BATCH }, (_, i) => trees[i % trees.length]),
  );
}

export async function growthRows({ dir, rounds: asked }) {
  const rounds = Math.min(asked, 3);
  heading('What a cycle costs in what has grown / in what is small');
  const children = await ofChildren(dir, rounds);
  const sessions = await ofSessions(dir, rounds);
  if (CHART !== undefined) writeChart(CHART, { children, sessions });
}

async function ofChildren(dir, rounds) {
  const service = await coordinatorOn(join(dir, 'children.db'));
  try {
    await prepareTrees(service);
    // The first cycles of a process take longest.
    for (let i = 0; i < 2; i += 1) await spread(service);
    const grown = await newTree(service);
    const points = [];
    let has = 0;
    for (const size of CHILDREN) {
      if (size - has > 0) await runCycles(service, times(size - has, grown), { pull: false });
      if (size === MANY) await compare(service, grown, rounds);
      const samples = [];
      for (let i = 0; i < SAMPLES; i += 1)
        samples.push(await timed(service, 20, () => runCycles(service, times(20, grown), { pull: false })));
      has = size + 20 * SAMPLES + (size === MANY ? rounds * BATCH : 0);
      points.push(pointOf(size, samples));
    }
    return points;
  } finally {
    await service.stop();
  }
}

async function compare(service, grown, rounds) {
  const measured = await interleaved(rounds, {
    few: async () => {
      const tree = await newTree(service);
      await runCycles(service, times(FEW, tree), { pull: false });
      return runCycles(service, times(BATCH, tree), { pull: false, callers: 8 });
    },
    many: () => runCycles(service, times(BATCH, grown), { pull: false, callers: 8 }),
  });
  const told = (row) => `${median(row.all.map(({ cycles }) => cycles)).toFixed(0)}/s`;
  line(
    `the ${MANY.toLocaleString('en')}th child of a parent / the ${String(FEW)}th`,
    figure(timesOf(measured.many, measured.few)),
    '<= 1.5',
    `${told(measured.many)} and ${told(measured.few)}; aim 1.1`,
  );
}

export async function ofSessions(dir, rounds) {
  const services = new Map();
  try {
    for (const size of SESSIONS) {
      const path = join(dir, `sessions-${String(size)}.db`);
      await grownDatabase(path, { sessions: size });
      services.set(size, await coordinatorOn(path));
    }
    for (const service of services.values()) await spread(service);
    const measured = await interleaved(
      rounds,
      Object.fromEntries(
        [...services].map(([size, service]) => [
          String(size),
          () => timed(service, 2 * BATCH, () => spread(service)),
        ]),
      ),
    );
    const [least, most] = [String(SESSIONS[0]), String(SESSIONS.at(-1))];
    line(
      'the 100,000th session of a database / the 100th',
      figure(timesOf(measured[most], measured[least])),
      '<= 1.3',
      'aim 1.1',
    );
    return SESSIONS.map((size) => pointOf(size, measured[String(size)].all));
  } finally {
    await Promise.all([...services.values()].map((service) => service.stop()));
  }
}
