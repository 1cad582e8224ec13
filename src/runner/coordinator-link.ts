// The connection to a coordinator that may be unavailable: repeats every request until it is answered. Knows no
// single request.
import { setMaxListeners } from 'node:events';
import { ERRORS, type ErrorCode, type Result, type Failure } from '../domain/errors.js';
import { messageOf } from '../domain/text.js';
import { linkSignals } from '../lib/signals.js';
import type { RunnerRegister, RunnerRegistered } from '../ports/api/index.js';
import type { Logger } from '../ports/runtime.js';
import type { RunnerService } from '../ports/service.js';
import { backoffMs, sleep, type BackoffOptions } from '../lib/backoff.js';

/** Thrown if the coordinator rejects the runner at its start: repeating would not help. */
export class RunnerRefused extends Error {
  override readonly name = 'RunnerRefused';

  constructor(readonly failure: Failure) {
    super(`${ERRORS[failure.error].title}: ${failure.detail}`);
  }
}

export interface CoordinatorLink {
  /** @throws RunnerRefused If the first registration is rejected. Returns `null` if the link was closed before. */
  readonly open: () => Promise<RunnerRegistered | null>;
  /**
   * Repeats a request while the coordinator is unavailable, and registers again if the coordinator does not know
   * the runner.
   *
   * @param what - Name of the request in the log.
   * @param signal - Aborts the request.
   * @returns The reply; `null` if the signal, or the closing of the link, came first.
   */
  readonly call: <T>(
    what: string,
    request: (runnerId: string) => Promise<Result<T>>,
    signal?: AbortSignal,
  ) => Promise<Result<T> | null>;
  /** Aborts every request, current and future. */
  readonly close: () => void;
}

interface LinkOptions {
  readonly service: RunnerService;
  readonly registration: RunnerRegister;
  readonly logger: Logger;
  readonly backoff: BackoffOptions;
}

/** Failures of access. The report stays valid, because access may be restored, so these are repeated. */
const ACCESS_FAILURES: ReadonlySet<ErrorCode> = new Set([
  'unauthorized',
  'forbidden',
  'host_refused',
  'origin_refused',
]);

/** @see CoordinatorLink. Nothing is sent before `open`. */
export function createLink({ service, registration, logger, backoff }: LinkOptions): CoordinatorLink {
  const closing = new AbortController();
  setMaxListeners(0, closing.signal); // every request in progress adds a listener, and there may be many runs
  let runnerId = '';
  let delays = backoff;
  let registering: Promise<void> | null = null;

  /** Repeats until a further attempt cannot improve the result. */
  async function retryUntilFinal<T>(
    what: string,
    request: () => Promise<Result<T>>,
    isFinal: (error: ErrorCode) => boolean,
    signal: AbortSignal,
  ): Promise<Result<T> | null> {
    for (let failures = 1; !signal.aborted; failures += 1) {
      const answer = await attempt(request);
      if (typeof answer !== 'string' && (answer.ok || isFinal(answer.failure.error))) return answer;
      if (isAborted(signal)) break;
      const delayMs = Math.round(backoffMs(failures, delays));
      const log = failures === 1 ? 'warn' : 'debug';
      logger[log]({ what, failures, retry_in_ms: delayMs, reason: reasonOf(answer) }, 'coordinator away');
      await sleep(delayMs, signal);
    }
    return null;
  }

  async function register(isFinal: (error: ErrorCode) => boolean): Promise<Result<RunnerRegistered> | null> {
    const result = await retryUntilFinal(
      'register',
      () => service.register(registration),
      isFinal,
      closing.signal,
    );
    if (result?.ok === true) {
      runnerId = result.value.runner_id;
      // Leases are at stake, so a runner waits at most one heartbeat interval before the next attempt.
      delays = { ...backoff, maxMs: Math.min(backoff.maxMs, result.value.heartbeat_interval_ms) };
    }
    return result;
  }

  /** Registers once for all requests that notice it at the same time. */
  async function registerAgain(staleId: string): Promise<void> {
    if (runnerId !== staleId) return;
    logger.warn({ runner_id: staleId }, 'the coordinator has forgotten this runner; registering again');
    registering ??= register(() => false).then(() => {
      registering = null;
    });
    await registering;
  }

  return {
    async open() {
      const result = await register((error) => !ERRORS[error].retryable);
      if (result?.ok === false) throw new RunnerRefused(result.failure);
      return result === null ? null : result.value;
    },

    async call(what, request, signal) {
      const either = linkSignals(closing.signal, signal);
      try {
        return await retryUntilFinal(
          what,
          async () => {
            const usedId = runnerId;
            const result = await request(usedId);
            if (result.ok || result.failure.error !== 'runner_not_found') return result;
            await registerAgain(usedId);
            return either.signal.aborted ? result : request(runnerId);
          },
          (error) => !ERRORS[error].retryable && !ACCESS_FAILURES.has(error) && error !== 'runner_not_found',
          either.signal,
        );
      } finally {
        either.release();
      }
    },

    close: () => closing.abort(),
  };
}

/** @returns The reply, or an error message. */
async function attempt<T>(request: () => Promise<Result<T>>): Promise<Result<T> | string> {
  try {
    return await request();
  } catch (error) {
    return messageOf(error);
  }
}

/** Reads the flag again: it changes during an await, which the type checker does not see. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

function reasonOf(answer: Result<unknown> | string): string {
  if (typeof answer === 'string') return answer;
  return answer.ok ? '' : `${answer.failure.error}: ${answer.failure.detail}`;
}
