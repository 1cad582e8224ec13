// The drafts of JSON Schema that are understood, told apart by `$schema`.
import type { JsonObject } from '../domain/json.js';

export type Draft = 'draft-07' | '2019-09' | '2020-12';

/** The values of `$schema` that are accepted, as their documents write them. */
export const SCHEMA_URIS: Readonly<Record<Draft, string>> = {
  'draft-07': 'http://json-schema.org/draft-07/schema#',
  '2019-09': 'https://json-schema.org/draft/2019-09/schema',
  '2020-12': 'https://json-schema.org/draft/2020-12/schema',
};

/** The draft of a schema, 2020-12 where it names none; `null` where it names another one. */
export function draftOf(schema: JsonObject): Draft | null {
  const named = schema['$schema'];
  if (named === undefined) return '2020-12';
  if (typeof named !== 'string') return null;
  const uri = named.replace(/#$/, '');
  if (uri === 'http://json-schema.org/draft-07/schema' || uri === 'https://json-schema.org/draft-07/schema') {
    return 'draft-07';
  }
  if (uri === SCHEMA_URIS['2019-09']) return '2019-09';
  return uri === SCHEMA_URIS['2020-12'] ? '2020-12' : null;
}
