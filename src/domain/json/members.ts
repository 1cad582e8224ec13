// Reads the members of an object that may have any form: what has another type than asked for is not there. Pure.
import { isJsonArray, isJsonObject, ownMember, type JsonObject, type JsonValue } from './json.js';

export function textMember(value: JsonValue | undefined, name: string): string | null {
  const found = ownMember(value, name);
  return typeof found === 'string' ? found : null;
}

export function numberMember(value: JsonValue | undefined, name: string): number | null {
  const found = ownMember(value, name);
  return typeof found === 'number' ? found : null;
}

/** @returns An empty object if there is none. */
export function objectMember(value: JsonValue | undefined, name: string): JsonObject {
  const found = ownMember(value, name);
  return isJsonObject(found) ? found : {};
}

/** A list of texts; other items are left out. */
export function textsMember(value: JsonValue | undefined, name: string): readonly string[] {
  const found = ownMember(value, name);
  return isJsonArray(found) ? found.filter((one) => typeof one === 'string') : [];
}
