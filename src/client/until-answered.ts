// Requests of waits: they are repeated until a deadline, over restarts of the service, and end soon after it.
import type { Result } from '../domain/errors.js';
import { backoffMs, sleep } from '../lib/backoff.js';
import { ConnectionError } from './transport/connection-error.js';
import { createDeadline } from './transport/deadline.js';
import { isLost, isRetryable, RECONNECT, retryAfterOf } from './transport/retry.js';

/**
 * How long after the time limit of a wait its last answer may still come. A service that hangs would use the time of a
 * request.
 */
export const ANSWER_MS = 5_000;

/** Until when a request is repeated. */
export interface Patience {
  /** On the clock of `performance.now()`, milliseconds; `Infinity` for no end. */
  readonly deadline: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Repeats a request that is lost, or that fails with an error for which a retry helps. At the deadline it is made a last
 * time.
 *
 * @throws ConnectionError - The last request was lost or aborted, or something other than the service replied.
 */
export async function untilAnswered<T>(
  request: () => Promise<Result<T>>,
  { deadline, signal }: Patience,
): Promise<Result<T>> {
  const isOver = () => performance.now() >= deadline || signal?.aborted === true;
  for (let failures = 1; ; failures += 1) {
    let askedMs = 0;
    try {
      const result = await request();
      if (result.ok || !isRetryable(result.failure) || isOver()) return result;
      askedMs = retryAfterOf(result.failure);
    } catch (error) {
      if (!isLost(error) || isOver()) throw error;
      askedMs = retryAfterOf(error);
    }
    const pauseMs = Math.max(backoffMs(failures, RECONNECT), askedMs);
    await sleep(Math.min(pauseMs, Math.max(0, deadline - performance.now())), signal);
  }
}

/** @throws ConnectionError - `timeout` if there is no answer after `ms`. */
export async function answeredWithin<T>(
  ms: number,
  signal: AbortSignal | undefined,
  request: (limit: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = createDeadline(ms, [signal]);
  try {
    return await request(limit.signal);
  } catch (error) {
    if (!limit.expired) throw error;
    throw new ConnectionError('timeout', 'The service did not answer in time', { cause: error });
  } finally {
    limit.clear();
  }
}
