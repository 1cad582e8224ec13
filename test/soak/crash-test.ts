// Scenarios one after the other on one database, with kills until there were enough; each is checked when it has ended.
import { must, Stage } from '../support/stage.js';
import { problemsIn } from './checks.js';
import { Director } from './director.js';
import { errorsIn, Killer, type Kills } from './killer.js';
import { keeper, worker } from './parts.js';
import { createRandom } from './random.js';
import { recordsInFile, remainsOf } from './remains.js';
import { createScenario, SCHEMA } from './scenario.js';

export interface CrashTestOptions {
  readonly seed: number;
  readonly kills: number;
  /** Hears what is going on. */
  readonly tell: (line: string) => void;
}

export interface CrashTestReport {
  readonly kills: Kills;
  readonly scenarios: number;
  readonly redelivered: number;
  readonly writes: number;
  readonly problems: readonly string[];
}

/** Short, so that the runs of a killed runner are soon taken up again. */
const FLAGS = ['--lease-ms', '1500', '--update-retry-delay-ms', '50', '--update-timeout-ms', '20000'];
/** After the last kill everything has to come to its end. */
const PATIENCE_MS = 90_000;

export async function crashTest({ seed, kills, tell }: CrashTestOptions): Promise<CrashTestReport> {
  const random = createRandom(seed);
  const stage = await Stage.open({ serve: FLAGS });
  const killer = new Killer(stage, random, kills);
  const problems: string[] = [];
  let scenarios = 0;
  let redelivered = 0;
  let writes = 0;
  try {
    stage.agents.cast({ keeper, worker });
    must(await stage.operator.schemas.register(SCHEMA));
    while (killer.killsLeft > 0 && problems.length === 0) {
      scenarios += 1;
      const from = performance.now();
      const scenario = createScenario(`t${String(scenarios)}`, random);
      const over = new AbortController();
      let calmSince = from;
      const killing = killer.run(over.signal).finally(() => (calmSince = performance.now()));
      const deadline = () => (killer.killsLeft > 0 ? performance.now() : calmSince) + PATIENCE_MS;
      const ended = await new Director(stage, scenario, tell)
        .seeThrough(deadline)
        .finally(() => over.abort());
      await killing;
      redelivered += ended.redelivered.size;
      const remains = await remainsOf(stage, scenario, (root) => recordsInFile(stage.db, root));
      problems.push(...problemsIn(remains, scenario, ended.redelivered), ...(await doctor(stage)));
      const seconds = ((performance.now() - from) / 1000).toFixed(1);
      tell(`${scenario.root}: ${String(scenario.children.length)} children, ended after ${seconds} s`);
    }
  } catch (error) {
    problems.push(error instanceof Error ? error.message : String(error));
  } finally {
    writes = stage.agents.notes().filter((note) => note.wrote !== undefined).length;
    problems.push(...killer.errors, ...errorsIn(stage.coordinator.log), ...errorsIn(stage.runner.log));
    await stage.close(problems.length > 0);
    if (problems.length > 0) tell(`left for a look at it: ${stage.dir}`);
  }
  return { kills: killer.kills, scenarios, redelivered, writes, problems };
}

async function doctor(stage: Stage): Promise<readonly string[]> {
  const { code, stdout, stderr } = await stage.command('doctor');
  return code === 0 ? [] : [`doctor: ${stdout}${stderr}`];
}
