// When a request is retried, and after which pause. Knows results and lost connections, no single call.
import { sleep, type BackoffOptions } from '../../lib/backoff.js';
import { ERRORS, type Result, type Failure } from '../../domain/errors.js';
import { ConnectionError } from './connection-error.js';
import type { ProblemFailure } from './problem.js';

/** When and how long a client retries. */
export interface RetryOptions {
  /** Maximum attempts, the first included. 5 by default. */
  readonly triesMax?: number | undefined;
  /**
   * No retry starts later than this after the first attempt, milliseconds, plus the wait that the call asks
   * for. 60,000 by default.
   */
  readonly withinMs?: number | undefined;
  /** Upper bound of the first pause, milliseconds; it doubles with each attempt. 100 by default. */
  readonly firstPauseMs?: number | undefined;
  /**
   * Upper bound of every pause, milliseconds, unless the service asks for a longer one (`Retry-After`). 5,000
   * by default.
   */
  readonly pauseMsMax?: number | undefined;
  /** Replaces the clock, in tests. */
  readonly clock?: RetryClock | undefined;
  /** Replaces `Math.random`, in tests: from 0 up to, but not including, 1. */
  readonly random?: (() => number) | undefined;
}

/** The clock of the retries; tests replace it. */
export interface RetryClock {
  /** Monotonic time, milliseconds. */
  readonly now: () => number;
  /** Resolves after `ms`, or as soon as one of the signals aborts. */
  readonly pause: (ms: number, ...signals: readonly (AbortSignal | undefined)[]) => Promise<void>;
}

type Given = { readonly [N in keyof RetryOptions]-?: NonNullable<RetryOptions[N]> };

/** The options with all defaults applied; `null` for no retries. */
type RetryPolicy = Given | null;

const REAL_CLOCK: RetryClock = { now: () => performance.now(), pause: sleep };

/** The delays before a stream or a wait is resumed. */
export const RECONNECT: BackoffOptions = { firstMs: 100, maxMs: 5_000 };

/** @param options - `false` for no retries. */
export function retryPolicy(options: RetryOptions | false = {}): RetryPolicy {
  if (options === false) return null;
  return {
    triesMax: options.triesMax ?? 5,
    withinMs: options.withinMs ?? 60_000,
    firstPauseMs: options.firstPauseMs ?? 100,
    pauseMsMax: options.pauseMsMax ?? 5_000,
    clock: options.clock ?? REAL_CLOCK,
    random: options.random ?? Math.random,
  };
}

/** Passed to each attempt. */
interface Attempt {
  /** 1 for the first attempt. */
  readonly number: number;
  /** Rest of the wait that the call asks for, milliseconds. */
  readonly waitMs: number;
}

/**
 * Repeats attempts until a retry cannot change the result, or the policy ends.
 *
 * Retries retryable failures, unreachable services and timeouts. Pauses are random between zero and a bound
 * that doubles (full jitter), and never shorter than `Retry-After`. The failure `idempotency_in_flight` (the
 * same request is still being executed) uses up time, but no attempt.
 *
 * @param waitMs - How long the call asks the service to wait.
 * @returns The last result.
 * @throws ConnectionError - The last attempt was lost or aborted, or something other than the service replied.
 */
export async function repeat<T>(
  policy: Given,
  waitMs: number,
  signals: readonly (AbortSignal | undefined)[],
  attempt: (one: Attempt) => Promise<Result<T>>,
): Promise<Result<T>> {
  const { clock } = policy;
  const began = clock.now();
  let tries = 0;
  for (let number = 1; ; number += 1) {
    const leftMs = Math.max(0, waitMs - (clock.now() - began));
    const ended = await catchLost(attempt({ number, waitMs: leftMs }));
    if (!(ended instanceof ConnectionError) && (ended.ok || !isRetryable(ended.failure))) return ended;
    const failure = ended instanceof ConnectionError ? null : ended.failure;
    if (failure?.error !== 'idempotency_in_flight') tries += 1;
    const bound = Math.min(policy.pauseMsMax, policy.firstPauseMs * 2 ** Math.min(number - 1, 30));
    const askedMs = retryAfterOf(ended instanceof ConnectionError ? ended : ended.failure);
    const ms = Math.max(bound * policy.random(), askedMs);
    const isOver = tries >= policy.triesMax || clock.now() + ms > began + policy.withinMs + waitMs;
    if (isOver || signals.some((signal) => signal?.aborted === true)) {
      if (ended instanceof ConnectionError) throw ended;
      return ended;
    }
    await clock.pause(ms, ...signals);
  }
}

/** True if the same request can succeed later. */
export function isRetryable(failure: Failure | ProblemFailure): boolean {
  return 'retryable' in failure ? failure.retryable : ERRORS[failure.error].retryable;
}

/** How long the service, or a gateway before it, asks to wait (`Retry-After`), milliseconds; 0 if it does not. */
export function retryAfterOf(failed: Failure | ProblemFailure | ConnectionError): number {
  return 'retryAfterMs' in failed ? failed.retryAfterMs : 0;
}

/** True if the request was lost on the way, so that another attempt may succeed. */
export function isLost(error: unknown): error is ConnectionError {
  return error instanceof ConnectionError && (error.fault === 'unreachable' || error.fault === 'timeout');
}

/** Returns a lost connection (unreachable, timeout) as a value; rethrows everything else. */
async function catchLost<T>(attempt: Promise<Result<T>>): Promise<Result<T> | ConnectionError> {
  try {
    return await attempt;
  } catch (error) {
    if (isLost(error)) return error;
    throw error;
  }
}
