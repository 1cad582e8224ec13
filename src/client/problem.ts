// Problem documents (RFC 9457) read back into refusals: the client's half of the table that the HTTP door writes.
import { ERRORS, type ErrorCode, type Refusal } from '../domain/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../domain/json.js';

/** Members of a problem document that say the same as the refusal's own fields. */
const CARRIERS = new Set(['type', 'title', 'status', 'detail', 'error', 'instance']);

/** @returns The refusal; `null` where the document does not come from this service. */
export function refusalOf(status: number, problem: JsonValue | undefined): Refusal | null {
  if (!isJsonObject(problem)) return null;
  const code = problem['error'];
  if (typeof code !== 'string') return null;
  const detail = typeof problem['detail'] === 'string' ? problem['detail'] : '';
  const members = Object.fromEntries(Object.entries(problem).filter(([name]) => !CARRIERS.has(name)));
  return isErrorCode(code)
    ? { error: code, detail, members }
    : unknownRefusal(status, code, problem, detail, members);
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
