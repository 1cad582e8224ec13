// Many clients on one state and on many, with a kill of the coordinator in the middle: played, then looked through.
import { eventually, pause } from '../../support/eventually.js';
import { must, Stage } from '../../support/stage.js';
import { errorsIn } from '../killer.js';
import { createRandom, type Random } from '../random.js';
import { historyOf } from '../remains.js';
import { HOT_DATA, HOT_FORMS, HOT_SCHEMA, HotWriter } from './hot-forms.js';
import { Journal } from './journal.js';
import { Reader, readSomething } from './readers.js';
import { SPREAD_DATA, SPREAD_SCHEMA, writeSomewhere } from './spread-forms.js';
import { problemsOf } from './problems.js';
import {
  followHistory,
  followReads,
  followSocket,
  followStream,
  followWithClient,
  Watch,
} from './watchers.js';
import { Wire } from './wire.js';
import { Writer, type Load } from './writer.js';

export interface ConcurrencyOptions {
  readonly seed: number;
  /** How long there is load. */
  readonly seconds: number;
  /** States beside the one that all write to. */
  readonly states: number;
  readonly writers: number;
  /** Spread evenly over the time. */
  readonly kills: number;
}

export interface ConcurrencyReport {
  readonly figures: Readonly<Record<string, number>>;
  readonly problems: readonly string[];
}

const READERS = 8;
const THINK_MS_MAX = 15;
/** When all is written, everybody has to hear of it in so long. */
const PATIENCE_MS = 30_000;
const PROBLEMS_SHOWN_MAX = 30;

export async function concurrencyTest(options: ConcurrencyOptions): Promise<ConcurrencyReport> {
  const stage = await Stage.open({ runner: null });
  let problems: readonly string[] = ['it was not seen through'];
  try {
    const play = new Play(stage, options);
    const report = await play.run();
    problems = report.problems;
    return report;
  } finally {
    await stage.close(problems.length > 0);
  }
}

type Journals = readonly [Journal, ...Journal[]];

class Play {
  readonly #random: Random;
  readonly #wire: Wire;
  readonly #faults: string[] = [];
  readonly #watches: Watch[] = [];
  #life = 1;

  constructor(
    private readonly stage: Stage,
    private readonly options: ConcurrencyOptions,
  ) {
    this.#random = createRandom(options.seed);
    this.#wire = new Wire(stage.port);
  }

  async run(): Promise<ConcurrencyReport> {
    const over = new AbortController();
    const everything = this.#watch('all', (watch) =>
      followStream(watch, `${this.stage.url}/stream?since=0-0`, over.signal),
    );
    const journals = await this.#prepare();
    const watching = [everything, ...this.#watchers(journals, over.signal)];
    const { writers, loops } = this.#load(journals);
    await this.#killNowAndThen();
    await Promise.all(loops);
    await this.#lastLook(journals);
    await this.#heardOut(journals);
    over.abort();
    await Promise.all(watching);
    this.#wire.close();
    return this.#report(journals, writers);
  }

  /** The hot state with a session for each writer, then the others. */
  async #prepare(): Promise<Journals> {
    const { operator } = this.stage;
    for (const schema of [HOT_SCHEMA, SPREAD_SCHEMA]) must(await operator.schemas.register(schema));
    must(await operator.sessions.create({ session_name: 'hot', external: true }));
    const hot = await this.#create('hot', {
      schema_name: 'hot',
      initial_data: HOT_DATA,
      root_session_name: 'hot',
    });
    const asRoot = this.stage.as('hot');
    await Promise.all(
      Array.from({ length: this.options.writers }, async (_, n) => {
        must(await asRoot.sessions.create({ session_name: `hot-${String(n)}`, external: true }));
      }),
    );
    const spread = Array.from({ length: this.options.states }, (_, n) =>
      this.#create(`spread ${String(n)}`, { schema_name: 'spread', initial_data: SPREAD_DATA }),
    );
    return [hot, ...(await Promise.all(spread))];
  }

  async #create(name: string, body: unknown): Promise<Journal> {
    const came = await this.#wire.send({ method: 'POST', path: '/workflow-states', body });
    if (came.kind !== 'answer' || came.status !== 201) throw new Error(`${name}: ${JSON.stringify(came)}`);
    const journal = new Journal(came.body.state_id, name);
    const created = { ...came, body: { ...came.body, changed: true } };
    journal.wrote('creation', created, { invokedAt: came.invokedAt });
    return journal;
  }

  #watch(name: string, follow: (watch: Watch) => Promise<void>, each = true): Promise<void> {
    const watch = new Watch(name, each);
    this.#watches.push(watch);
    return follow(watch);
  }

  #watchers([hot, ...spread]: Journals, signal: AbortSignal): Promise<void>[] {
    const { url } = this.stage;
    const stream = (id: string) => `${url}/workflow-states/${id}/stream?since=0`;
    const of = (id: string) => (watch: Watch) => followStream(watch, stream(id), signal);
    return [
      ...[1, 2, 3].map((n) => this.#watch(`hot stream ${String(n)}`, of(hot.stateId))),
      this.#watch('hot in all', (watch) =>
        followStream(watch, `${url}/stream?since=0-0&state_id=${hot.stateId}`, signal),
      ),
      this.#watch('hot tree', (watch) =>
        followStream(watch, `${url}/stream?since=0-0&root_session=hot`, signal),
      ),
      this.#watch('hot socket', (watch) => followSocket(watch, url, hot.stateId, signal)),
      this.#watch('hot client', (watch) => followWithClient(watch, this.stage.operator, hot.stateId, signal)),
      this.#watch('hot reads', (watch) => followReads(watch, url, hot.stateId, signal), false),
      this.#watch('hot history', (watch) => followHistory(watch, url, hot.stateId, signal)),
      ...spread.slice(0, 20).map(({ name, stateId }) => this.#watch(name, of(stateId))),
    ];
  }

  #load(journals: Journals): { writers: readonly Writer[]; loops: readonly Promise<void>[] } {
    const until = performance.now() + this.options.seconds * 1000;
    const load: Load = {
      wire: this.#wire,
      life: () => this.#life,
      fault: (words) => this.#faults.push(words),
    };
    const [hot, ...spread] = journals;
    const some = spread as unknown as Journals;
    const repeat = async (what: () => Promise<unknown>) => {
      while (performance.now() < until) {
        await what();
        await pause(this.#random.between(0, THINK_MS_MAX));
      }
    };
    const count = this.options.writers;
    const writers = Array.from({ length: 2 * count }, (_, n) => new Writer(n, load, this.#random));
    const loops = writers.map((writer, n) => {
      if (n >= count) return repeat(() => writeSomewhere(writer, some));
      const own = new HotWriter(writer, hot, `hot-${String(n)}`);
      return repeat(() => this.#random.oneOf(HOT_FORMS)(own));
    });
    const reader = new Reader(this.#wire, this.#random, (words) => load.fault(words));
    const reading = Array.from({ length: READERS }, () => repeat(() => readSomething(reader, journals)));
    return { writers, loops: [...loops, ...reading] };
  }

  async #killNowAndThen(): Promise<void> {
    const { kills, seconds } = this.options;
    for (let n = 0; n < kills; n += 1) {
      await pause((seconds * 1000) / (kills + 1));
      this.#life += 1;
      const { stderr } = await this.stage.coordinator.end('SIGKILL');
      this.#faults.push(...errorsIn(stderr));
      await this.stage.startCoordinator();
    }
  }

  /** Each state once more, when nobody writes any longer. */
  async #lastLook(journals: Journals): Promise<void> {
    const reader = new Reader(this.#wire, this.#random, (words) => this.#faults.push(words));
    await Promise.all(
      journals.map(async (journal) => {
        const path = `/workflow-states/${journal.stateId}`;
        const answer = await reader.get(path);
        if (answer === null) this.#faults.push(`${journal.name} cannot be read`);
        else journal.read(`the last GET ${path}`, answer, answer.body.version, answer.body.current_data);
      }),
    );
  }

  async #heardOut(journals: Journals): Promise<void> {
    const newest = new Map(journals.map(({ stateId, newest: version }) => [stateId, version]));
    const behind = () => [
      ...this.#watches.filter(({ heard }) => heard.size === 0),
      ...this.#watches.filter(({ heard }) =>
        [...heard].some(([id, version]) => version < (newest.get(id) ?? 0)),
      ),
    ];
    await eventually('everybody has heard of everything', () => behind().length === 0, PATIENCE_MS).catch(
      () => {
        for (const { name } of behind()) this.#faults.push(`${name} has not heard of everything`);
      },
    );
    const all = this.#watches[0]?.heard.size;
    if (all !== journals.length) this.#faults.push(`the stream of everything told of ${String(all)} states`);
  }

  async #report(journals: Journals, writers: readonly Writer[]): Promise<ConcurrencyReport> {
    const problems = [...this.#faults, ...this.#watches.flatMap((one) => one.problems)];
    let versions = 0;
    for (const journal of journals) {
      const state = must(await this.stage.operator.states.get(journal.stateId));
      versions += state.version;
      const events = await historyOf(this.stage, journal.stateId);
      problems.push(...problemsOf(journal, { version: state.version, document: state.current_data, events }));
    }
    const doctor = await this.stage.command('doctor');
    if (doctor.code !== 0) problems.push(`doctor: ${doctor.stdout}${doctor.stderr}`);
    problems.push(...errorsIn(this.stage.coordinator.log));
    const operations = journals.flatMap((one) => one.operations);
    const total = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0);
    const figures = {
      requests: this.#wire.requests,
      'acknowledged writes': total(journals.map((one) => one.acknowledged)),
      'of them on the hot state': journals[0].acknowledged,
      versions,
      'writes without an answer': operations.filter((one) => one.kind === 'lost').length,
      'writes sent again with their key': total(writers.map((one) => one.retried)),
      conflicts: operations.filter((one) => one.kind === 'conflict').length,
      reads: operations.filter((one) => one.kind === 'read' || one.kind === 'past').length,
      watchers: this.#watches.length,
      'events heard': total(this.#watches.map((one) => one.events)),
      'watches taken up again': total(this.#watches.map((one) => one.resumed)),
      kills: this.#life - 1,
    };
    return { figures, problems: problems.slice(0, PROBLEMS_SHOWN_MAX) };
  }
}
