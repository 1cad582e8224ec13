// The versions of keys for the rule of key conditions, found inside the batch: of two writes that expect the same
// version of a key, one is refused.
import type { Failed } from '../../domain/errors.js';
import { jsonEqual, ownMember, type JsonObject } from '../../domain/json/json.js';
import { checkKeys, type CheckedKey, type KeyConditions } from '../../domain/keys/conditions.js';
import type { StateHead } from '../../domain/records/records.js';
import type { WriteStep } from '../../domain/states/write.js';
import { operationsByKey, type KeyVersions } from '../documents/key-versions.js';

/** The state within a batch: the stored document, and the document after the writes before this one. */
interface KeysBefore {
  readonly head: StateHead;
  readonly stored: JsonObject;
  /** The writes before this one, and the version to which they lead. */
  readonly steps: readonly WriteStep[];
  readonly version: number;
  readonly document: JsonObject;
  readonly keys: KeysWritten;
}

/** @returns The failure `version_conflict` or `key_not_found`; `null` if all conditions hold. */
export async function checkConditions(
  versions: KeyVersions,
  before: KeysBefore,
  { conditions, batch }: KeyConditions,
): Promise<Failed | null> {
  const facts = await versions.of(before.head, before.stored);
  const keys = conditions.map((condition): CheckedKey => {
    const value = ownMember(before.document, condition.key);
    const version =
      value === undefined
        ? null
        : (before.keys.versionOf(condition.key, before) ?? facts.get(condition.key)?.version ?? null);
    return { condition, value, version };
  });
  const state = { stateId: before.head.stateId, version: before.version };
  return checkKeys(keys, state, batch);
}

/** Tracks which write of a batch changed a key last. It scans each write once, however many keys are requested. */
export class KeysWritten {
  /** The number of writes up to the last one that changed a key. */
  readonly #lastOf = new Map<string, number>();
  /** The same for the last write that replaced the whole document. */
  #lastWhole = 0;
  #seen = 0;
  #writes = 0;

  /** The version that a write of this batch gives to the key; `null` if no write of the batch changed it. */
  versionOf(key: string, { head, stored, steps, document }: KeysBefore): number | null {
    this.#look(steps);
    const isReplaced = this.#lastWhole > 0 && !jsonEqual(ownMember(stored, key), ownMember(document, key));
    const last = Math.max(this.#lastOf.get(key) ?? 0, isReplaced ? this.#lastWhole : 0);
    return last === 0 ? null : head.version + last;
  }

  #look(steps: readonly WriteStep[]): void {
    for (const { write } of steps.slice(this.#seen)) {
      this.#seen += 1;
      if (write === undefined) continue;
      this.#writes += 1;
      const changes = operationsByKey(write.patch);
      if (changes === null) this.#lastWhole = this.#writes;
      for (const key of changes?.keys() ?? []) this.#lastOf.set(key, this.#writes);
    }
  }
}
