// Sees a scenario through to its end, as its user and its operator would, whoever is killed meanwhile.
import { ConnectionError, type CallbackView, type Listed, type Result } from '../../src/client/index.js';
import { pause } from '../support/eventually.js';
import { must, type Stage } from '../support/stage.js';
import type { Scenario } from './scenario.js';

const UNFINISHED = ['pending', 'claimed', 'running', 'stopping'] as const;
const AT_WORK = ['pending', 'running'];
const PACE_MS = 100;

/** Whom the director asks. */
type Asked = Pick<Stage, 'operator'>;

export interface Ended {
  /** Ids of callbacks that were dead letters, and were delivered again. */
  readonly redelivered: ReadonlySet<string>;
}

/** Asked again while the service is away. */
export async function persist<T>(call: () => Promise<Result<T>>): Promise<Result<T>> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      await pause(PACE_MS);
    }
  }
}

export class Director {
  readonly #redelivered = new Set<string>();
  readonly #givenMore = new Set<string>();

  constructor(
    private readonly stage: Asked,
    private readonly scenario: Scenario,
    private readonly tell: (line: string) => void,
    private readonly paceMs = PACE_MS,
  ) {}

  /**
   * @param deadline - When to give up, by `performance.now()`; it may move.
   * @returns When nothing is under way any more and nobody is waited for.
   */
  async seeThrough(deadline: () => number): Promise<Ended> {
    const { runs } = this.stage.operator;
    const started = await persist(() => runs.create(this.scenario.start));
    if (!started.ok && started.failure.error !== 'session_exists') must(started);
    while (!(await this.#isOver())) {
      if (performance.now() > deadline()) throw new Error(`It never ended: ${await this.#situation()}`);
      await pause(this.paceMs);
    }
    return { redelivered: this.#redelivered };
  }

  async #isOver(): Promise<boolean> {
    const callbacks = await this.#callbacks();
    for (const name of this.scenario.again) await this.#giveMore(name, callbacks);
    for (const one of callbacks) if (one.status === 'dead') await this.#redeliver(one);
    const open = callbacks.some((one) => ['held', 'queued', 'dead'].includes(one.status));
    if (open || (await this.#unfinished()).length > 0) return false;
    return (await this.#unended()).length === 0;
  }

  /**
   * Sessions that are at work, or get more of it; others were never started, because the work that was to start them was given
   * up. In one look: a run that is given back goes from a list that is yet to be read into one that was.
   */
  async #unended(): Promise<readonly string[]> {
    const query = { root_session: this.scenario.root, limit: 1000 };
    const { items } = must(await persist(() => this.stage.operator.sessions.list(query)));
    const unended = items.filter(({ session_name: name, status }) => {
      const getsMore = this.scenario.again.includes(name) && !this.#givenMore.has(name);
      return getsMore || AT_WORK.includes(status);
    });
    return unended.map(({ session_name, status }) => `${session_name}: ${status}`);
  }

  /** Once the child's first piece of work is told of: a second one. */
  async #giveMore(name: string, callbacks: readonly CallbackView[]): Promise<void> {
    if (this.#givenMore.has(name)) return;
    const own = callbacks.filter((one) => one.metadata.callback_source === name);
    if (own.length === 1 && own[0]?.status === 'delivered') {
      const body = { type: 'resume_session', session_name: name, prompt: 'more', callback: true } as const;
      // Whether an answer that was lost meant a yes, the next look at the callbacks tells.
      await this.stage.operator.runs.create(body).then(must, unlessAway);
    }
    if (own.length > 1) this.#givenMore.add(name);
  }

  async #redeliver({ callback_id, reason, metadata }: CallbackView): Promise<void> {
    this.tell(`dead letter of ${metadata.callback_source}: ${String(reason)}`);
    this.#redelivered.add(callback_id);
    const result = await persist(() => this.stage.operator.callbacks.redeliver(callback_id));
    if (!result.ok && result.failure.error !== 'callback_not_deliverable') must(result);
  }

  async #callbacks(): Promise<readonly CallbackView[]> {
    const query = { root_session: this.scenario.root, limit: 1000 };
    const page = await persist<Listed<CallbackView>>(() => this.stage.operator.callbacks.list(query));
    return must(page).items;
  }

  async #unfinished(): Promise<readonly string[]> {
    const names: string[] = [];
    for (const status of UNFINISHED) {
      const { items } = must(await persist(() => this.stage.operator.runs.list({ status, limit: 1000 })));
      const own = items.filter((run) => run.session_name.startsWith(`${this.scenario.tree}-`));
      names.push(...own.map((run) => `${run.session_name}: ${run.purpose} ${status} (${run.run_id})`));
    }
    return names;
  }

  async #situation(): Promise<string> {
    const callbacks = await this.#callbacks();
    const open = callbacks.filter((one) => one.status !== 'delivered');
    return JSON.stringify({
      runs: await this.#unfinished(),
      callbacks: open.map((one) => `${one.metadata.callback_source}: ${one.status} (${one.callback_id})`),
      sessions: await this.#unended(),
    });
  }
}

function unlessAway(error: unknown): void {
  if (!(error instanceof ConnectionError)) throw error;
}
