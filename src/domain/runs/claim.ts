// Assigns runs to runners and extends their leases.
import type { UnitOfWork } from '../transactions/unit-of-work.js';
import { ok, fail, type Result } from '../errors.js';
import type { Limits } from '../limits.js';
import type { Run, Runner } from '../records/records.js';
import { claimed, fits, holdsLease, isNextInQueue, leaseExtended, stillStopping } from '../lifecycle/run.js';
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
  unit: UnitOfWork,
  runnerId: string,
  leases: readonly Lease[],
  onlySound = false,
): Result<readonly { run: Run; token: string }[]> {
  unit.need({ load: 'runner', runnerId });
  const runner = unit.records.runners.get(runnerId);
  if (runner === undefined) return unknownRunner(runnerId);
  if (leases.length === 0) return ok([]);
  unit.need({
    load: 'claimable',
    now: unit.now,
    hostname: runner.hostname,
    executorTypes: runner.executorTypes,
    tags: runner.tags,
    runsMax: unit.context.limits.claimCandidatesMax,
    claimsMax: leases.length,
    onlySound,
  });
  const candidates = unit.records.claimable.filter((run) => mayClaim(runner, run, unit.now));
  const claims: { run: Run; token: string }[] = [];
  for (let next = 0; next < candidates.length && claims.length < leases.length;) {
    // Loads only as many sessions at a time as runs can still be claimed.
    const some = candidates.slice(next, next + leases.length - claims.length);
    next += some.length;
    unit.need(...some.map(({ sessionId }) => ({ load: 'aggregate', sessionId }) as const));
    for (const run of some) {
      const lease = leases[claims.length];
      const { session, runs } = unit.aggregate(run.sessionId);
      // Candidates may be older than the session: a store may find them before it keeps others from changing them.
      const present = runs.find(({ runId }) => runId === run.runId);
      if (lease === undefined || present === undefined || !mayClaim(runner, present, unit.now)) continue;
      if (!isNextInQueue(present, session.generation, runs)) continue;
      const mine = claimed(present, runnerId, lease.hash, unit.now, unit.context.limits);
      unit.putRun(mine);
      claims.push({ run: mine, token: lease.token });
    }
  }
  return ok(claims);
}

/** True if a runner may claim a run now, without regard to the other runs of its session. */
function mayClaim(runner: Runner, run: Run, now: number): boolean {
  return run.availableAt <= now && fits(run.demands, runner);
}

/**
 * Records that a runner is connected.
 *
 * @returns The runner; or `runner_not_found`.
 */
export function seen(unit: UnitOfWork, runnerId: string): Result<Runner> {
  unit.need({ load: 'runner', runnerId });
  const runner = unit.records.runners.get(runnerId);
  if (runner === undefined) return unknownRunner(runnerId);
  const now = { ...runner, lastSeenAt: unit.now };
  unit.put('runner', now, runner);
  return ok(now);
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
  unit: UnitOfWork,
  runnerId: string,
  held: readonly Held[],
): Result<{ lost: string[]; stop: string[] }> {
  const runner = seen(unit, runnerId);
  if (!runner.ok) return runner;
  unit.need(...held.map((one) => ({ load: 'run', runId: one.runId }) as const));
  const lost: string[] = [];
  const stop: string[] = [];
  for (const one of held) {
    const run = unit.findRun(one.runId);
    if (run?.completedAt !== null || !holdsLease(run, one)) {
      lost.push(one.runId);
    } else {
      const stops = run.status === 'stopping';
      if (stops) stop.push(run.runId);
      unit.putRun((stops ? stillStopping : leaseExtended)(run, unit.now, unit.context.limits));
    }
  }
  return ok({ lost, stop });
}

export function unknownRunner(runnerId: string) {
  return fail('runner_not_found', `There is no runner ${runnerId}. Register again.`);
}
