// Documents to test a schema with: shapes that make a bad schema slow, made from the schema's own member names.
import type { JsonObject, JsonValue } from '../../domain/json/json.js';
import { outlineOf } from '../lowering/outline.js';

/** Deep enough to show work that doubles per level, at a depth that real documents reach. */
const LEVELS = 32;
const NAMES_MAX = 8;
const WIDE_ITEMS = 200;

/** Leaves of the deep documents. They have several types, so that no branch fails early on all of them. */
const LEAVES: readonly JsonValue[] = [null, {}, `${'a'.repeat(200)}!`];

/** The member names in a schema's `properties`, the most frequent first. */
function namesOf(schema: JsonObject): string[] {
  const uses = new Map<string, number>();
  for (const { children } of outlineOf(schema)) {
    for (const { keyword, key } of children) {
      if (keyword === 'properties' && typeof key === 'string') uses.set(key, (uses.get(key) ?? 0) + 1);
    }
  }
  const names = [...uses.entries()].sort(([, a], [, b]) => b - a).map(([name]) => name);
  return names.slice(0, NAMES_MAX);
}

function nest(leaf: JsonValue, wrap: (value: JsonValue, level: number) => JsonValue): JsonValue {
  let value = leaf;
  for (let level = LEVELS; level > 0; level -= 1) value = wrap(value, level);
  return value;
}

/**
 * A bounded number of small documents: chains of each name, of all names in turn, of arrays, of both; and wide ones.
 */
export function* trialDocuments(schema: JsonObject): Generator<JsonValue> {
  const names = namesOf(schema);
  yield {};
  yield Array.from({ length: WIDE_ITEMS }, (_, index) => index);
  yield Object.fromEntries(names.map((name) => [name, Array.from({ length: WIDE_ITEMS }, () => ({}))]));
  for (const leaf of LEAVES) {
    yield leaf;
    yield nest(leaf, (value) => [value]);
    for (const name of names.length === 0 ? ['a'] : names) {
      yield nest(leaf, (value) => ({ [name]: value }));
      yield nest(leaf, (value, level) => (level % 2 === 0 ? [value] : { [name]: value }));
    }
    if (names.length > 1) {
      yield nest(leaf, (value, level) => ({ [names[level % names.length] ?? '']: value }));
    }
  }
}
