// The conditions that a write through the key view sets on keys. They are checked inside the batch: of two writes
// that expect the same version of a key, one is refused.
import { refused, type Refusal } from '../../domain/errors.js';
import { jsonEqual, type JsonObject, type JsonValue } from '../../domain/json/json.js';
import type { StateHead } from '../../domain/records/records.js';
import type { KeyTag } from '../../ports/key-service.js';
import type { PreparedWrite } from '../../domain/states/write.js';
import { operationsByKey, own, type KeyVersions } from './key-versions.js';

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
  | { readonly oneOf: readonly KeyTag[] }
  | { readonly noneOf: readonly KeyTag[] };

/** The key exists in this version and in this state. A tree whose state was deleted may have a new state. */
export interface KeyOfState {
  readonly version: number;
  readonly stateId: string;
}

export interface KeyCondition {
  readonly key: string;
  readonly want: KeyExpectation;
}

export interface KeyConditions {
  readonly conditions: readonly KeyCondition[];
  /** True if the answer lists a result for each condition. */
  readonly batch: boolean;
}

/** The state within a batch: the stored document, and the document after the writes before this one. */
export interface Turn {
  readonly head: StateHead;
  readonly stored: JsonObject;
  readonly writes: readonly PreparedWrite[];
  readonly document: JsonObject;
  readonly keys: KeysWritten;
}

/** A condition, and the present version and value of its key. The version is `null` if the key does not exist. */
interface Found {
  readonly condition: KeyCondition;
  readonly holds: boolean;
  readonly version: number | null;
  readonly value: JsonValue | undefined;
}

/** @returns The failure `version_conflict` or `key_not_found`; `null` if all conditions hold. */
export async function checkConditions(
  versions: KeyVersions,
  turn: Turn,
  { conditions, batch }: KeyConditions,
): Promise<{ readonly ok: false; readonly refusal: Refusal } | null> {
  const facts = await versions.of(turn.head, turn.stored);
  const found = conditions.map((condition): Found => {
    const value = own(turn.document, condition.key);
    const version =
      value === undefined
        ? null
        : (turn.keys.versionOf(condition.key, turn) ?? facts.get(condition.key)?.version ?? null);
    return { condition, value, version, holds: holds(condition.want, version, turn.head.stateId) };
  });
  const failed = found.find((one) => !one.holds);
  if (failed === undefined) return null;
  return batch ? batchRefused(found, turn) : refusal(failed, turn);
}

function holds(want: KeyExpectation, version: number | null, stateId: string): boolean {
  if (want === 'any') return true;
  if (want === 'present' || want === 'there') return version !== null;
  if (want === 'absent') return version === null;
  if (typeof want === 'number') return version === want;
  if ('oneOf' in want) return isNamed(want.oneOf, version, stateId);
  if ('noneOf' in want) return !isNamed(want.noneOf, version, stateId);
  return version === want.version && stateId === want.stateId;
}

function isNamed(tags: readonly KeyTag[], version: number | null, stateId: string): boolean {
  return tags.some((tag) => tag.version === version && (tag.stateId ?? stateId) === stateId);
}

/** The expected version, or `null` if no single version is expected. */
function versionOf(want: KeyExpectation): number | null {
  if (typeof want === 'number') return want;
  return typeof want === 'object' && 'version' in want ? want.version : null;
}

/** Tracks which write of a batch changed a key last. It scans each write once, however many keys are requested. */
export class KeysWritten {
  readonly #lastOf = new Map<string, number>();
  /** The last write that replaced the whole document. */
  #lastWhole = -1;
  #seen = 0;

  /** The version that a write of this batch gives to the key; `null` if no write of the batch changed it. */
  versionOf(key: string, { head, stored, writes, document }: Turn): number | null {
    this.#look(writes);
    const isReplaced = this.#lastWhole >= 0 && !jsonEqual(own(stored, key), own(document, key));
    const last = Math.max(this.#lastOf.get(key) ?? -1, isReplaced ? this.#lastWhole : -1);
    return last === -1 ? null : head.version + last + 1;
  }

  #look(writes: readonly PreparedWrite[]): void {
    for (const { patch } of writes.slice(this.#seen)) {
      const changes = operationsByKey(patch);
      if (changes === null) this.#lastWhole = this.#seen;
      for (const key of changes?.keys() ?? []) this.#lastOf.set(key, this.#seen);
      this.#seen += 1;
    }
  }
}

function refusal({ condition: { key, want }, version, value }: Found, { head, writes }: Turn) {
  if (want === 'present') return noKey(key);
  const now = version === null ? 'is not there' : `is at version ${String(version)}`;
  const yours = versionOf(want);
  const asked = yours === null ? expectedOf(want) : `not at ${askedOf(want, yours, head.stateId)}`;
  return refused(
    'version_conflict',
    `The key ${JSON.stringify(key)} ${now}, ${asked}. Read it again, and write on top of what is there.`,
    {
      key,
      current_version: version,
      your_version: yours,
      ...(value === undefined ? {} : { current_value: value }),
      global_version: head.version + writes.length,
    },
  );
}

function expectedOf(want: KeyExpectation): string {
  if (want === 'absent') return 'and was to be created';
  return want === 'there' ? 'and was to be there' : 'which the conditions of the request exclude';
}

function askedOf(want: KeyExpectation, version: number, stateId: string): string {
  const other = typeof want === 'object' && 'stateId' in want && want.stateId !== stateId;
  return other ? `${String(version)} of ${want.stateId}, which the tree has no more` : String(version);
}

/** The failure for a key that does not exist. */
export function noKey(key: string) {
  return refused('key_not_found', `There is no key ${JSON.stringify(key)} in the state.`, { key });
}

function batchRefused(found: readonly Found[], { head, writes }: Turn) {
  const results = found.map(({ condition: { key, want }, holds: ok, version, value }): JsonValue => {
    if (ok) return { key, status: 'ok', current_version: version };
    if (want === 'present' || (want === 0 && version === null))
      return { key, status: 'not_found', current_version: null };
    const theirs = value === undefined ? {} : { current_value: value };
    return { key, status: 'conflict', current_version: version, ...theirs };
  });
  const failed = found.filter((one) => !one.holds).length;
  return refused(
    'version_conflict',
    `${String(failed)} of ${String(found.length)} operations do not find their key as they expect it. None was applied; read these keys again.`,
    { applied: false, results, global_version: head.version + writes.length },
  );
}
