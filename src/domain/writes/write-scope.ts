// Which locations a write scope covers, and which scope a session may give: no more than its own. Pure; loads nothing.
import { ok, fail, type Result } from '../errors.js';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../json/json.js';
import type { Patch } from '../json/patch.js';
import { locationsOf } from '../json/patch-locations.js';
import { formatPointer, isAtOrUnder, locationText, valueAt } from '../json/pointer.js';

/** The pointers that a session may change; `null` for everything. */
export type WriteScope = readonly string[] | null;

/** True if a location is in the scope or under a location of the scope. */
export function isInScope(scope: readonly string[], pointer: string): boolean {
  return scope.some((allowed) => isAtOrUnder(pointer, allowed));
}

/** A scope in a sentence. */
export function scopeText(scope: readonly string[]): string {
  return scope.length === 0 ? 'nothing' : scope.join(', ');
}

/**
 * True if a new value above the scope holds only locations of the scope, as a missing parent of what the
 * session may write. False for an empty value.
 */
function isParentOnly(scope: readonly string[], pointer: string, value: JsonValue): boolean {
  if (isInScope(scope, pointer)) return true;
  if (!scope.some((allowed) => isAtOrUnder(allowed, pointer))) return false;
  if (!isJsonObject(value) && !isJsonArray(value)) return false;
  const members = Object.entries(value);
  return (
    members.length > 0 &&
    members.every(([name, member]) => isParentOnly(scope, pointer + formatPointer([name]), member))
  );
}

/** What a write changes. */
interface ScopedChange {
  readonly before: JsonObject;
  readonly after: JsonObject;
  readonly patch: Patch;
  /** @returns The first location that differs and that `counts`; `undefined` if there is none. */
  readonly firstChange: (counts: (pointer: string) => boolean) => string | undefined;
}

/**
 * Checks the actual changes against the scope, for any form of write. A write may add missing parents of the scope's
 * locations.
 *
 * @returns `write_scope_violation`; `null` if the write keeps to the scope.
 */
export function checkWriteScope(scope: WriteScope, { before, after, patch, firstChange }: ScopedChange) {
  if (scope === null) return null;
  const inside = (pointer: string) => isInScope(scope, pointer);
  const isNewParent = (pointer: string) => {
    if (valueAt(before, pointer) !== undefined) return false;
    const value = valueAt(after, pointer);
    return value !== undefined && isParentOnly(scope, pointer, value);
  };
  // An added or removed item shifts the items after it, so the shortcut does not apply to an item that the scope names.
  const certainly = (pointer: string) =>
    inside(pointer) && !(scope.includes(pointer) && /\/(\d+|-)$/.test(pointer));
  if (patch.every((operation) => locationsOf(operation).every(certainly))) return null;
  const outside = firstChange((pointer) => !inside(pointer) && !isNewParent(pointer));
  if (outside === undefined) return null;
  return fail(
    'write_scope_violation',
    `The write changes ${locationText(outside)}, but this session may change only ${scopeText(scope)}.`,
    { pointer: outside, allowed: scope },
  );
}

/** A session that gives a scope, with its own in the present generation. */
export interface ScopeGiver {
  readonly sessionName: string;
  readonly scope: WriteScope;
}

/** The sessions that limit a scope: the creator, if it is a session, and the parent. */
interface Givers {
  readonly creator: ScopeGiver | null;
  readonly parent: ScopeGiver | null;
}

/**
 * The scope that a session gets. If none is requested, it is the intersection of its givers' scopes. A session
 * gives no more than its own scope and the parent's. An operator has no limit.
 *
 * @returns The scope; or `forbidden` with the pointer in the request and the allowed scope.
 */
export function scopeGiven(asked: WriteScope, { creator, parent }: Givers): Result<WriteScope> {
  const bounds = [creator, parent].flatMap((giver) => {
    const scope = giver?.scope ?? null;
    return giver === null || scope === null ? [] : [{ giver, scope }];
  });
  if (asked === null) return ok(bounds.map(({ scope }) => scope).reduce<WriteScope>(common, null));
  if (creator === null) return ok(asked);
  for (const { giver, scope } of bounds) {
    const at = asked.findIndex((pointer) => !isInScope(scope, pointer));
    if (at >= 0) return tooWide(asked[at] ?? '', at, giver.sessionName, scope);
  }
  return ok(asked);
}

/** The intersection of two scopes. */
function common(a: WriteScope, b: WriteScope): WriteScope {
  if (a === null || b === null) return a ?? b;
  const within = (some: readonly string[], others: readonly string[]) =>
    some.filter((pointer) => isInScope(others, pointer));
  return [...new Set([...within(a, b), ...within(b, a)])];
}

function tooWide(pointer: string, at: number, giver: string, scope: readonly string[]) {
  return fail(
    'forbidden',
    `The write scope reaches to ${locationText(pointer)}, but ${giver} itself may change only ${scopeText(scope)}. Give pointers within that, or none: then its scope is handed on.`,
    { pointer: `/completion/write_scope/${String(at)}`, allowed: scope },
  );
}
