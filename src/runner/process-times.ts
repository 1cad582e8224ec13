// How long the executors wait for the processes of runs.
import type { ClaimedRun } from '../ports/api/index.js';

export interface ProcessTimes {
  /** From SIGTERM to SIGKILL, milliseconds. 5,000 by default. */
  readonly killGraceMs?: number;
  /** How long descendants may keep the output open after the program has ended, milliseconds. 1,000 by default. */
  readonly closeGraceMs?: number;
  /**
   * How much later than the run's timeout the runner ends the process itself, if the coordinator's stop order
   * does not arrive, milliseconds. 10,000 by default.
   */
  readonly timeoutSlackMs?: number;
  /** How long an agent's CLI may be silent after it has reported its result, milliseconds. 120,000 by default. */
  readonly lingerMs?: number;
}

const LINGER_MS = 120_000;

/** Calls `end` once nothing was noted for a time after the last note that the result is there. */
export function endOfSilence({ lingerMs = LINGER_MS }: ProcessTimes, end: () => void) {
  let timer: NodeJS.Timeout | undefined;
  return {
    note(isDone: boolean): void {
      clearTimeout(timer);
      timer = isDone ? setTimeout(end, lingerMs) : undefined;
    },
    release: () => clearTimeout(timer),
  };
}

/** The times for the process of one run. */
export function processTimes(
  { killGraceMs = 5000, closeGraceMs = 1000, timeoutSlackMs = 10_000 }: ProcessTimes,
  { timeout_ms }: Pick<ClaimedRun, 'timeout_ms'>,
) {
  return { killGraceMs, closeGraceMs, timeoutMs: timeout_ms === null ? null : timeout_ms + timeoutSlackMs };
}
