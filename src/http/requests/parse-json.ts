// JSON of a caller's text, and where the text is none.
import { accepted, refused, type Outcome } from '../../domain/errors.js';
import type { JsonValue } from '../../domain/json/json.js';
import { scanJson, type JsonFault } from './scan-json.js';

/**
 * @param what - What is refused, as a sentence begins: `The body`.
 * @param place - `position`, `line` and `column`, where there are any.
 */
export function notJson(what: string, fault: string, expected: string, place: Record<string, number> = {}) {
  const found = 'line' in place ? `: expected ${expected}` : '';
  return refused('invalid_json', `${what} ${fault}${found}`, {
    ...place,
    errors: [{ pointer: '', keyword: 'json', message: fault, expected }],
  });
}

/** @returns The value; or `invalid_json` with `position` (UTF-16 units), `line` and `column` (from 1). */
export function parseJson(what: string, text: string): Outcome<JsonValue> {
  try {
    return accepted(JSON.parse(text) as JsonValue);
  } catch (error) {
    const scan = scanJson(text);
    if (scan.found !== 'fault') throw error;
    return brokenAt(what, scan.fault);
  }
}

/** Refuses a text that stops being JSON somewhere. */
export function brokenAt(what: string, { expected, ...place }: JsonFault) {
  return notJson(what, `is not JSON at line ${place.line}, column ${place.column}`, expected, place);
}
