// Parses short conditions on a document: `/status=completed` stands for a JSON Schema.
import { formatPointer, parsePointer, parseArrayIndex } from '../../../domain/json/pointer.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../domain/json/json.js';
import { checkDepth } from '../../files/document.js';
import { UsageError } from '../../usage-error.js';

/**
 * The JSON Schema of documents that have a value at a pointer.
 *
 * @param text - `POINTER=VALUE`. The value is JSON if it parses as JSON, otherwise a string.
 * @throws UsageError If the form is wrong, or if no document can satisfy the condition.
 */
export function conditionOf(text: string, source: string): JsonObject {
  const { segments, value } = partsOf(text, source);
  return segments.reduceRight<JsonObject>(holding, { const: value });
}

function partsOf(text: string, source: string): { segments: readonly string[]; value: JsonValue } {
  const at = text.indexOf('=');
  const pointer = text.slice(0, at);
  if (at < 0 || !/^(\/|$)/.test(pointer)) {
    throw new UsageError(`${source} needs POINTER=VALUE, such as /status=completed, not '${text}'`);
  }
  const segments = parsePointer(pointer);
  if (segments === null) {
    throw new UsageError(
      `${source}: '${pointer}' is no JSON Pointer: after ~ stands 0 or 1 (~0 is a ~ in a name, ~1 a /)`,
    );
  }
  checkOperator(text, pointer, source);
  const written = text.slice(at + 1);
  const value = valueOf(written);
  checkDepth(value, `The value of ${source}`);
  if (segments.length === 0 && !isJsonObject(value)) {
    throw new UsageError(
      `${source}: a document as a whole is an object and never ${JSON.stringify(value)}; name a place in it, such as /status=completed`,
    );
  }
  if (written.startsWith('=')) {
    throw new UsageError(
      `${source} needs POINTER=VALUE with one =, such as '${pointer}=${written.slice(1)}', not '${text}'; a text that begins with = is written as JSON: '${pointer}=${JSON.stringify(written)}'`,
    );
  }
  return { segments, value };
}

/**
 * Rejects other operators. A condition only says that a location has a value: `/x!=3` would wait for a member
 * named `x!`, and `/x = 3` for one whose name ends with a space.
 */
function checkOperator(text: string, pointer: string, source: string): void {
  const operator = /(!|<|>|\s)$/.exec(pointer)?.[1];
  if (operator === undefined) return;
  const location = pointer.slice(0, -operator.length);
  const [wrong, fix] =
    operator.trim() === ''
      ? [
          'has a space before the =',
          `such as '${location.trimEnd()}=${text.slice(pointer.length + 1).trimStart()}'`,
        ]
      : [`has the operator ${operator}=, and only = is known`, `anything else is said with ${source}-schema`];
  throw new UsageError(
    `${source} needs POINTER=VALUE; '${text}' ${wrong}; ${fix}. A name that really ends like that is named in a JSON Schema (${source}-schema)`,
  );
}

function valueOf(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}

/** A segment that is a valid index may be an index or a member name: the document is not known here. */
function holding(inner: JsonObject, segment: string): JsonObject {
  const member = { type: 'object', required: [segment], properties: { [segment]: inner } };
  const index = parseArrayIndex(segment);
  if (index === null || index > INDEX_MAX) return member;
  const before: JsonValue[] = Array.from({ length: index }, () => true);
  return { anyOf: [member, { type: 'array', minItems: index + 1, prefixItems: [...before, inner] }] };
}

/**
 * The parent pointers of indexes above `INDEX_MAX`. The condition treats such an index as a member name.
 *
 * @throws UsageError If the form of the condition is wrong.
 */
export function placesBeforeLongIndices(text: string, source: string): readonly string[] {
  const { segments } = partsOf(text, source);
  return segments.flatMap((segment, at) =>
    (parseArrayIndex(segment) ?? 0) > INDEX_MAX ? [formatPointer(segments.slice(0, at))] : [],
  );
}

/** The error of a condition on an array item above `INDEX_MAX`. */
export function indexTooLong(pointer: string, source: string): UsageError {
  return new UsageError(
    `${source}: ${pointer === '' ? 'the document' : pointer} is an array, and a condition like this names its first ${String(INDEX_MAX + 1)} items only; say it as a JSON Schema with ${source}-schema`,
  );
}

/** Largest index. Every item before it adds a subschema, and a schema may have only so many. */
const INDEX_MAX = 1000;
