// A document with a new member, without the members that the addition leaves alone: large objects need no copy.
import { isJsonObject, ownMember, type JsonObject, type JsonValue } from '../domain/json/json.js';
import { parsePointer } from '../domain/json/pointer.js';

/** @returns `null` if there is something at the path, or if its parent is no object, or within an array. */
export function sparselyAdded(document: JsonObject, path: string, value: JsonValue): JsonObject | null {
  const segments = parsePointer(path);
  const name = segments?.pop();
  if (segments === null || name === undefined) return null;
  let parent: JsonValue | undefined = document;
  for (const segment of segments) parent = ownMember(parent, segment);
  if (!isJsonObject(parent) || Object.hasOwn(parent, name)) return null;
  return segments.reduceRight<JsonObject>((below, segment) => ({ [segment]: below }), { [name]: value });
}
