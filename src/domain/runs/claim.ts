// Assigns runs to runners and extends their leases.
import type { UnitOfWork } from '../transactions/unit-of-work.js';
import { accepted, refused, type Outcome } from '../errors.js';
import type { Limits } from '../limits.js';
import type { Run, Runner } from '../records/records.js';
import { claimed, fits, holdsLease, isNextInLine, leaseExtended, stillStopping } from './lifecycle.js';
import type { Held } from './report.js';

export interface Lease {
  readonly token: string;
  readonly hash: string;
}

/**
 * Claims as many pending runs as the runner can execute, the oldest first. Of a session it claims at most one run: the
 * next in its queue, if no other is in progress. The store only narrows down the candidates.
 *
 * @param leases - One for each run that may be claimed.
 * @param onlySound - Leaves out runs whose session cannot be loaded; see `LoadRequest`.
 * @returns The runs, each with its lease token; or `runner_not_found`.
 */
export function claim(
  draft: UnitOfWork,
  runnerId: string,
  leases: readonly Lease[],
  onlySound = false,
): Outcome<readonly { run: Run; token: string }[]> {
  draft.need({ want: 'runner', runnerId });
  const runner = draft.family.runners.get(runnerId);
  if (runner === undefined) return unknownRunner(runnerId);
  draft.need({
    want: 'claimable',
    now: draft.now,
    hostname: runner.hostname,
    executorTypes: runner.executorTypes,
    tags: runner.tags,
    runsMax: draft.context.limits.claimCandidatesMax,
    onlySound,
  });
  const candidates = draft.family.claimable.filter((run) => mayTake(runner, run, draft.now));
  const taken: { run: Run; token: string }[] = [];
  for (let next = 0; next < candidates.length && taken.length < leases.length;) {
    // Loads only as many sessions at a time as runs can still be claimed.
    const some = candidates.slice(next, next + leases.length - taken.length);
    next += some.length;
    draft.need(...some.map(({ sessionId }) => ({ want: 'desk', sessionId }) as const));
    for (const run of some) {
      const lease = leases[taken.length];
      const { session, runs } = draft.desk(run.sessionId);
      if (lease === undefined || !isNextInLine(run, session.generation, runs)) continue;
      const mine = claimed(run, runnerId, lease.hash, draft.now, draft.context.limits);
      draft.putRun(mine);
      taken.push({ run: mine, token: lease.token });
    }
  }
  return accepted(taken);
}

/** True if a runner may claim a run now, without regard to the other runs of its session. */
function mayTake(runner: Runner, run: Run, now: number): boolean {
  return run.availableAt <= now && fits(run.demands, runner);
}

/**
 * Records that a runner is connected.
 *
 * @returns The runner; or `runner_not_found`.
 */
export function seen(draft: UnitOfWork, runnerId: string): Outcome<Runner> {
  draft.need({ want: 'runner', runnerId });
  const runner = draft.family.runners.get(runnerId);
  if (runner === undefined) return unknownRunner(runnerId);
  const now = { ...runner, lastSeenAt: draft.now };
  draft.put('runner', now, runner);
  return accepted(now);
}

/** Interval of a runner's heartbeats, milliseconds. It follows from the lease duration. */
export function heartbeatIntervalMs({ leaseMs, heartbeatsPerLease }: Limits): number {
  return Math.floor(leaseMs / heartbeatsPerLease);
}

/**
 * Extends the leases of a runner.
 *
 * @returns Ids of runs that the runner no longer holds, and of those that it has to stop; or `runner_not_found`.
 */
export function heartbeat(
  draft: UnitOfWork,
  runnerId: string,
  held: readonly Held[],
): Outcome<{ lost: string[]; stop: string[] }> {
  const runner = seen(draft, runnerId);
  if (!runner.ok) return runner;
  draft.need(...held.map((one) => ({ want: 'run', runId: one.runId }) as const));
  const lost: string[] = [];
  const stop: string[] = [];
  for (const one of held) {
    const run = draft.family.runs.get(one.runId);
    if (run?.completedAt !== null || !holdsLease(run, one)) {
      lost.push(one.runId);
    } else {
      const stops = run.status === 'stopping';
      if (stops) stop.push(run.runId);
      draft.putRun((stops ? stillStopping : leaseExtended)(run, draft.now, draft.context.limits));
    }
  }
  return accepted({ lost, stop });
}

function unknownRunner(runnerId: string) {
  return refused('runner_not_found', `There is no runner ${runnerId}. Register again.`);
}
