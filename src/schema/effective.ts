// The part of a schema that has an effect. Ajv acts on words that are no keywords of JSON Schema (`$async`, `nullable`):
// schemas that were stored before those were refused are read without them.
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../domain/json.js';
import { draftOf, type Draft } from './draft.js';
import { outlineOf, subschemasUnder } from './outline.js';
import { isKeyword } from './vocabulary.js';

/** The schema without what its draft ignores, at the same pointers; the schema itself where there is nothing such. */
export function effectiveSchema(schema: JsonObject): JsonObject {
  const draft = draftOf(schema) ?? '2020-12';
  const isWhole = outlineOf(schema).every(
    (each) =>
      typeof each.schema === 'boolean' || Object.keys(each.schema).every((word) => isKeyword(draft, word)),
  );
  return isWhole ? schema : reduced(schema, draft);
}

function reduced(schema: JsonObject, draft: Draft): JsonObject {
  const kept: Record<string, JsonValue> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (isKeyword(draft, keyword)) kept[keyword] = value;
  }
  for (const { keyword, key, schema: child } of subschemasUnder(kept)) {
    if (typeof child === 'boolean') continue;
    const smaller = reduced(child, draft);
    const holder = kept[keyword];
    if (key === null) kept[keyword] = smaller;
    else if (isJsonArray(holder)) kept[keyword] = holder.map((item, at) => (at === key ? smaller : item));
    else if (isJsonObject(holder)) kept[keyword] = { ...holder, [key]: smaller };
  }
  return kept;
}
