// What follows from the cause of a failed run. The detection of causes in client output is in `agent-clients/runs`.
import type { FailureCause, PermanentCause } from '../records/records.js';

/** True if no retry can help until someone changes the configuration or the prompt. */
export function isPermanent(cause: string | null | undefined): cause is PermanentCause {
  return cause === 'configuration' || cause === 'prompt_too_long';
}

/** True if the same run may succeed when it is retried later. */
export function isRetryable(cause: FailureCause | null): boolean {
  return cause === 'environment' || cause === 'rate_limit';
}
