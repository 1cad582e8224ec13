// Waiting for a state for as long as the caller wants, over any number of requests and restarts of the service.
import { ERRORS, type Outcome } from '../domain/errors.js';
import type { JsonValue } from '../domain/json/json.js';
import type { StateWaited } from '../ports/api/index.js';
import type { StateService } from '../ports/service.js';
import { ConnectionError } from './transport/connection-error.js';
import { pause, pauseMs } from './transport/pause.js';

export interface StateCondition {
  /** JSON Schema that the document has to satisfy. */
  readonly until: JsonValue;
  /** JSON Schema of documents on which to give up. */
  readonly failOn?: JsonValue | undefined;
}

export interface WaitLimits {
  /** How long to wait, milliseconds; without end where absent. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** One request waits no longer, so that a connection that died in silence is found out. */
const REQUEST_MS = 30_000;

/**
 * Waits until a document satisfies a condition. A lost connection, a restart of the service and refusals that a retry
 * helps are gone over until the time is over.
 *
 * @returns The state: with `matched`, with `failed`, or with neither where the time was over; or why it cannot be
 *   waited for.
 * @throws ConnectionError - The service could not be reached when the time was over, or the wait was given up.
 */
export async function waitForState(
  states: Pick<StateService, 'wait'>,
  stateId: string,
  { until, failOn }: StateCondition,
  { timeoutMs = Infinity, signal }: WaitLimits = {},
): Promise<Outcome<StateWaited>> {
  const deadline = performance.now() + timeoutMs;
  for (let failures = 0; ; failures += 1) {
    const left = Math.max(0, deadline - performance.now());
    const body = {
      until,
      ...(failOn === undefined ? {} : { fail_on: failOn }),
      timeout_ms: Math.ceil(Math.min(left, REQUEST_MS)),
    };
    const over = () => performance.now() >= deadline || signal?.aborted === true;
    try {
      const outcome = await states.wait(stateId, body, signal);
      if (outcome.ok) {
        if (outcome.value.matched || outcome.value.failed === true || over()) return outcome;
        failures = -1;
        // A service that is about to stop answers early.
        await pause(left < REQUEST_MS ? 20 : 0, signal);
        continue;
      }
      if (!ERRORS[outcome.refusal.error].retryable || over()) return outcome;
    } catch (error) {
      const passing =
        error instanceof ConnectionError && (error.fault === 'unreachable' || error.fault === 'timeout');
      if (!passing || over()) throw error;
    }
    await pause(Math.min(pauseMs(failures), Math.max(0, deadline - performance.now())), signal);
  }
}
