// The rule of key conditions: what a write expects of the versions of keys, and the failure if an expectation fails.
import { fail } from '../errors.js';
import type { JsonValue } from '../json/json.js';

/** A version of a key. `stateId`, if present, names the state: a tree can have several states one after the other. */
interface KeyVersion {
  readonly version: number;
  readonly stateId?: string;
}

/**
 * What a write expects of a key:
 *
 * - `present`: the key exists, else `key_not_found`.
 * - `there`: the key exists, else `version_conflict`.
 * - `absent`: the key does not exist.
 * - `any`: no condition.
 * - A number: the key exists in this version.
 * - `oneOf`, `noneOf`: the key exists in one of these versions, or in none of them.
 */
export type KeyExpectation =
  | 'present'
  | 'there'
  | 'absent'
  | 'any'
  | number
  | KeyOfState
  | { readonly oneOf: readonly KeyVersion[] }
  | { readonly noneOf: readonly KeyVersion[] };

/** The key exists in this version and in this state. A tree whose state was deleted may have a new state. */
interface KeyOfState {
  readonly version: number;
  readonly stateId: string;
}

export interface KeyCondition {
  readonly key: string;
  readonly expected: KeyExpectation;
}

export interface KeyConditions {
  readonly conditions: readonly KeyCondition[];
  /** True if the answer lists a result for each condition. */
  readonly batch: boolean;
}

/** A condition with the present version of its key, `null` if the key does not exist. */
export interface CheckedKey {
  readonly condition: KeyCondition;
  readonly version: number | null;
  readonly value: JsonValue | undefined;
}

/** The state that the keys belong to. */
interface KeyState {
  readonly stateId: string;
  /** Version of the state, including the writes of the same batch. */
  readonly version: number;
}

/** @returns `version_conflict` or `key_not_found`; `null` if every condition holds. A batch gets a result for each. */
export function checkKeys(keys: readonly CheckedKey[], state: KeyState, batch: boolean) {
  const failed = keys.filter((one) => !holds(one, state.stateId));
  const [first] = failed;
  if (first === undefined) return null;
  return batch ? batchFailure(keys, failed.length, state) : keyFailure(first, state);
}

function holds({ condition: { expected }, version }: CheckedKey, stateId: string): boolean {
  if (expected === 'any') return true;
  if (expected === 'present' || expected === 'there') return version !== null;
  if (expected === 'absent') return version === null;
  if (typeof expected === 'number') return version === expected;
  if ('oneOf' in expected) return isNamed(expected.oneOf, version, stateId);
  if ('noneOf' in expected) return !isNamed(expected.noneOf, version, stateId);
  return version === expected.version && stateId === expected.stateId;
}

function isNamed(tags: readonly KeyVersion[], version: number | null, stateId: string): boolean {
  return tags.some((tag) => tag.version === version && (tag.stateId ?? stateId) === stateId);
}

/** The expected version, or `null` if no single version is expected. */
function versionOf(expected: KeyExpectation): number | null {
  if (typeof expected === 'number') return expected;
  return typeof expected === 'object' && 'version' in expected ? expected.version : null;
}

function keyFailure({ condition: { key, expected }, version, value }: CheckedKey, state: KeyState) {
  if (expected === 'present') return noKey(key);
  const now = version === null ? 'is not there' : `is at version ${String(version)}`;
  const yours = versionOf(expected);
  const asked = yours === null ? expectedOf(expected) : `not at ${askedOf(expected, yours, state.stateId)}`;
  return fail(
    'version_conflict',
    `The key ${JSON.stringify(key)} ${now}, ${asked}. Read it again, and write on top of what is there.`,
    {
      key,
      current_version: version,
      your_version: yours,
      ...(value === undefined ? {} : { current_value: value }),
      global_version: state.version,
    },
  );
}

function expectedOf(expected: KeyExpectation): string {
  if (expected === 'absent') return 'and was to be created';
  return expected === 'there' ? 'and was to be there' : 'which the conditions of the request exclude';
}

function askedOf(expected: KeyExpectation, version: number, stateId: string): string {
  const other = typeof expected === 'object' && 'stateId' in expected && expected.stateId !== stateId;
  return other ? `${String(version)} of ${expected.stateId}, which the tree has no more` : String(version);
}

/** The failure for a key that does not exist. */
export function noKey(key: string) {
  return fail('key_not_found', `There is no key ${JSON.stringify(key)} in the state.`, { key });
}

function batchFailure(keys: readonly CheckedKey[], failed: number, state: KeyState) {
  const results = keys.map((one): JsonValue => {
    const {
      condition: { key, expected },
      version,
      value,
    } = one;
    if (holds(one, state.stateId)) return { key, status: 'ok', current_version: version };
    if (expected === 'present' || (expected === 0 && version === null))
      return { key, status: 'not_found', current_version: null };
    const theirs = value === undefined ? {} : { current_value: value };
    return { key, status: 'conflict', current_version: version, ...theirs };
  });
  return fail(
    'version_conflict',
    `${String(failed)} of ${String(keys.length)} operations do not find their key as they expect it. None was applied; read these keys again.`,
    { applied: false, results, global_version: state.version },
  );
}
