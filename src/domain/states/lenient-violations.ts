// Which violations a lenient state may keep: those that its document had before, in values that the write leaves
// alone. A state is lenient after a migration that allowed invalid values.
import type { Violation } from '../errors.js';
import { isJsonObject, jsonEqual, type JsonObject, type JsonValue } from '../json/json.js';
import { formatPointer, valueAt } from '../json/pointer.js';

/**
 * The violations that a write may not leave in the document.
 *
 * @param violations - Those of the document after the write.
 * @param known - Those of the document before it.
 */
export function refusedViolations(
  violations: readonly Violation[],
  known: readonly Violation[],
  before: JsonObject,
  after: JsonObject,
): readonly Violation[] {
  return violations.filter(
    (one) => !known.some((other) => isSame(one, other)) || !isUntouched(one, before, after),
  );
}

function isSame(one: Violation, other: Violation): boolean {
  return (
    one.pointer === other.pointer && one.keyword === other.keyword && jsonEqual(one.expected, other.expected)
  );
}

/** True if the write leaves the violation's location unchanged. */
function isUntouched(violation: Violation, before: JsonObject, after: JsonObject): boolean {
  const missing = missingMember(violation);
  if (missing !== null) {
    const pointer = violation.pointer + formatPointer([missing]);
    const parents = [valueAt(before, violation.pointer), valueAt(after, violation.pointer)];
    return parents.every(isJsonObject) && [before, after].every((one) => valueAt(one, pointer) === undefined);
  }
  const value = valueAt(after, violation.pointer);
  return value !== undefined && jsonEqual(valueAt(before, violation.pointer), value);
}

/** The member that is required and absent: the absence is the violation, not the object around it. */
function missingMember({ keyword, expected }: Violation): string | null {
  if (!MISSING.has(keyword) || !isJsonObject(expected)) return null;
  const name: JsonValue | undefined = expected['required'];
  return typeof name === 'string' ? name : null;
}

const MISSING = new Set(['required', 'dependentRequired', 'dependencies']);
