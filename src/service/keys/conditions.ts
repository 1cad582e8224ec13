// What a write through the key view expects of keys, looked at in the writer's turn: of two that expect the same
// version of a key, one is refused.
import { refused, type Refusal } from '../../domain/errors.js';
import { jsonEqual, type JsonObject, type JsonValue } from '../../domain/json/json.js';
import type { StateHead } from '../../domain/records/records.js';
import type { KeyTag } from '../../ports/key-service.js';
import type { PreparedWrite } from '../../domain/states/write.js';
import { operationsByKey, own, type KeyVersions } from './key-versions.js';

/**
 * present: it is there, else `key_not_found`. there: the same, else `version_conflict`. absent: it is not there. A number: it
 * is there, in this version. any: whatever.
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

/** In this version, and in this state: a tree whose state was deleted may have another one. */
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
  /** True where the answer lists a result for each. */
  readonly batch: boolean;
}

/** The state in the midst of a turn: as it is stored, and what the writes before this one have made of it. */
export interface Turn {
  readonly head: StateHead;
  readonly stored: JsonObject;
  readonly writes: readonly PreparedWrite[];
  readonly document: JsonObject;
  readonly keys: KeysWritten;
}

/** Where a key is now: its version, `null` where it is not there. */
interface Found {
  readonly condition: KeyCondition;
  readonly holds: boolean;
  readonly version: number | null;
  readonly value: JsonValue | undefined;
}

/** @returns Why the write cannot be taken: `version_conflict`, `key_not_found`; `null` where all conditions hold. */
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

/** The version that is expected, where one is. */
function versionOf(want: KeyExpectation): number | null {
  if (typeof want === 'number') return want;
  return typeof want === 'object' && 'version' in want ? want.version : null;
}

/** Which write of a turn changed a key last. Each write is looked through once, however many keys are asked for. */
export class KeysWritten {
  readonly #lastOf = new Map<string, number>();
  /** The last write that replaced the whole document. */
  #lastWhole = -1;
  #seen = 0;

  /** The version that a write of this turn will give to the key; `null` where none has changed it. */
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

/** The refusal for a key that is not there. */
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
