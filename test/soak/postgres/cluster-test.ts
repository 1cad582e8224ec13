// Trees on three coordinators of one PostgreSQL database and two runners, while the coordinators meet one fault after the
// other. Each tree is checked when it has ended.
import { Cluster } from '../../support/cluster/cluster.js';
import { pause } from '../../support/eventually.js';
import { must } from '../../support/stage.js';
import { problemsIn } from '../checks.js';
import { Director, persist } from '../director.js';
import { errorsIn } from '../killer.js';
import { keeper, worker } from '../parts.js';
import { createRandom } from '../random.js';
import { remainsOf } from '../remains.js';
import { createScenario, SCHEMA } from '../scenario.js';
import { Faults, type Fault } from './faults.js';
import { recordsInServer } from './records.js';

export interface ClusterTestOptions {
  /** URL of an empty PostgreSQL database. */
  readonly db: string;
  readonly seed: number;
  readonly trees: number;
  /** How long there are faults. Trees are started evenly over this time, as soon as there is room. */
  readonly seconds: number;
  /** Hears what is going on. */
  readonly tell: (line: string) => void;
}

export interface ClusterTestReport {
  readonly faults: Readonly<Record<Fault, number>>;
  readonly trees: number;
  readonly redelivered: number;
  readonly writes: number;
  readonly problems: readonly string[];
}

const COORDINATORS = 3;
const RUNNERS = 2;
const CHILDREN_MAX = 3;
/** Longer than a coordinator that is stopped may hold the locks of its commits (5 s): nobody can renew a lease meanwhile. */
const LEASE_MS = 7000;
const FLAGS = [
  ...['--lease-ms', String(LEASE_MS)],
  ...['--update-retry-delay-ms', '50', '--update-timeout-ms', '20000'],
];
/** After the last fault everything has to come to its end. */
const PATIENCE_MS = 120_000;
/** More at a time would only wait for a place at the runners. */
const AT_ONCE_MAX = 10;
/** Trees are looked at in this pace: looks are requests as well. */
const PACE_MS = 1000;

/** What a coordinator that loses its database logs. Anything else is an error. */
const OF_A_LOST_DATABASE = /storage_failed|storage_busy|database (cannot be reached|is busy|failed during)/;

export async function clusterTest(options: ClusterTestOptions): Promise<ClusterTestReport> {
  const { db, seed, trees, seconds, tell } = options;
  const cluster = await Cluster.open({ db, coordinators: COORDINATORS, serve: FLAGS });
  const faults = new Faults(cluster.members, createRandom(seed), LEASE_MS);
  const problems: string[] = [];
  let redelivered = 0;
  let writes = 0;
  try {
    cluster.agents.cast({ keeper, worker });
    for (let n = 0; n < RUNNERS; n += 1) await cluster.startRunner();
    must(await cluster.operator.schemas.register(SCHEMA));
    const from = performance.now();
    const end = from + seconds * 1000;
    const over = new AbortController();
    const meeting = faults.run(over.signal);
    const seeThrough = async (n: number) => {
      await pause(from + (n * seconds * 1000) / trees - performance.now());
      const scenario = createScenario(`t${String(n)}`, createRandom(seed + n), CHILDREN_MAX);
      const started = performance.now();
      const director = new Director(cluster, scenario, tell, PACE_MS);
      const ended = await director.seeThrough(() => Math.max(end, started) + PATIENCE_MS);
      redelivered += ended.redelivered.size;
      const remains = await persistently(() =>
        remainsOf(cluster, scenario, (root) => recordsInServer(db, root)),
      );
      problems.push(...problemsIn(remains, scenario, ended.redelivered));
      const took = ((performance.now() - started) / 1000).toFixed(1);
      tell(`${scenario.root}: ${String(scenario.children.length)} children, ended after ${took} s`);
    };
    const runsOfRoot = async (session: string) => {
      const { items } = must(await persist(() => cluster.operator.runs.list({ session })));
      return JSON.stringify(
        items.map(({ purpose, status, attempt, error }) => ({ purpose, status, attempt, error })),
      );
    };
    let next = 0;
    const all = Array.from({ length: AT_ONCE_MAX }, async () => {
      while (next < trees) {
        const n = next;
        next += 1;
        await seeThrough(n).catch(async (error: unknown) => {
          problems.push(`${textOf(error)} ${await runsOfRoot(`t${String(n)}-root`)}`);
        });
      }
    });
    await pause(end - performance.now());
    over.abort();
    await meeting;
    await Promise.all(all);
    const doctor = await cluster.doctor();
    if (doctor.code !== 0) problems.push(`doctor: ${doctor.stdout}${doctor.stderr}`);
  } catch (error) {
    problems.push(textOf(error));
  } finally {
    writes = cluster.agents.notes().filter((note) => note.wrote !== undefined).length;
    const logs = [...cluster.members, ...cluster.runners].map(({ log }) => log);
    problems.push(...logs.flatMap(errorsIn).filter((line) => !OF_A_LOST_DATABASE.test(line)));
    await cluster.close(problems.length > 0);
    if (problems.length > 0) tell(`left for a look at it: ${cluster.dir}`);
  }
  return { faults: faults.counts, trees, redelivered, writes, problems };
}

/** What is read over several requests may meet a fault between them. */
async function persistently<T>(work: () => Promise<T>): Promise<T> {
  return must(await persist(async () => ({ ok: true as const, value: await work() })));
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
