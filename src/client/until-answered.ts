// Repeats a request for longer than a client does by itself: until a deadline, over restarts of the service.
import type { Result } from '../domain/errors.js';
import { backoffMs, sleep } from '../lib/backoff.js';
import { isLost, isPassing, RECONNECT, retryAfterOf } from './transport/retry.js';

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
      if (result.ok || !isPassing(result.failure) || isOver()) return result;
      askedMs = retryAfterOf(result.failure);
    } catch (error) {
      if (!isLost(error) || isOver()) throw error;
      askedMs = retryAfterOf(error);
    }
    const pauseMs = Math.max(backoffMs(failures, RECONNECT), askedMs);
    await sleep(Math.min(pauseMs, Math.max(0, deadline - performance.now())), signal);
  }
}
