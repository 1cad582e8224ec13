// What clients send that the SDK does not take as it is: optional members that are null.
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../domain/json/json.js';

const OPTIONAL_OF_PARAMS: ReadonlySet<string> = new Set(['arguments', 'cursor', '_meta']);

/**
 * A message, or each of a batch, without optional members that are null. Some clients send what they leave out as null;
 * the SDK refuses that, and with it a list of tools.
 */
export function withoutNulls(body: JsonValue): JsonValue {
  if (isJsonArray(body)) return body.map(withoutNulls);
  if (!isJsonObject(body) || body['method'] === undefined) return body;
  const message = without(body, (name) => name === 'params');
  const { params } = message;
  if (!isJsonObject(params)) return message;
  const given = without(params, (name) => OPTIONAL_OF_PARAMS.has(name));
  const { _meta: meta } = given;
  const known = isJsonObject(meta)
    ? { ...given, _meta: without(meta, (name) => name === 'progressToken') }
    : given;
  return { ...message, params: known };
}

/** The object without those of the members that are null; the same object if there are none. */
function without(object: JsonObject, isOptional: (name: string) => boolean): JsonObject {
  const isLeftOut = ([name, value]: readonly [string, JsonValue]) => value === null && isOptional(name);
  const members = Object.entries(object);
  return members.some(isLeftOut)
    ? Object.fromEntries(members.filter((member) => !isLeftOut(member)))
    : object;
}
