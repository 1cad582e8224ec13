// Finds where a text stops being JSON (RFC 8259). Used only after JSON.parse refused it, because the engine's own messages
// do not always say where.

/** A place in the text, in UTF-16 units; line and column start at 1. */
export interface JsonFault {
  readonly position: number;
  readonly line: number;
  readonly column: number;
  readonly expected: string;
}

type Expecting = 'value' | 'value or ]' | 'name or }' | 'name' | ':' | ', or ]' | ', or }' | 'end';

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const WORD = /true|false|null/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** The position after a match at `at`, or -1. */
function after(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

/** The position after the string that starts at `at`; as `-1 - position` where it breaks. */
function afterString(text: string, at: number): number {
  let position = at + 1;
  while (position < text.length) {
    const code = text.charCodeAt(position);
    if (code === 0x22) return position + 1;
    if (code < 0x20) return -1 - position;
    if (code === 0x5c) {
      const next = after(ESCAPE, text, position);
      if (next < 0) return -1 - position;
      position = next;
    } else {
      position += 1;
    }
  }
  return -1 - position;
}

/** The position after a string, number or word; as `-1 - position` where there is none. */
function afterScalar(text: string, at: number): number {
  if (text[at] === '"') return afterString(text, at);
  const number = after(NUMBER, text, at);
  if (number >= 0) return number;
  const word = after(WORD, text, at);
  return word >= 0 ? word : -1 - at;
}

function fault(text: string, position: number, expected: string): JsonFault {
  const before = text.slice(0, position);
  const lineStart = before.lastIndexOf('\n') + 1;
  let line = 1;
  for (let at = before.indexOf('\n'); at >= 0; at = before.indexOf('\n', at + 1)) line += 1;
  return { position, line, column: position - lineStart + 1, expected };
}

/** The first place at which `text` is not JSON, or `null` where it is. Iterative: depth is the sender's choice. */
export function findJsonFault(text: string): JsonFault | null {
  const open: ('[' | '{')[] = [];
  let expecting: Expecting = 'value';
  let at = 0;
  const ended = (): Expecting => {
    const container = open.at(-1);
    return container === undefined ? 'end' : container === '[' ? ', or ]' : ', or }';
  };
  for (;;) {
    while (/[ \t\n\r]/.test(text.charAt(at))) at += 1;
    if (at >= text.length) return expecting === 'end' ? null : fault(text, text.length, expecting);
    const sign = text.charAt(at);
    const takesValue: boolean = expecting === 'value' || expecting === 'value or ]';
    if (takesValue && (sign === '[' || sign === '{')) {
      open.push(sign);
      expecting = sign === '[' ? 'value or ]' : 'name or }';
    } else if (expecting.endsWith(`or ${sign}`) && (sign === ']' || sign === '}')) {
      open.pop();
      expecting = ended();
    } else if (sign === ',' && expecting.startsWith(', ')) {
      expecting = expecting === ', or ]' ? 'value' : 'name';
    } else if (sign === ':' && expecting === ':') {
      expecting = 'value';
    } else if (takesValue || (sign === '"' && expecting.startsWith('name'))) {
      const next = afterScalar(text, at);
      if (next < 0) return fault(text, -1 - next, sign === '"' ? 'the rest of the string' : expecting);
      expecting = takesValue ? ended() : ':';
      at = next;
      continue;
    } else {
      return fault(text, at, expecting);
    }
    at += 1;
  }
}
