// Scans a JSON text (RFC 8259) once without creating values. Reports where it stops being JSON, since the
// engine's own messages do not always say so, and how many values it has, before the engine spends time on it.
// `domain/json/scan.ts` cannot do that: there are no values yet. It scans them once the text is parsed.

/** A position in the text, in UTF-16 units; line and column start at 1. */
export interface JsonFault {
  readonly position: number;
  readonly line: number;
  readonly column: number;
  readonly expected: string;
}

/** The result of a scan: the first fault, the position where the text gets too deep, or the number of values. */
type JsonScan =
  | { readonly found: 'fault'; readonly fault: JsonFault }
  | { readonly found: 'depth'; readonly position: number }
  /** Member names count as values, too. */
  | { readonly found: 'values'; readonly values: number };

const VALUE = 0;
const VALUE_OR_END = 1;
const NAME_OR_END = 2;
const NAME = 3;
const COLON = 4;
const COMMA_IN_ARRAY = 5;
const COMMA_IN_OBJECT = 6;
const END = 7;
/** What each state expects, in words. */
const EXPECTED = ['value', 'value or ]', 'name or }', 'name', ':', ', or ]', ', or }', 'end'] as const;

const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;

const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const WORDS = ['true', 'false', 'null'];

const isSpace = (code: number) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
const isDigit = (code: number) => code >= ZERO && code <= 0x39;

/** The position after the string that starts at `at`; `-1 - position` if it breaks there. */
function afterString(text: string, at: number): number {
  let position = at + 1;
  while (position < text.length) {
    const code = text.charCodeAt(position);
    if (code === QUOTE) return position + 1;
    if (code < 0x20) return -1 - position;
    if (code === 0x5c) {
      ESCAPE.lastIndex = position;
      if (!ESCAPE.test(text)) return -1 - position;
      position = ESCAPE.lastIndex;
    } else {
      position += 1;
    }
  }
  return -1 - position;
}

function afterDigits(text: string, at: number): number {
  let position = at;
  while (isDigit(text.charCodeAt(position))) position += 1;
  return position;
}

/** The position after the longest number that starts at `at`; `at` itself if there is none. */
function afterNumber(text: string, at: number): number {
  const start = text.charCodeAt(at) === MINUS ? at + 1 : at;
  let position = text.charCodeAt(start) === ZERO ? start + 1 : afterDigits(text, start);
  if (position === start) return at;
  if (text.charCodeAt(position) === POINT) {
    const fraction = afterDigits(text, position + 1);
    if (fraction === position + 1) return position;
    position = fraction;
  }
  if ((text.charCodeAt(position) | 0x20) !== 0x65) return position;
  const sign = text.charCodeAt(position + 1);
  const exponent = position + (sign === MINUS || sign === 0x2b ? 2 : 1);
  const end = afterDigits(text, exponent);
  return end === exponent ? position : end;
}

/** The position after a string, number or word; `-1 - position` if there is none. */
function afterScalar(text: string, at: number): number {
  if (text.charCodeAt(at) === QUOTE) return afterString(text, at);
  const number = afterNumber(text, at);
  if (number > at) return number;
  const word = WORDS.find((one) => text.startsWith(one, at));
  return word === undefined ? -1 - at : at + word.length;
}

function faultAt(text: string, position: number, expected: string): JsonScan {
  const before = text.slice(0, position);
  const lineStart = before.lastIndexOf('\n') + 1;
  let line = 1;
  for (let at = before.indexOf('\n'); at >= 0; at = before.indexOf('\n', at + 1)) line += 1;
  return { found: 'fault', fault: { position, line, column: position - lineStart + 1, expected } };
}

/**
 * Iterative, because the sender chooses the depth.
 *
 * @param depthMax - Maximum nesting of objects and arrays. The scan ends at the first deeper one.
 */
export function scanJson(text: string, depthMax = Infinity): JsonScan {
  const open: number[] = [];
  let state = VALUE;
  let values = 0;
  const next = (): number => {
    const container = open.at(-1);
    return container === undefined ? END : container === OPEN_ARRAY ? COMMA_IN_ARRAY : COMMA_IN_OBJECT;
  };
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (isSpace(code)) {
      at += 1;
      continue;
    }
    const takesValue = state === VALUE || state === VALUE_OR_END;
    if (takesValue && (code === OPEN_ARRAY || code === OPEN_OBJECT)) {
      if (open.push(code) > depthMax) return { found: 'depth', position: at };
      values += 1;
      state = code === OPEN_ARRAY ? VALUE_OR_END : NAME_OR_END;
    } else if (
      (code === CLOSE_ARRAY && (state === VALUE_OR_END || state === COMMA_IN_ARRAY)) ||
      (code === CLOSE_OBJECT && (state === NAME_OR_END || state === COMMA_IN_OBJECT))
    ) {
      open.pop();
      state = next();
    } else if (code === COMMA && (state === COMMA_IN_ARRAY || state === COMMA_IN_OBJECT)) {
      state = state === COMMA_IN_ARRAY ? VALUE : NAME;
    } else if (code === 0x3a && state === COLON) {
      state = VALUE;
    } else if (takesValue || (code === QUOTE && (state === NAME || state === NAME_OR_END))) {
      const end = afterScalar(text, at);
      if (end < 0) {
        const expected = code === QUOTE ? 'the rest of the string' : (EXPECTED[state] ?? 'value');
        return faultAt(text, -1 - end, expected);
      }
      values += 1;
      state = takesValue ? next() : COLON;
      at = end;
      continue;
    } else {
      return faultAt(text, at, EXPECTED[state] ?? 'value');
    }
    at += 1;
  }
  return state === END ? { found: 'values', values } : faultAt(text, text.length, EXPECTED[state] ?? 'value');
}
