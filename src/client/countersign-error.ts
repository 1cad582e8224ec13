// A failure of the service as an exception, for callers that prefer exceptions to result values.
import type { ErrorCode, Failure } from '../domain/errors.js';
import type { ProblemFailure } from './transport/problem.js';
import { isRetryable } from './transport/retry.js';

/**
 * Thrown when the service rejects a call; nothing was written. A lost connection throws `ConnectionError`
 * instead.
 *
 * @example
 * ```ts
 * try {
 *   await countersign.states.replace(stateId, document, { expectedVersion: 3 });
 * } catch (error) {
 *   if (!(error instanceof CountersignError) || error.code !== 'version_conflict') throw error;
 *   console.log(error.members['current_version']);
 * }
 * ```
 */
export class CountersignError extends Error {
  override readonly name = 'CountersignError';
  /** Error code from the closed list in docs/errors.md. */
  readonly code: ErrorCode;
  /** HTTP status; `null` if the client rejected the request before sending it. */
  readonly status: number | null;
  /** What was wrong, and what to do next. */
  readonly detail: string;
  /** True if the same request can succeed later. The client has already retried it as far as its options allow. */
  readonly retryable: boolean;
  /** Further members of the problem document by name, such as `errors`, `conflicts`, `current_version`. */
  readonly members: Failure['members'];

  constructor(readonly failure: Failure | ProblemFailure) {
    super(`${failure.error}: ${failure.detail}`);
    this.code = failure.error;
    this.status = 'status' in failure ? failure.status : null;
    this.detail = failure.detail;
    this.retryable = isRetryable(failure);
    this.members = failure.members;
  }

  /** JSON Pointer of the first rejected location; `null` if the failure is not about a location. */
  get pointer(): string | null {
    const { pointer, errors, conflicts } = this.members;
    return textOf(pointer) ?? pointerOfFirst(errors) ?? pointerOfFirst(conflicts);
  }
}

function pointerOfFirst(errors: unknown): string | null {
  const first: unknown = Array.isArray(errors) ? errors[0] : null;
  return typeof first === 'object' && first !== null && 'pointer' in first ? textOf(first.pointer) : null;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
