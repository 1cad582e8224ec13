// What lies in a session's write scope, and how far that may reach: no further than that of whoever gives it. Pure; loads nothing.
import { accepted, refused, type Outcome } from '../errors.js';
import { isJsonArray, isJsonObject, type JsonValue } from '../json/json.js';
import { formatPointer, isAtOrUnder } from '../json/pointer.js';
import type { Session } from '../records/records.js';

/** The pointers that a session may change; `null` for everything. */
export type WriteScope = readonly string[] | null;

/** True where a place is one of the scope's, or lies under one. */
export function isInScope(scope: readonly string[], pointer: string): boolean {
  return scope.some((allowed) => isAtOrUnder(pointer, allowed));
}

/**
 * True where a value that is new at a place around the scope holds nothing but places of the scope: it is the missing
 * parent of what the session may write. An empty one is not.
 */
export function isParentOnly(scope: readonly string[], pointer: string, value: JsonValue): boolean {
  if (isInScope(scope, pointer)) return true;
  if (!scope.some((allowed) => isAtOrUnder(allowed, pointer))) return false;
  if (!isJsonObject(value) && !isJsonArray(value)) return false;
  const members = Object.entries(value);
  return (
    members.length > 0 &&
    members.every(([name, member]) => isParentOnly(scope, pointer + formatPointer([name]), member))
  );
}

/** The sessions that a scope is given by: whoever asks, where that is a session, and the parent. */
export interface Givers {
  readonly creator: Session | null;
  readonly parent: Session | null;
}

/**
 * The scope that a session gets. Where none is asked for, it is what its givers have in common. A session gives away
 * no more than its own scope, nor more than the parent's; an operator is not bound.
 *
 * @returns The scope; or `forbidden` with the pointer of the place in the request, and what is allowed.
 */
export function scopeGiven(asked: WriteScope, { creator, parent }: Givers): Outcome<WriteScope> {
  const bounds = [creator, parent].flatMap((giver) => {
    const scope = giver?.settings.writeScope ?? null;
    return giver === null || scope === null ? [] : [{ giver, scope }];
  });
  if (asked === null) return accepted(bounds.map(({ scope }) => scope).reduce<WriteScope>(common, null));
  if (creator === null) return accepted(asked);
  for (const { giver, scope } of bounds) {
    const at = asked.findIndex((pointer) => !scope.some((allowed) => isAtOrUnder(pointer, allowed)));
    if (at >= 0) return tooWide(asked[at] ?? '', at, giver.sessionName, scope);
  }
  return accepted(asked);
}

/** What lies in both. */
function common(a: WriteScope, b: WriteScope): WriteScope {
  if (a === null || b === null) return a ?? b;
  const within = (some: readonly string[], others: readonly string[]) =>
    some.filter((pointer) => others.some((other) => isAtOrUnder(pointer, other)));
  return [...new Set([...within(a, b), ...within(b, a)])];
}

function tooWide(pointer: string, at: number, giver: string, scope: readonly string[]) {
  const allowed = scope.length === 0 ? 'nothing' : scope.join(', ');
  const reach = pointer === '' ? 'the whole document' : pointer;
  return refused(
    'forbidden',
    `The write scope reaches to ${reach}, but ${giver} itself may change only ${allowed}. Give pointers within that, or none: then its scope is handed on.`,
    { pointer: `/completion/write_scope/${String(at)}`, allowed: scope },
  );
}
