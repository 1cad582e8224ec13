// Conditions on a document as arguments: `/status=completed` is a JSON Schema in short.
import { formatPointer, parsePointer, parseArrayIndex } from '../../domain/pointer.js';
import type { JsonObject, JsonValue } from '../../domain/json.js';
import { UsageError } from '../usage-error.js';

/**
 * The JSON Schema of documents that have a value at a pointer.
 *
 * @param text - `POINTER=VALUE`; the value is JSON where it is, else a text.
 * @throws UsageError Where it is not of that form.
 */
export function conditionOf(text: string, source: string): JsonObject {
  const value = valueOf(text.slice(text.indexOf('=') + 1));
  return segmentsOf(text, source).reduceRight<JsonObject>(holding, { const: value });
}

function segmentsOf(text: string, source: string): readonly string[] {
  const at = text.indexOf('=');
  const segments = at < 0 ? null : parsePointer(text.slice(0, at));
  if (segments !== null) return segments;
  throw new UsageError(`${source} needs POINTER=VALUE, such as /status=completed, not '${text}'`);
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

/**
 * The places right before an index that is past what a condition can name of an array: it stands for a member there.
 *
 * @throws UsageError Where the condition is not of its form.
 */
export function placesBeforeLongIndices(text: string, source: string): readonly string[] {
  const segments = segmentsOf(text, source);
  return segments.flatMap((segment, at) =>
    (parseArrayIndex(segment) ?? 0) > INDEX_MAX ? [formatPointer(segments.slice(0, at))] : [],
  );
}

/** The refusal of a condition on an item that is too far back in an array. */
export function indexTooLong(place: string, source: string): UsageError {
  return new UsageError(
    `${source}: ${place === '' ? 'the document' : place} is an array, and a condition like this names its first ${String(INDEX_MAX + 1)} items only; say it as a JSON Schema with ${source}-schema`,
  );
}

/** Every item before an index is a subschema, and these are bounded. */
const INDEX_MAX = 1000;
