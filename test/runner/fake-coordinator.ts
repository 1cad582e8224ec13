// A coordinator in memory: hands out what a test queues, remembers what it is told, and can be away.
import { ok, fail, type Result } from '../../src/domain/errors.js';
import type { ClaimedRun, RunView } from '../../src/ports/api/index.js';
import type { RunnerService } from '../../src/ports/service.js';

export interface Reported {
  readonly what: 'started' | 'completed' | 'failed' | 'stopped';
  readonly runId: string;
  readonly body: any;
}

export function createFakeCoordinator({ heartbeatMs = 10 } = {}) {
  const queue: ClaimedRun[] = [];
  const reports: Reported[] = [];
  const registrations: any[] = [];
  const heartbeats: any[] = [];
  const polls: { runnerId: string; capacity: number | undefined }[] = [];
  const state = {
    away: false,
    /** What a registration is refused with. */
    registration: null as Result<never> | null,
    /** What a final report is refused with. */
    report: null as ((reported: Reported) => Result<never> | null) | null,
    runnerId: '',
    stop: [] as string[],
    lost: [] as string[],
    /** The next heartbeat gets no answer. */
    silent: false,
    requests: 0,
  };
  let wake: () => void = () => undefined;

  function arrive() {
    state.requests += 1;
    if (state.away) throw new Error('The coordinator is away');
  }
  const known = (runnerId: string) =>
    runnerId === state.runnerId ? null : fail('runner_not_found', 'No such runner.');

  const report =
    (what: Reported['what']) =>
    async (runId: string, body: any): Promise<Result<RunView>> => {
      await Promise.resolve();
      arrive();
      const reported = { what, runId, body };
      const failure = known(body.runner_id) ?? state.report?.(reported);
      if (failure) return failure;
      reports.push(reported);
      return ok({} as RunView);
    };

  const service: RunnerService = {
    register: async (body) => {
      await Promise.resolve();
      arrive();
      if (state.registration) return state.registration;
      registrations.push(body);
      state.runnerId = `rnr_${registrations.length}`;
      return ok({
        runner_id: state.runnerId,
        poll_timeout_ms: 500,
        heartbeat_interval_ms: heartbeatMs,
        lease_ms: 1000,
      });
    },
    list: () => Promise.reject(new Error('unused')),
    remove: () => Promise.reject(new Error('unused')),
    poll: async ({ runnerId, waitMs, capacity }, signal) => {
      arrive();
      polls.push({ runnerId, capacity });
      const stranger = known(runnerId);
      if (stranger) return stranger;
      const deadline = performance.now() + waitMs;
      while (performance.now() < deadline && (queue.length === 0 || capacity === 0)) {
        await new Promise<void>((resolve) => {
          wake = resolve;
          setTimeout(resolve, 5);
          signal?.addEventListener('abort', () => resolve(), { once: true });
        });
        if (signal?.aborted) throw new Error('aborted');
        arrive();
        if (state.stop.length > 0) break;
      }
      return ok({ runs: queue.splice(0, capacity), stop_runs: [...state.stop] });
    },
    heartbeat: async (body, signal) => {
      await Promise.resolve();
      arrive();
      if (state.silent) {
        state.silent = false;
        await new Promise((_, reject) => {
          signal?.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
        });
      }
      heartbeats.push(body);
      return known(body.runner_id) ?? ok({ lost: [...state.lost], stop_runs: [...state.stop] });
    },
    started: report('started'),
    completed: report('completed'),
    failed: report('failed'),
    stopped: report('stopped'),
  };

  return {
    service,
    state,
    reports,
    registrations,
    heartbeats,
    polls,
    hand: (...runs: ClaimedRun[]) => {
      queue.push(...runs);
      wake();
    },
    queued: () => queue.length,
    /** Reports of one kind. */
    of: (what: Reported['what']) => reports.filter((one) => one.what === what),
  };
}
