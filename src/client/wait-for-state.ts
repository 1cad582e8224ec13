// Waits for a state up to the caller's time limit, across many requests and service restarts.
import type { Result } from '../domain/errors.js';
import type { JsonValue } from '../domain/json/json.js';
import type { StateWaited } from '../ports/api/index.js';
import type { StateService } from '../ports/service.js';
import { sleep } from '../lib/backoff.js';
import { answeredWithin, ANSWER_MS, untilAnswered } from './until-answered.js';

/** When {@link waitForState} ends. */
export interface StateCondition {
  /** JSON Schema that the document must satisfy. */
  readonly until: JsonValue;
  /** JSON Schema of documents that end the wait as failed. */
  readonly failOn?: JsonValue | undefined;
}

/** How long {@link waitForState} waits. */
export interface WaitLimits {
  /** Time limit, milliseconds; none by default. A service that does not answer ends the wait five seconds later. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Longest wait of one request, so that a silently dead connection is detected. */
const REQUEST_MS = 30_000;

/**
 * Waits until a document satisfies a condition. Retries lost connections, service restarts and retryable
 * failures until the time limit.
 *
 * @example
 * ```ts
 * const done = await waitForState(
 *   client.states,
 *   stateId,
 *   { until: { required: ['review'] } },
 *   { timeoutMs: 60_000 },
 * );
 * ```
 *
 * @returns The state with `matched`, with `failed`, or with neither if the time ran out; or the failure.
 * @throws ConnectionError - The service was unreachable when the time ran out, or the wait was aborted.
 */
export async function waitForState(
  states: Pick<StateService, 'wait'>,
  stateId: string,
  { until, failOn }: StateCondition,
  { timeoutMs = Infinity, signal }: WaitLimits = {},
): Promise<Result<StateWaited>> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const result = await untilAnswered(
      () => {
        const leftMs = Math.max(0, deadline - performance.now());
        const body = {
          until,
          ...(failOn === undefined ? {} : { fail_on: failOn }),
          timeout_ms: Math.ceil(Math.min(leftMs, REQUEST_MS)),
        };
        return answeredWithin(leftMs + ANSWER_MS, signal, (limit) => states.wait(stateId, body, limit));
      },
      { deadline, signal },
    );
    if (!result.ok || result.value.matched || result.value.failed === true) return result;
    const leftMs = deadline - performance.now();
    if (leftMs <= 0 || signal?.aborted === true) return result;
    // A service that is shutting down replies before the wait is over.
    await sleep(leftMs < REQUEST_MS ? 20 : 0, signal);
  }
}
