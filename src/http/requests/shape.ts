// The first check of a parsed body: its depth, names that reach JavaScript prototypes, and numbers that no
// double can hold. Runs before anything that walks a value recursively. Its own recursion ends at the allowed
// depth.
import { accepted, invalidMember, refused, type Outcome } from '../../domain/errors.js';
import { isForbiddenName, isJsonArray, type JsonObject, type JsonValue } from '../../domain/json/json.js';
import { formatPointer } from '../../domain/json/pointer.js';

/**
 * Levels that a request adds around a document: `{completion: {contract: {schema: …}}}`, `{operations: [{value:
 * …}]}`.
 */
const AROUND_DOCUMENT = 8;

type Fault = { readonly kind: 'depth' } | { readonly kind: 'name' | 'number'; readonly path: string[] };

const TOO_DEEP: Fault = { kind: 'depth' };

/** JSON.parse turns numbers beyond the range into infinities, which JSON cannot express. */
function isPastRange(value: JsonValue | undefined): boolean {
  return value === Infinity || value === -Infinity;
}

/**
 * `levels` is how many more objects and arrays may be nested. Paths are built on the way back, so only for a
 * fault. Every body passes through here: `for … in` visits the own members of JSON.parse's objects and
 * allocates nothing.
 */
function findFault(value: JsonObject | readonly JsonValue[], levels: number): Fault | null {
  if (levels === 0) return TOO_DEEP;
  if (isJsonArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const item = value[index];
      if (typeof item !== 'object' || item === null) {
        if (isPastRange(item)) return { kind: 'number', path: [String(index)] };
        continue;
      }
      const fault = findFault(item, levels - 1);
      if (fault !== null) return within(String(index), fault);
    }
    return null;
  }
  for (const name in value) {
    if (isForbiddenName(name)) return { kind: 'name', path: [name] };
    const item = value[name];
    if (typeof item !== 'object' || item === null) {
      if (isPastRange(item)) return { kind: 'number', path: [name] };
      continue;
    }
    const fault = findFault(item, levels - 1);
    if (fault !== null) return within(name, fault);
  }
  return null;
}

function within(name: string, fault: Fault): Fault {
  if (fault.kind !== 'depth') fault.path.unshift(name);
  return fault;
}

/**
 * Checks a parsed body.
 *
 * @returns The body; or `limit_exceeded` (`documentDepthMax`), or `invalid_request` with the pointer of the forbidden
 *   name or of the number.
 */
export function checkShape(body: JsonValue, documentDepthMax: number): Outcome<JsonValue> {
  if (typeof body !== 'object' || body === null) return isPastRange(body) ? pastRange('') : accepted(body);
  const fault = findFault(body, bodyDepthMax(documentDepthMax));
  if (fault === null) return accepted(body);
  if (fault.kind === 'depth') return tooDeep(documentDepthMax);
  if (fault.kind === 'number') return pastRange(formatPointer(fault.path));
  return invalidMember(
    formatPointer(fault.path),
    'is a name that no member may have',
    'any name but __proto__, constructor and prototype',
  );
}

/** Levels that a body may have, around and in a document. */
export function bodyDepthMax(documentDepthMax: number): number {
  return documentDepthMax + AROUND_DOCUMENT;
}

export function tooDeep(documentDepthMax: number) {
  return refused('limit_exceeded', `The body is nested deeper than a document may be (${documentDepthMax})`, {
    limit: 'documentDepthMax',
    maximum: documentDepthMax,
    actual: bodyDepthMax(documentDepthMax) + 1,
  });
}

function pastRange(pointer: string) {
  return invalidMember(
    pointer,
    'is a number past the range of IEEE 754 doubles',
    `a number between -${String(Number.MAX_VALUE)} and ${String(Number.MAX_VALUE)}, or a string`,
  );
}
