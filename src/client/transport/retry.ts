// When a request is sent again, and after how long. Knows outcomes and lost connections, nothing of any single call.
import { ERRORS, type Outcome, type Refusal } from '../../domain/errors.js';
import { ConnectionError } from './connection-error.js';
import { pause } from './pause.js';
import type { ProblemRefusal } from './problem.js';

export interface RetryOptions {
  /** How often a request is sent at most, the first time included. 5 by default. */
  readonly triesMax?: number | undefined;
  /** After so long nothing is sent again, milliseconds, beside what a call asks to wait. 60,000 by default. */
  readonly withinMs?: number | undefined;
  /** The first pause is at most so long, each further one twice that; milliseconds. 100 by default. */
  readonly firstPauseMs?: number | undefined;
  /** No pause is longer, milliseconds, unless the service asks for it (`Retry-After`). 5,000 by default. */
  readonly pauseMsMax?: number | undefined;
  /** Stands in for the time, in tests. */
  readonly clock?: RetryClock | undefined;
  /** Stands in for chance, in tests: from 0 up to, but not including, 1. */
  readonly random?: (() => number) | undefined;
}

export interface RetryClock {
  /** Milliseconds that never go back. */
  readonly now: () => number;
  /** Settles after `ms`, or as soon as one of the signals is aborted. */
  readonly pause: (ms: number, ...signals: readonly (AbortSignal | undefined)[]) => Promise<void>;
}

type Given = { readonly [N in keyof RetryOptions]-?: NonNullable<RetryOptions[N]> };

/** The options with what is not said filled in; `null` where nothing is sent again. */
export type RetryPolicy = Given | null;

const REAL_CLOCK: RetryClock = { now: () => performance.now(), pause };

/** @param options - `false` for no retry. */
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

/** What an attempt is told. */
export interface Attempt {
  /** 1 for the first. */
  readonly number: number;
  /** What is left of the wait that the call asks for, milliseconds. */
  readonly waitMs: number;
}

/**
 * Makes attempts until one is answered with something that no retry changes, or the policy ends.
 *
 * Sent again is what was refused with an error that a retry helps, and what was lost on the way: nothing answered, or
 * not in time. Pauses are random between nothing and a bound that doubles (full jitter), and never shorter than what
 * the service asks for. A request that is still under way (`idempotency_in_flight`) costs time, but no try.
 *
 * @param waitMs - What the call asks the service to wait.
 * @returns The last outcome.
 * @throws ConnectionError - The last attempt was lost, given up, or answered by something else than the service.
 */
export async function repeat<T>(
  policy: Given,
  waitMs: number,
  signals: readonly (AbortSignal | undefined)[],
  attempt: (one: Attempt) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  const { clock } = policy;
  const began = clock.now();
  let tries = 0;
  for (let number = 1; ; number += 1) {
    const left = Math.max(0, waitMs - (clock.now() - began));
    const ended = await lostOr(attempt({ number, waitMs: left }));
    if (!(ended instanceof ConnectionError) && (ended.ok || !isPassing(ended.refusal))) return ended;
    const refusal = ended instanceof ConnectionError ? null : ended.refusal;
    if (refusal?.error !== 'idempotency_in_flight') tries += 1;
    const bound = Math.min(policy.pauseMsMax, policy.firstPauseMs * 2 ** Math.min(number - 1, 30));
    const ms = Math.max(bound * policy.random(), retryAfterOf(refusal));
    const isOver = tries >= policy.triesMax || clock.now() + ms > began + policy.withinMs + waitMs;
    if (isOver || signals.some((signal) => signal?.aborted === true)) {
      if (ended instanceof ConnectionError) throw ended;
      return ended;
    }
    await clock.pause(ms, ...signals);
  }
}

/** True where the same request can succeed later, as it is. */
export function isPassing(refusal: Refusal | ProblemRefusal): boolean {
  return 'retryable' in refusal ? refusal.retryable : ERRORS[refusal.error].retryable;
}

function retryAfterOf(refusal: Refusal | ProblemRefusal | null): number {
  return refusal !== null && 'retryAfterMs' in refusal ? refusal.retryAfterMs : 0;
}

/** What was lost on the way as a value; whatever else is thrown stays so. */
async function lostOr<T>(attempt: Promise<Outcome<T>>): Promise<Outcome<T> | ConnectionError> {
  try {
    return await attempt;
  } catch (error) {
    if (error instanceof ConnectionError && (error.fault === 'unreachable' || error.fault === 'timeout')) {
      return error;
    }
    throw error;
  }
}
