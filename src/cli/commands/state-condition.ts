// Conditions on a document as arguments: `/status=completed` is a JSON Schema in short.
import { parsePointer, parseArrayIndex } from '../../domain/pointer.js';
import type { JsonObject, JsonValue } from '../../domain/json.js';
import { UsageError } from '../usage-error.js';

/**
 * The JSON Schema of documents that have a value at a pointer.
 *
 * @param text - `POINTER=VALUE`; the value is JSON where it is, else a text.
 * @throws UsageError Where it is not of that form.
 */
export function conditionOf(text: string, source: string): JsonObject {
  const at = text.indexOf('=');
  const segments = at < 0 ? null : parsePointer(text.slice(0, at));
  if (segments === null) {
    throw new UsageError(`${source} needs POINTER=VALUE, such as /status=completed, not '${text}'`);
  }
  return segments.reduceRight<JsonObject>(holding, { const: valueOf(text.slice(at + 1)) });
}

function valueOf(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}

/** A segment that could be an index may be one: the document is not known here. */
function holding(inner: JsonObject, segment: string): JsonObject {
  const member = { type: 'object', required: [segment], properties: { [segment]: inner } };
  const index = parseArrayIndex(segment);
  if (index === null || index > INDEX_MAX) return member;
  const before: JsonValue[] = Array.from({ length: index }, () => true);
  return { anyOf: [member, { type: 'array', minItems: index + 1, prefixItems: [...before, inner] }] };
}

/** Every item before an index is a subschema, and these are bounded. */
const INDEX_MAX = 1000;
