// The difference of two documents as a JSON Patch. The only file that knows fast-json-patch.
import fastJsonPatch from 'fast-json-patch';
import { isJsonArray, jsonEqual, type JsonObject, type JsonValue } from '../domain/json/json.js';
import { formatPointer } from '../domain/json/pointer.js';
import type { Patch } from '../domain/json/patch.js';
import { textSize, textSizeMax } from './text-size.js';

/**
 * A patch that leads from one document to the other; empty where they are equal. Where it would be longer than the
 * new document, one replacement of the root instead.
 */
export function diffDocuments(before: JsonObject, after: JsonObject): Patch {
  if (before === after) return [];
  // Without the third argument no `test` is written, and JSON in gives operations with JSON values out.
  const patch = fastJsonPatch.compare(before, after) as Patch;
  return shorterOf(patch, after);
}

/** A patch up to this size is kept as it is: it tells which places were changed, whatever the document weighs. */
const TELLING_BYTES_MAX = 4096;

/** `patch`, or the replacement of the whole document where that is much shorter to keep. */
export function shorterOf(patch: Patch, after: JsonValue): Patch {
  if (patch.length === 0 || isShort(patch)) return patch;
  const operations = patch.map((operation): JsonValue => ({ ...operation }));
  // Most patches are short and their documents long: measure the patch first and the document only up to there.
  const patchBytes = textSize(operations);
  if (patchBytes <= TELLING_BYTES_MAX) return patch;
  const whole: Patch = [{ op: 'replace', path: '', value: after }];
  return textSize(after, patchBytes) < patchBytes && !jsonEqual(operations, [...whole]) ? whole : patch;
}

/** Room for the names and the other marks of an operation. */
const AROUND_BYTES = 64;

/** True where a patch is certainly that short; costs less than to measure it. */
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

/** Every place where two documents differ, as pointers; what a write has changed, however it was put. */
export function changedPlaces(before: JsonObject, after: JsonObject): readonly string[] {
  const places: string[] = [];
  findChange(before, after, (pointer) => {
    places.push(pointer);
    return false;
  });
  return places;
}

type Container = JsonObject | readonly JsonValue[];

/** The first place where two documents differ that is `wanted`; `undefined` where there is none. */
export function findChange(
  before: Container,
  after: Container,
  wanted: (pointer: string) => boolean,
  at = '',
): string | undefined {
  if (before === after) return undefined;
  for (const name of Object.keys(before)) {
    const [was, is] = [member(before, name), member(after, name)];
    if (was === is) continue;
    const pointer = at + formatPointer([name]);
    const found =
      isContainer(was) && isContainer(is) && isJsonArray(was) === isJsonArray(is)
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

function isContainer(value: JsonValue | undefined): value is Container {
  return typeof value === 'object' && value !== null;
}

function member(of: Container, name: string): JsonValue | undefined {
  if (isJsonArray(of)) return of[Number(name)];
  return Object.hasOwn(of, name) ? of[name] : undefined;
}
