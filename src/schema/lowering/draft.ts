// The supported drafts of JSON Schema, selected by `$schema`.
import type { JsonObject, JsonValue } from '../../domain/json/json.js';

export type Draft = 'draft-07' | '2019-09' | '2020-12';

/** The canonical values of `$schema`. */
export const SCHEMA_URIS: Readonly<Record<Draft, string>> = {
  'draft-07': 'http://json-schema.org/draft-07/schema#',
  '2019-09': 'https://json-schema.org/draft/2019-09/schema',
  '2020-12': 'https://json-schema.org/draft/2020-12/schema',
};

const DRAFT_URI = /^https?:\/\/json-schema\.org\/(?:(draft-07)|draft\/(2019-09|2020-12))\/schema#?$/;

/** The draft of a `$schema` URI: `http` or `https`, with or without an empty fragment. `null` for any other value. */
export function draftNamed(uri: JsonValue): Draft | null {
  const [, old, dated] = typeof uri === 'string' ? (DRAFT_URI.exec(uri) ?? []) : [];
  const name = old ?? dated;
  return name === 'draft-07' || name === '2019-09' || name === '2020-12' ? name : null;
}

/** The draft of a schema; 2020-12 if it has no `$schema`, `null` if `$schema` is unknown. */
export function draftOf(schema: JsonObject): Draft | null {
  const named = schema['$schema'];
  return named === undefined ? '2020-12' : draftNamed(named);
}
