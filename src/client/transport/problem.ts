// Parses problem documents (RFC 9457) into failures: the client's counterpart of the table in the HTTP
// adapter.
import { retryAfterMs } from '../../domain/retry-after.js';
import { ERRORS, isErrorCode, type Failure } from '../../domain/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json/json.js';

/** A failure together with its HTTP details. */
export interface ProblemFailure extends Failure {
  /** HTTP status. */
  readonly status: number;
  /** Whether the same request can succeed later. */
  readonly retryable: boolean;
  /** How long the service asks to wait before a retry (`Retry-After`), milliseconds; 0 if it does not. */
  readonly retryAfterMs: number;
}

/** Members of a problem document that repeat the failure's own fields. */
const CARRIERS = new Set(['type', 'title', 'status', 'detail', 'error', 'instance', 'retryable']);

/**
 * @param headers - Of the answer.
 * @returns The failure; `null` if the document does not come from this service.
 */
export function failureOf(
  status: number,
  problem: JsonValue | undefined,
  headers: Pick<Headers, 'get'>,
): ProblemFailure | null {
  if (!isJsonObject(problem)) return null;
  const { error: code, title } = problem;
  if (typeof code !== 'string') return null;
  const detail = typeof problem['detail'] === 'string' ? problem['detail'] : '';
  const members = Object.fromEntries(Object.entries(problem).filter(([name]) => !CARRIERS.has(name)));
  const failure: Failure | null = isErrorCode(code)
    ? { error: code, detail, members }
    : unknownFailure(status, code, title, detail, members);
  if (failure === null) return null;
  const stated = problem['retryable'];
  const retryable = typeof stated === 'boolean' ? stated : ERRORS[failure.error].retryable;
  return { ...failure, status, retryable, retryAfterMs: askedPauseMs(headers) };
}

/** How long an answer asks to wait (`Retry-After`), milliseconds; 0 if it does not. */
export function askedPauseMs(headers: Pick<Headers, 'get'>): number {
  return retryAfterMs(headers.get('retry-after'), headers.get('date'), Date.now()) ?? 0;
}

/**
 * The failure for a body that a gateway before the service finds too large: it says so in a form of its own.
 *
 * @param base - The address of the service.
 */
export function tooLargeBefore(base: string): ProblemFailure {
  const detail = `What stands before the service at ${base} takes no body of this size (HTTP 413).`;
  const failure = { error: 'payload_too_large', detail, members: {} } as const;
  return { ...failure, status: 413, retryable: ERRORS.payload_too_large.retryable, retryAfterMs: 0 };
}

const TOO_MANY = 429;

/**
 * A newer service, or a gateway, may send a code that this client does not know. Its title and detail are kept.
 *
 * @returns `null` for JSON with an `error` but without a title: that is no problem document.
 */
function unknownFailure(
  status: number,
  code: string,
  title: JsonValue | undefined,
  detail: string,
  members: JsonObject,
): Failure | null {
  if (typeof title !== 'string') return null;
  return {
    error: status === TOO_MANY ? 'overloaded' : status >= 500 ? 'internal' : 'invalid_request',
    detail: detail === '' ? title : `${title}: ${detail}`,
    members: { ...members, unknown_error: code },
  };
}
