// The part of a schema that has an effect. Ajv also supports keywords outside JSON Schema (`$async`, `nullable`).
// Schemas stored before admission rejected these are read without them. Draft-07 ignores keywords next to `$ref`.
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../domain/json/json.js';
import { draftOf, type Draft } from './draft.js';
import { outlineOf, subschemasUnder } from './outline.js';
import { isKeyword } from './vocabulary.js';

/** The keywords that draft-07 does not ignore next to `$ref`, and those that do not affect validity. */
const BESIDE_REF = new Set(
  '$ref $schema $comment $defs definitions title description default examples readOnly writeOnly'.split(' '),
);

/** The schema without what its draft ignores, with the same pointers. The same object if nothing is ignored. */
export function effectiveSchema(schema: JsonObject): JsonObject {
  const draft = draftOf(schema) ?? '2020-12';
  const isWhole = outlineOf(schema).every(
    (each) =>
      typeof each.schema === 'boolean' ||
      Object.keys(each.schema).every((word) => hasEffect(draft, each.schema, word, each.index === 0)),
  );
  return isWhole ? schema : reduced(schema, draft, true);
}

function hasEffect(draft: Draft, schema: JsonObject | boolean, keyword: string, isRoot: boolean): boolean {
  if (!isKeyword(draft, keyword)) return false;
  const isAlone = draft === 'draft-07' && isJsonObject(schema) && typeof schema['$ref'] === 'string';
  // The root's `$id` is the base URI of its references, whatever keywords are next to it.
  return !isAlone || BESIDE_REF.has(keyword) || keyword.startsWith('x-') || (isRoot && keyword === '$id');
}

function reduced(schema: JsonObject, draft: Draft, isRoot: boolean): JsonObject {
  const result: Record<string, JsonValue> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (hasEffect(draft, schema, keyword, isRoot)) result[keyword] = value;
  }
  for (const { keyword, key, schema: child } of subschemasUnder(result)) {
    if (typeof child === 'boolean') continue;
    const smaller = reduced(child, draft, false);
    const holder = result[keyword];
    if (key === null) result[keyword] = smaller;
    else if (isJsonArray(holder)) result[keyword] = holder.map((item, at) => (at === key ? smaller : item));
    else if (isJsonObject(holder)) result[keyword] = { ...holder, [key]: smaller };
  }
  return result;
}
