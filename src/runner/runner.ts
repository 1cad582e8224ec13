// A runner: claims runs and keeps their leases until it is stopped. Executors do the work.
import { linkSignals } from '../lib/signals.js';
import type { RunnerRegister } from '../ports/api/index.js';
import type { LogFields } from '../ports/runtime.js';
import { messageOf } from '../domain/text.js';
import { backoffMs, sleep, type BackoffOptions } from '../lib/backoff.js';
import { createLink } from './coordinator-link.js';
import type { HeldRun } from './held-run.js';
import { HeldRuns, type ExecutionOptions } from './held-runs.js';

export interface RunnerOptions extends ExecutionOptions {
  readonly hostname: string;
  readonly tags: readonly string[];
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
  const { service, clock, logger, concurrentMax, backoff = BACKOFF } = options;
  const link = createLink({ service, registration: registrationOf(options), logger, backoff });
  const held = new HeldRuns({ ...options, link, onSettled: () => idlePoll?.abort() });
  const draining = new AbortController();
  const stoppingNow = new AbortController();
  const closed = new AbortController();
  let idlePoll: AbortController | null = null;
  /** True if a heartbeat was more than one interval late since the last poll was sent: the process was suspended. */
  let wasSuspended = false;
  let loops: Promise<unknown> = Promise.resolve();

  async function poll(waitMs: number) {
    const linked = linkSignals(draining.signal);
    const result = await link.call(
      'poll',
      (runnerId) => {
        const capacity = Math.max(0, concurrentMax - held.size);
        // A poll without capacity is aborted when a run ends. A poll with capacity is not: a claim could be lost.
        idlePoll = capacity === 0 ? linked : null;
        return service.poll({ runnerId, waitMs, capacity }, linked.signal);
      },
      linked.signal,
    );
    linked.release();
    idlePoll = null;
    return result;
  }

  async function pollOnce(waitMs: number): Promise<void> {
    wasSuspended = false;
    const from = clock.now();
    const result = await poll(waitMs);
    if (result === null) return;
    if (!result.ok) {
      logger.error({ ...result.failure }, 'poll refused');
      await sleep(backoff.maxMs, draining.signal);
      return;
    }
    const { runs, stop_runs } = result.value;
    const how = { isOld: wasSuspended, isDraining: draining.signal.aborted };
    for (const run of runs) held.add(run, how);
    held.stop(stop_runs);
    const isIdle = runs.length === 0 && clock.now() - from < POLL_PACE_MS;
    if (isIdle) await sleep(POLL_PACE_MS, draining.signal);
  }

  /** Only a stop ends it. An answer that cannot be used is like none: the coordinator may be restarted or updated. */
  async function pollLoop(waitMs: number): Promise<void> {
    for (let failures = 0; !draining.signal.aborted;) {
      try {
        await pollOnce(waitMs);
        failures = 0;
      } catch (error) {
        failures += 1;
        const delayMs = Math.round(backoffMs(failures, backoff));
        warnUnusable('poll', error, { failures, retry_in_ms: delayMs });
        await sleep(delayMs, draining.signal);
      }
    }
  }

  function warnUnusable(what: string, error: unknown, facts: LogFields = {}): void {
    logger.warn(
      { what, ...facts, reason: messageOf(error) },
      'the answer of the coordinator is not understood',
    );
  }

  async function heartbeat(intervalMs: number): Promise<void> {
    let sent: readonly HeldRun[] = [];
    const result = await link.call('heartbeat', (runnerId) => {
      sent = held.leased();
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
      held.stop(stop_runs);
    } else if (result !== null) logger.error({ ...result.failure }, 'heartbeat refused');
  }

  async function heartbeatLoop(intervalMs: number): Promise<void> {
    for (;;) {
      const from = clock.now();
      await sleep(intervalMs, closed.signal);
      // The process was suspended (SIGSTOP, debugger, sleep of the machine), so replies that arrive now are that
      // old.
      if (clock.now() - from > 2 * intervalMs) wasSuspended = true;
      if (closed.signal.aborted) return;
      await heartbeat(intervalMs).catch((error: unknown) => warnUnusable('heartbeat', error));
    }
  }

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
      if (mode === 'now') stoppingNow.abort();
      await within(options.drainMs ?? 30_000, held.allSettled(), stoppingNow.signal);
      held.endAll('shutdown');
      await within(options.settleMs ?? 10_000, held.allSettled(), closed.signal);
      held.endAll('lost');
      link.close();
      closed.abort();
      await within(1000, loops, new AbortController().signal);
    },
  };
}

/** Waits for `work` up to `ms`, or until the signal aborts. */
async function within(ms: number, work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  const linked = linkSignals(signal);
  void work.then(() => linked.abort());
  await sleep(ms, linked.signal);
  linked.release();
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
