// The locations of a document by JSON Pointer. Pure.
import type { JsonValue } from '../../../client/index.js';

export type Pointer = string;

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

type Container = readonly JsonValue[] | Readonly<Record<string, JsonValue>>;

export function isContainer(value: JsonValue | undefined): value is Container {
  return typeof value === 'object' && value !== null;
}

function namesIn(value: JsonValue | undefined): readonly string[] {
  return isContainer(value) ? Object.keys(value) : [];
}

export function childrenOf(document: JsonValue, pointer: Pointer): readonly Pointer[] {
  return namesIn(valueAt(document, pointer)).map((name) => `${pointer}/${escaped(name)}`);
}

export function segmentsOf(pointer: Pointer): readonly string[] {
  return pointer === ''
    ? []
    : pointer
        .slice(1)
        .split('/')
        .map((one) => one.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The last segment of a pointer, as the document has it. */
export function nameOf(pointer: Pointer): string {
  return segmentsOf(pointer).at(-1) ?? 'document';
}

export function valueAt(document: JsonValue, pointer: Pointer): JsonValue | undefined {
  let at: JsonValue | undefined = document;
  for (const name of segmentsOf(pointer)) {
    if (!isContainer(at) || !Object.hasOwn(at, name)) return undefined;
    at = isList(at) ? at[Number(name)] : at[name];
  }
  return at;
}

/** `Array.isArray` loses the element type of a readonly array. */
export function isList(value: Container): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** The pointers above a location, from the top. */
export function above(pointer: Pointer): readonly Pointer[] {
  const parts = pointer.split('/').slice(0, -1);
  return parts.map((_, i) => parts.slice(0, i + 1).join('/'));
}

const MATCHES_MAX = 500;

/** The locations whose name or value contains the text, in the order of the document. */
export function find(document: JsonValue, text: string): readonly Pointer[] {
  const lowerCase = text.toLowerCase();
  const found: Pointer[] = [];
  const visit = (value: JsonValue, pointer: Pointer, name: string) => {
    if (found.length >= MATCHES_MAX) return;
    const shown = isContainer(value) ? name : `${name} ${String(value)}`;
    if (pointer !== '' && shown.toLowerCase().includes(lowerCase)) found.push(pointer);
    if (!isContainer(value)) return;
    for (const [member, inner] of Object.entries(value))
      visit(inner, `${pointer}/${escaped(member)}`, member);
  };
  visit(document, '', '');
  return found;
}
