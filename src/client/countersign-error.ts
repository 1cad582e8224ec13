// A refusal as an exception, for those who call the service as they call any library.
import type { ErrorCode, Refusal } from '../domain/errors.js';
import type { ProblemRefusal } from './transport/problem.js';
import { isPassing } from './transport/retry.js';

/** Thrown where the service refuses; nothing was written. Lost connections are `ConnectionError`. */
export class CountersignError extends Error {
  override readonly name = 'CountersignError';
  /** Of the closed list: see docs/errors.md. */
  readonly code: ErrorCode;
  /** Of HTTP; `null` where the request could not even be sent. */
  readonly status: number | null;
  /** What was wrong, and what to do next. */
  readonly detail: string;
  /** Whether the same request can succeed later, as it is. It was sent again already, as far as the options allow. */
  readonly retryable: boolean;
  /** What the error carries beside, by its name in the problem document: `errors`, `conflicts`, `current_version` … */
  readonly members: Refusal['members'];

  constructor(readonly refusal: Refusal | ProblemRefusal) {
    super(`${refusal.error}: ${refusal.detail}`);
    this.code = refusal.error;
    this.status = 'status' in refusal ? refusal.status : null;
    this.detail = refusal.detail;
    this.retryable = isPassing(refusal);
    this.members = refusal.members;
  }

  /** JSON Pointer of the place that was refused, the first where there are several; `null` where it is about none. */
  get pointer(): string | null {
    const { pointer, errors, conflicts } = this.members;
    return textOf(pointer) ?? pointerOfFirst(errors) ?? pointerOfFirst(conflicts);
  }
}

function pointerOfFirst(places: unknown): string | null {
  const first: unknown = Array.isArray(places) ? places[0] : null;
  return typeof first === 'object' && first !== null && 'pointer' in first ? textOf(first.pointer) : null;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
