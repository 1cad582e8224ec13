// The first check of a parsed body: its depth, names that reach JavaScript prototypes, and numbers that no double
// can hold. Runs before the validation against a schema.
import { ok, invalidMember, fail, type Result } from '../../../domain/errors.js';
import type { JsonValue } from '../../../domain/json/json.js';
import { scanParsed } from '../../../domain/json/scan.js';

/**
 * Levels that a request adds around a document: `{completion: {contract: {schema: …}}}`, `{operations: [{value:
 * …}]}`.
 */
const AROUND_DOCUMENT = 8;

/**
 * Checks a parsed body.
 *
 * @returns The body; or `limit_exceeded` (`documentDepthMax`), or `invalid_request` with the pointer of the forbidden
 *   name or of the number.
 */
export function checkShape(body: JsonValue, documentDepthMax: number): Result<JsonValue> {
  const scanned = scanParsed(body, bodyDepthMax(documentDepthMax));
  switch (scanned.found) {
    case 'nothing':
      return ok(body);
    case 'depth':
      return tooDeep(documentDepthMax);
    case 'number':
      return invalidMember(
        scanned.pointer,
        'is a number past the range of IEEE 754 doubles',
        `a number between -${String(Number.MAX_VALUE)} and ${String(Number.MAX_VALUE)}, or a string`,
      );
    case 'name':
      return invalidMember(
        scanned.pointer,
        'is a name that no member may have',
        'any name but __proto__, constructor and prototype',
      );
  }
}

/** Levels that a body may have, around and in a document. */
export function bodyDepthMax(documentDepthMax: number): number {
  return documentDepthMax + AROUND_DOCUMENT;
}

export function tooDeep(documentDepthMax: number) {
  return fail('limit_exceeded', `The body is nested deeper than a document may be (${documentDepthMax})`, {
    limit: 'documentDepthMax',
    maximum: documentDepthMax,
    actual: bodyDepthMax(documentDepthMax) + 1,
  });
}
