// JSON texts that other programs wrote.
import type { JsonValue } from '../domain/json.js';

/** JSON text as a value; `undefined` where it is none. */
export function parsed(text: JsonValue | undefined): JsonValue | undefined {
  if (typeof text !== 'string') return undefined;
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
