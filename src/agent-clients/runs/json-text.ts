// Parses JSON that other programs wrote.
import jsonc from 'jsonc-parser';
import type { JsonValue } from '../../domain/json/json.js';
import { isDeeperThan } from '../../domain/json/scan.js';
import { DEFAULT_LIMITS } from '../../domain/limits.js';

/** Parses JSON; `undefined` if it is invalid, or nested deeper than the client can send. */
export function parsed(text: JsonValue | undefined): JsonValue | undefined {
  if (typeof text !== 'string') return undefined;
  try {
    const value = JSON.parse(text) as JsonValue;
    return isDeeperThan(value, DEFAULT_LIMITS.jsonDepthMax) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** Parses JSON with comments, as in files that people write. */
export function parsedWithComments(text: string): JsonValue | undefined {
  return parsed(jsonc.stripComments(text.replace(/^\uFEFF/, '')));
}
