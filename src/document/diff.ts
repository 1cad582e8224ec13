// Computes the difference of two documents as a JSON Patch. The only file that imports fast-json-patch.
import fastJsonPatch from 'fast-json-patch';
import {
  isJsonArray,
  jsonEqual,
  ownMember,
  type JsonObject,
  type JsonValue,
  isJsonContainer,
  type JsonContainer,
} from '../domain/json/json.js';
import { formatPointer } from '../domain/json/pointer.js';
import type { Patch } from '../domain/json/patch.js';
import { textSize, textSizeMax } from '../domain/json/text-size.js';

/**
 * A patch from one document to the other; empty if they are equal. If the patch would be longer than the new
 * document, it is a single replacement of the root.
 */
export function diffDocuments(before: JsonObject, after: JsonObject): Patch {
  if (before === after) return [];
  // Without the third argument no `test` is generated, and JSON input gives operations with JSON values.
  const patch = fastJsonPatch.compare(before, after) as Patch;
  return shorterOf(patch, after);
}

/** A patch up to this size is always kept, because it shows which locations changed. */
const TELLING_BYTES_MAX = 4096;

/** `patch`, or the replacement of the whole document if `patch` is large and the replacement is shorter. */
export function shorterOf(patch: Patch, after: JsonValue): Patch {
  if (patch.length === 0 || isShort(patch)) return patch;
  const operations = patch.map((operation): JsonValue => ({ ...operation }));
  // Most patches are short and their documents long: measures the patch first, and the document only up to
  // that size.
  const patchBytes = textSize(operations);
  if (patchBytes <= TELLING_BYTES_MAX) return patch;
  const whole: Patch = [{ op: 'replace', path: '', value: after }];
  return textSize(after, patchBytes) < patchBytes && !jsonEqual(operations, [...whole]) ? whole : patch;
}

/** Upper bound of the bytes for an operation's names and punctuation. */
const AROUND_BYTES = 64;

/** True if a patch is certainly that short; cheaper than measuring it. */
function isShort(patch: Patch): boolean {
  let bytes = 0;
  for (const operation of patch) {
    bytes += AROUND_BYTES + textSizeMax(operation.path);
    if ('from' in operation) bytes += textSizeMax(operation.from);
    if ('value' in operation) bytes += textSizeMax(operation.value);
    if (bytes > TELLING_BYTES_MAX) return false;
  }
  return true;
}

/** The first location where two documents differ and for which `wanted` is true; `undefined` if there is none. */
export function findChange(
  before: JsonContainer,
  after: JsonContainer,
  wanted: (pointer: string) => boolean,
  at = '',
): string | undefined {
  if (before === after) return undefined;
  for (const name of Object.keys(before)) {
    const [was, is] = [member(before, name), member(after, name)];
    if (was === is) continue;
    const pointer = at + formatPointer([name]);
    const found =
      isJsonContainer(was) && isJsonContainer(is) && isJsonArray(was) === isJsonArray(is)
        ? findChange(was, is, wanted, pointer)
        : wanted(pointer)
          ? pointer
          : undefined;
    if (found !== undefined) return found;
  }
  for (const name of Object.keys(after)) {
    if (Object.hasOwn(before, name)) continue;
    const pointer = at + formatPointer([name]);
    if (wanted(pointer)) return pointer;
  }
  return undefined;
}

function member(of: JsonContainer, name: string): JsonValue | undefined {
  if (isJsonArray(of)) return of[Number(name)];
  return ownMember(of, name);
}
