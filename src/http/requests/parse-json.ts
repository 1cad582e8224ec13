// Parses JSON from a caller's text, and reports where the text is invalid.
import { ok, fail, type Result } from '../../domain/errors.js';
import type { JsonValue } from '../../domain/json/json.js';
import { scanJson, type JsonFault } from './scan-json.js';

/**
 * The failure for a text that is not JSON.
 *
 * @param what - What is refused, as the beginning of a sentence: `The body`.
 * @param position - `position`, `line` and `column`, if known.
 */
export function notJson(
  what: string,
  fault: string,
  expected: string,
  position: Record<string, number> = {},
) {
  const found = 'line' in position ? `: expected ${expected}` : '';
  return fail('invalid_json', `${what} ${fault}${found}`, {
    ...position,
    errors: [{ pointer: '', keyword: 'json', message: fault, expected }],
  });
}

/** @returns The value; or `invalid_json` with `position` (UTF-16 units), `line` and `column` (from 1). */
export function parseJson(what: string, text: string): Result<JsonValue> {
  try {
    return ok(JSON.parse(text) as JsonValue);
  } catch (error) {
    const scan = scanJson(text);
    if (scan.found !== 'fault') throw error;
    return brokenAt(what, scan.fault);
  }
}

/** The failure for a text with a syntax error. */
export function brokenAt(what: string, { expected, ...position }: JsonFault) {
  return notJson(what, `is not JSON at line ${position.line}, column ${position.column}`, expected, position);
}
