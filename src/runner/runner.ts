// A runner: claims runs, executes them within its limits, and keeps their leases. Executors do the work.
import type { Limits } from '../domain/limits.js';
import { linkSignals } from '../lib/signals.js';
import type { ClaimedRun, RunnerRegister } from '../ports/api/index.js';
import type { Clock, Logger } from '../ports/runtime.js';
import type { RunnerService } from '../ports/service.js';
import { sleep, type BackoffOptions } from '../lib/backoff.js';
import { createLink } from './coordinator-link.js';
import type { EndReason, Executor } from './executor.js';
import { holdRun, type HeldRun } from './held-run.js';

export interface RunnerOptions {
  readonly service: RunnerService;
  /** `COUNTERSIGN_URL` of every run: the URL under which its agent reaches the service. */
  readonly url: string;
  /** By executor type; the first one executes runs that name none. */
  readonly executors: Readonly<Record<string, Executor>>;
  readonly hostname: string;
  /** Working directory of runs that name none. */
  readonly projectDir: string;
  readonly tags: readonly string[];
  /** Concurrent runs, 1 to 64. */
  readonly concurrentMax: number;
  readonly limits: Pick<Limits, 'resultBytesMax'>;
  readonly logger: Logger;
  readonly clock: Clock;
  /** How long a `drain` lets runs continue before they are stopped, milliseconds. 30,000 by default. */
  readonly drainMs?: number;
  /** How long a stop then waits for runs to end and reports to be accepted, milliseconds. 10,000 by default. */
  readonly settleMs?: number;
  /** Delays between attempts while the coordinator is unavailable. 500 ms to 10 s by default. */
  readonly backoff?: BackoffOptions;
}

export interface Runner {
  /**
   * Resolves once the runner is registered, however long the coordinator is unavailable, or once it was stopped
   * before. From then on the runner keeps the process alive until it is stopped.
   *
   * @throws RunnerRefused If the service rejects the runner.
   */
  start(): Promise<void>;
  /**
   * drain: claims nothing new, and lets runs end within a limit. now: stops all runs. Runs that had to be stopped
   * are given back. May be called again with `now` to shorten a drain.
   */
  stop(mode: 'drain' | 'now'): Promise<void>;
}

/** Pause after a poll that returned at once without new runs, for example while a run is being stopped. */
const POLL_PACE_MS = 250;
/** Short enough for heartbeats: a lease is at stake. */
const BACKOFF: BackoffOptions = { firstMs: 500, maxMs: 10_000 };

/** Creates a runner; it does nothing before `start`. */
export function createRunner(options: RunnerOptions): Runner {
  const { service, executors, clock, logger, concurrentMax, backoff = BACKOFF } = options;
  const link = createLink({ service, registration: registrationOf(options), logger, backoff });
  const held = new Map<string, HeldRun>();
  const draining = new AbortController();
  const hurrying = new AbortController();
  const closed = new AbortController();
  let idlePoll: AbortController | null = null;
  /** True if a heartbeat was more than one interval late since the last poll was sent: the process was suspended. */
  let stoodStill = false;
  let loops: Promise<unknown> = Promise.resolve();

  /** Asks with a heartbeat for one run whether this runner still holds it. */
  async function confirm(run: ClaimedRun): Promise<void> {
    const { run_id, attempt, lease_token } = run;
    const result = await link.call('heartbeat', (runnerId) =>
      service.heartbeat({ runner_id: runnerId, runs: [{ run_id, attempt, lease_token }] }),
    );
    if (result?.ok !== true || !result.value.lost.includes(run_id)) return;
    logger.warn({ run_id, attempt }, 'the run was lost to another runner while this one stood still');
    const one = held.get(run_id);
    if (one?.attempt === attempt) one.end('lost');
  }

  /** @param isOld - The run was handed out while this process was suspended; another runner may hold it by now. */
  function take(run: ClaimedRun, isOld: boolean): void {
    const before = held.get(run.run_id);
    // This claim replaces the lease of an earlier attempt, whose process must end first.
    before?.end('lost');
    const executorType = run.executor_type ?? Object.keys(executors)[0] ?? '';
    const one = holdRun({
      run,
      executor: Object.hasOwn(executors, executorType) ? (executors[executorType] ?? null) : null,
      executorType,
      environment: { ...run.environment, COUNTERSIGN_URL: options.url },
      projectDir: run.project_dir ?? options.projectDir,
      resultBytesMax: options.limits.resultBytesMax,
      after: Promise.all([before?.settled, isOld ? confirm(run) : null]).then(() => undefined),
      service,
      link,
      logger,
      clock,
    });
    held.set(run.run_id, one);
    logger.info({ run_id: run.run_id, session: run.session_name, attempt: run.attempt }, 'run claimed');
    if (draining.signal.aborted) one.end('shutdown');
    else if (held.size > concurrentMax) one.end('excess');
    void one.settled.then(() => {
      if (held.get(run.run_id) === one) held.delete(run.run_id);
      idlePoll?.abort();
    });
  }

  function endRuns(runIds: readonly string[], reason: EndReason): boolean {
    const found = runIds.flatMap((runId) => held.get(runId) ?? []);
    for (const one of found) one.end(reason);
    return found.length > 0;
  }

  async function pollLoop(waitMs: number): Promise<void> {
    while (!draining.signal.aborted) {
      stoodStill = false;
      const from = clock.now();
      const poll = linkSignals(draining.signal);
      const result = await link.call(
        'poll',
        (runnerId) => {
          const capacity = Math.max(0, concurrentMax - held.size);
          // A poll without capacity is aborted when a run ends. A poll with capacity is not: a claim could be
          // lost.
          idlePoll = capacity === 0 ? poll : null;
          return service.poll({ runnerId, waitMs, capacity }, poll.signal);
        },
        poll.signal,
      );
      poll.release();
      idlePoll = null;
      if (result === null) continue;
      if (result.ok) {
        const isOld = stoodStill;
        for (const run of result.value.runs) take(run, isOld);
        endRuns(result.value.stop_runs, 'stop');
        const idle = result.value.runs.length === 0 && clock.now() - from < POLL_PACE_MS;
        if (idle) await sleep(POLL_PACE_MS, draining.signal);
      } else {
        logger.error({ ...result.failure }, 'poll refused');
        await sleep(backoff.maxMs, draining.signal);
      }
    }
  }

  async function heartbeatLoop(intervalMs: number): Promise<void> {
    for (;;) {
      const from = clock.now();
      await sleep(intervalMs, closed.signal);
      // The process was suspended (SIGSTOP, debugger, sleep of the machine), so replies that arrive now are that
      // old.
      if (clock.now() - from > 2 * intervalMs) stoodStill = true;
      if (closed.signal.aborted) return;
      let sent: readonly HeldRun[] = [];
      const result = await link.call('heartbeat', (runnerId) => {
        sent = [...held.values()].filter((one) => one.isHeld());
        const runs = sent.map((one) => ({
          run_id: one.runId,
          attempt: one.attempt,
          lease_token: one.leaseToken,
        }));
        // An unanswered request is repeated while the lease still holds: its connection may be dead, or lead to a
        // coordinator that stands still.
        return service.heartbeat({ runner_id: runnerId, runs }, AbortSignal.timeout(intervalMs));
      });
      if (result?.ok === true) {
        const { lost, stop_runs } = result.value;
        for (const one of sent) if (lost.includes(one.runId)) one.end('lost');
        endRuns(stop_runs, 'stop');
      } else if (result !== null) logger.error({ ...result.failure }, 'heartbeat refused');
    }
  }

  const allSettled = async () => {
    while (held.size > 0) await Promise.all([...held.values()].map((one) => one.settled));
  };

  return {
    async start() {
      const registered = await link.open();
      if (registered === null) return;
      logger.info({ runner_id: registered.runner_id, hostname: options.hostname }, 'runner registered');
      loops = Promise.all([
        pollLoop(registered.poll_timeout_ms),
        heartbeatLoop(registered.heartbeat_interval_ms),
      ]).catch((error: unknown) => logger.error({ error: String(error) }, 'the runner broke'));
    },

    async stop(mode) {
      draining.abort();
      if (mode === 'now') hurrying.abort();
      await within(options.drainMs ?? 30_000, allSettled(), hurrying.signal);
      endRuns([...held.keys()], 'shutdown');
      await within(options.settleMs ?? 10_000, allSettled(), closed.signal);
      endRuns([...held.keys()], 'lost');
      link.close();
      closed.abort();
      await within(1000, loops, new AbortController().signal);
    },
  };
}

/** Waits for `work` up to `ms`, or until the signal aborts. */
async function within(ms: number, work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  const over = linkSignals(signal);
  void work.then(() => over.abort());
  await sleep(ms, over.signal);
  over.release();
}

function registrationOf(options: RunnerOptions): RunnerRegister {
  return {
    hostname: options.hostname,
    project_dir: options.projectDir,
    executor_types: Object.keys(options.executors),
    tags: [...options.tags],
    max_concurrent: options.concurrentMax,
  };
}
