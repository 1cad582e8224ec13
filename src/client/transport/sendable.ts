// Validates a request before it is sent. `JSON.stringify` would turn a number that is not finite into null, and throw a
// RangeError on a value that is nested too deep; `fetch` fails on a header as it does without a service.
import { ok, invalidMember, fail, type Result } from '../../domain/errors.js';
import { isDeeperThan } from '../../domain/json/scan.js';
import { DEFAULT_LIMITS } from '../../domain/limits.js';
import { formatPointer } from '../../domain/json/pointer.js';
import type { Call } from './call.js';
import { isUnsendable, unsendableSegment } from './call-url.js';

/** What no header can carry; `fetch` takes Latin-1. */
export const UNSENDABLE = /[^\t\x20-\x7e\x80-\xff]/;

/**
 * @returns Nothing; or `invalid_request` if a path or a header cannot carry a value, or what is wrong with the body.
 */
export function checkSendable({ path, headers = {}, body }: Call): Result<null> {
  const step = path.find(isUnsendable);
  if (step !== undefined) return unsendableSegment(step);
  const header = Object.entries(headers).find(([, value]) => UNSENDABLE.test(value));
  if (header !== undefined) {
    return fail('invalid_request', `The header ${header[0]} cannot carry this: '${header[1]}'`);
  }
  return checkBody(body);
}

/**
 * @returns Nothing; or `limit_exceeded` (`jsonDepthMax`), or `invalid_request` with the pointer of the first
 * number that is not finite.
 */
function checkBody(body: unknown): Result<null> {
  const { jsonDepthMax } = DEFAULT_LIMITS;
  if (isDeeperThan(body, jsonDepthMax)) {
    return fail('limit_exceeded', `The body is nested deeper than ${String(jsonDepthMax)} levels.`, {
      limit: 'jsonDepthMax',
      maximum: jsonDepthMax,
    });
  }
  const path = find(body);
  if (path === null) return ok(null);
  return invalidMember(formatPointer(path), 'is a number that JSON cannot hold', 'a finite number');
}

/** Path to the first number that is not finite, built while the recursion returns; `null` if there is none. */
function find(value: unknown): string[] | null {
  if (typeof value === 'number') return Number.isFinite(value) ? null : [];
  if (typeof value !== 'object' || value === null) return null;
  for (const [name, item] of Object.entries(value)) {
    const path = find(item);
    if (path !== null) return [name, ...path];
  }
  return null;
}
