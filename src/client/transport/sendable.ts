// What JSON cannot carry, looked for before a body is sent: JSON.stringify would make null of a number that is not finite,
// and would end with a RangeError on a value that is nested too deep. Knows no call.
import { accepted, invalidMember, refused, type Outcome } from '../../domain/errors.js';
import { isDeeperThan } from '../../domain/json/json.js';
import { DEFAULT_LIMITS } from '../../domain/limits.js';
import { formatPointer } from '../../domain/json/pointer.js';

/** @returns Nothing; or `limit_exceeded` (`jsonDepthMax`), `invalid_request` with the pointer of the first such number. */
export function checkSendable(body: unknown): Outcome<null> {
  const { jsonDepthMax } = DEFAULT_LIMITS;
  if (isDeeperThan(body, jsonDepthMax)) {
    return refused('limit_exceeded', `The body is nested deeper than ${String(jsonDepthMax)} levels.`, {
      limit: 'jsonDepthMax',
      maximum: jsonDepthMax,
    });
  }
  const path = find(body);
  if (path === null) return accepted(null);
  return invalidMember(formatPointer(path), 'is a number that JSON cannot hold', 'a finite number');
}

/** The way to the first number that is not finite. Built on the way back, so only for a find. */
function find(value: unknown): string[] | null {
  if (typeof value === 'number') return Number.isFinite(value) ? null : [];
  if (typeof value !== 'object' || value === null) return null;
  for (const [name, item] of Object.entries(value)) {
    const path = find(item);
    if (path !== null) return [name, ...path];
  }
  return null;
}
