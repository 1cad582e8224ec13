// The runs that a runner holds: begins each that was claimed, ends those that are to end, and drops each once it is
// settled.
import type { Limits } from '../domain/limits.js';
import type { ClaimedRun } from '../ports/api/index.js';
import type { Clock, Logger } from '../ports/runtime.js';
import type { RunnerService } from '../ports/service.js';
import type { CoordinatorLink } from './coordinator-link.js';
import type { EndReason, Executor } from './executor.js';
import { holdRun, type HeldRun } from './held-run.js';

/** What the runs of a runner have in common. */
export interface ExecutionOptions {
  readonly service: RunnerService;
  /** `COUNTERSIGN_URL` of every run: the URL under which its agent reaches the service. */
  readonly url: string;
  /** By executor type; the first one executes runs that name none. */
  readonly executors: Readonly<Record<string, Executor>>;
  /** Working directory of runs that name none. */
  readonly projectDir: string;
  /** Concurrent runs, 1 to 64. */
  readonly concurrentMax: number;
  readonly limits: Pick<Limits, 'resultBytesMax'>;
  readonly logger: Logger;
  readonly clock: Clock;
}

interface HeldRunsOptions extends ExecutionOptions {
  readonly link: CoordinatorLink;
  /** Called whenever a run is settled. */
  readonly onSettled: () => void;
}

export class HeldRuns {
  readonly #held = new Map<string, HeldRun>();

  constructor(private readonly options: HeldRunsOptions) {}

  get size(): number {
    return this.#held.size;
  }

  /** Those whose lease this runner still has. */
  leased(): readonly HeldRun[] {
    return [...this.#held.values()].filter((one) => one.isHeld());
  }

  /**
   * Begins a claimed run.
   *
   * @param isOld - The run was handed out while this process was suspended; another runner may hold it by now.
   * @param isDraining - The runner begins nothing new: the run is given back.
   */
  add(run: ClaimedRun, { isOld, isDraining }: { isOld: boolean; isDraining: boolean }): void {
    const { executors, url, projectDir, limits, concurrentMax, service, link, logger, clock } = this.options;
    const before = this.#held.get(run.run_id);
    // This claim replaces the lease of an earlier attempt, whose process must end first.
    before?.end('lost');
    const executorType = run.executor_type ?? Object.keys(executors)[0] ?? '';
    const one = holdRun({
      run,
      executor: Object.hasOwn(executors, executorType) ? (executors[executorType] ?? null) : null,
      executorType,
      environment: { ...run.environment, COUNTERSIGN_URL: url },
      projectDir: run.project_dir ?? projectDir,
      resultBytesMax: limits.resultBytesMax,
      after: Promise.all([before?.settled, isOld ? this.#confirm(run) : null]).then(() => undefined),
      service,
      link,
      logger,
      clock,
    });
    this.#held.set(run.run_id, one);
    logger.info({ run_id: run.run_id, session: run.session_name, attempt: run.attempt }, 'run claimed');
    if (isDraining) one.end('shutdown');
    else if (this.#held.size > concurrentMax) one.end('excess');
    void one.settled.then(() => {
      if (this.#held.get(run.run_id) === one) this.#held.delete(run.run_id);
      this.options.onSettled();
    });
  }

  /** Asks with a heartbeat for one run whether this runner still holds it. */
  async #confirm(run: ClaimedRun): Promise<void> {
    const { service, link, logger } = this.options;
    const { run_id, attempt, lease_token } = run;
    const result = await link.call('heartbeat', (runnerId) =>
      service.heartbeat({ runner_id: runnerId, runs: [{ run_id, attempt, lease_token }] }),
    );
    if (result?.ok !== true || !result.value.lost.includes(run_id)) return;
    logger.warn({ run_id, attempt }, 'the run was lost to another runner while this one stood still');
    const one = this.#held.get(run_id);
    if (one?.attempt === attempt) one.end('lost');
  }

  stop(runIds: readonly string[]): void {
    for (const runId of runIds) this.#held.get(runId)?.end('stop');
  }

  endAll(reason: EndReason): void {
    for (const one of this.#held.values()) one.end(reason);
  }

  /** Resolves when none is left. */
  async allSettled(): Promise<void> {
    while (this.#held.size > 0) await Promise.all([...this.#held.values()].map((one) => one.settled));
  }
}
