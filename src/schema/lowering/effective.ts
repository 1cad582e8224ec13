// The part of a schema that has an effect. Ajv acts on words that are no keywords of JSON Schema (`$async`, `nullable`):
// schemas that were stored before those were refused are read without them. Draft-07 ignores what stands beside `$ref`.
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../domain/json/json.js';
import { draftOf, type Draft } from './draft.js';
import { outlineOf, subschemasUnder } from './outline.js';
import { isKeyword } from './vocabulary.js';

/** What draft-07 lets stand beside `$ref`: what it does not ignore there, and what says nothing of a document. */
const BESIDE_REF = new Set(
  '$ref $schema $comment $defs definitions title description default examples readOnly writeOnly'.split(' '),
);

/** The schema without what its draft ignores, at the same pointers; the schema itself where there is nothing such. */
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
  // The `$id` of the whole schema is where its references start from, whatever stands beside it.
  return !isAlone || BESIDE_REF.has(keyword) || keyword.startsWith('x-') || (isRoot && keyword === '$id');
}

function reduced(schema: JsonObject, draft: Draft, isRoot: boolean): JsonObject {
  const kept: Record<string, JsonValue> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (hasEffect(draft, schema, keyword, isRoot)) kept[keyword] = value;
  }
  for (const { keyword, key, schema: child } of subschemasUnder(kept)) {
    if (typeof child === 'boolean') continue;
    const smaller = reduced(child, draft, false);
    const holder = kept[keyword];
    if (key === null) kept[keyword] = smaller;
    else if (isJsonArray(holder)) kept[keyword] = holder.map((item, at) => (at === key ? smaller : item));
    else if (isJsonObject(holder)) kept[keyword] = { ...holder, [key]: smaller };
  }
  return kept;
}
