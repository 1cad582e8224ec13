// JSON texts that other programs wrote.
import jsonc from 'jsonc-parser';
import { isDeeperThan, type JsonValue } from '../domain/json/json.js';
import { DEFAULT_LIMITS } from '../domain/limits.js';

/** JSON text as a value; `undefined` where it is none, or is nested deeper than the client sends. */
export function parsed(text: JsonValue | undefined): JsonValue | undefined {
  if (typeof text !== 'string') return undefined;
  try {
    const value = JSON.parse(text) as JsonValue;
    return isDeeperThan(value, DEFAULT_LIMITS.jsonDepthMax) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** The same of a file that people write: comments are left out. */
export function parsedWithComments(text: string): JsonValue | undefined {
  return parsed(jsonc.stripComments(text.replace(/^\uFEFF/, '')));
}
