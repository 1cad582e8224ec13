// Problem documents (RFC 9457) read back into refusals: the client's half of the table that the HTTP door writes.
import { ERRORS, type ErrorCode, type Refusal } from '../../domain/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json/json.js';

/** A refusal with what HTTP says of it beside. */
export interface ProblemRefusal extends Refusal {
  /** Of HTTP. */
  readonly status: number;
  /** Whether the same request can succeed later, as it is. */
  readonly retryable: boolean;
  /** How long the service asks to wait before that (`Retry-After`), milliseconds; 0 where it does not. */
  readonly retryAfterMs: number;
}

/** Members of a problem document that say the same as the refusal's own fields. */
const CARRIERS = new Set(['type', 'title', 'status', 'detail', 'error', 'instance', 'retryable']);

/**
 * @param retryAfter - The header, in seconds or as a date.
 * @returns The refusal; `null` where the document does not come from this service.
 */
export function refusalOf(
  status: number,
  problem: JsonValue | undefined,
  retryAfter: string | null,
): ProblemRefusal | null {
  if (!isJsonObject(problem)) return null;
  const code = problem['error'];
  if (typeof code !== 'string') return null;
  const detail = typeof problem['detail'] === 'string' ? problem['detail'] : '';
  const members = Object.fromEntries(Object.entries(problem).filter(([name]) => !CARRIERS.has(name)));
  const refusal: Refusal = isErrorCode(code)
    ? { error: code, detail, members }
    : unknownRefusal(status, code, problem, detail, members);
  const said = problem['retryable'];
  const retryable = typeof said === 'boolean' ? said : ERRORS[refusal.error].retryable;
  return { ...refusal, status, retryable, retryAfterMs: millisecondsOf(retryAfter) };
}

function millisecondsOf(retryAfter: string | null): number {
  if (retryAfter === null) return 0;
  const ms = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : 0;
}

/** A service newer than this program may refuse with a code that is not known here; its own words are kept. */
function unknownRefusal(
  status: number,
  code: string,
  problem: JsonObject,
  detail: string,
  members: JsonObject,
): Refusal {
  const title = typeof problem['title'] === 'string' ? problem['title'] : code;
  return {
    error: status >= 500 ? 'internal' : 'invalid_request',
    detail: detail === '' ? title : `${title}: ${detail}`,
    members: { ...members, unknown_error: code },
  };
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code);
}
