// What follows from the cause of a failed run. Nothing of how a client tells its failures: see `runner/agent`.
import type { FailureCause, PermanentCause } from '../records/records.js';

/** True where no retry can help: somebody has to change something first. */
export function isPermanent(cause: string | null | undefined): cause is PermanentCause {
  return cause === 'configuration' || cause === 'prompt_too_long';
}

/** True where the same run may succeed when it is tried again later. */
export function mayPass(cause: FailureCause | null): boolean {
  return cause === 'environment' || cause === 'rate_limit';
}
