// Walks over an untrusted JSON value and checks its depth and member names. Not recursive beyond a safe
// depth, because an attacker chooses the depth.
import { isForbiddenName, isJsonArray, type JsonValue } from '../domain/json/json.js';
import { formatPointer } from '../domain/json/pointer.js';

/** The result: the number of values, or the first value out of bounds and its location. */
export type Scan =
  | { readonly found: 'nothing'; readonly nodes: number }
  | { readonly found: 'name'; readonly pointer: string; readonly name: string }
  | { readonly found: 'depth'; readonly pointer: string; readonly depth: number };

interface Frame {
  readonly value: JsonValue;
  readonly depth: number;
  readonly key: string | number;
  readonly parent: Frame | null;
}

function pointerOf(frame: Frame): string {
  const segments: (string | number)[] = [];
  for (let at = frame; at.parent !== null; at = at.parent) segments.push(at.key);
  return formatPointer(segments.reverse());
}

/** Greatest depth limit for the recursive check. Beyond it, the iterative walk is used. */
const RECURSION_MAX = 128;

/**
 * The number of values; -1 if one is out of bounds. Nearly every value passes, and this takes a quarter of
 * the time of the iterative walk.
 */
function countHarmless(value: JsonValue, levels: number): number {
  if (typeof value !== 'object' || value === null) return 1;
  if (levels === 0 || levels > RECURSION_MAX) return -1;
  let nodes = 1;
  if (isJsonArray(value)) {
    for (const item of value) {
      const within = countHarmless(item, levels - 1);
      if (within < 0) return -1;
      nodes += within;
    }
    return nodes;
  }
  for (const name in value) {
    const item = value[name];
    const within = isForbiddenName(name) || item === undefined ? -1 : countHarmless(item, levels - 1);
    if (within < 0) return -1;
    nodes += within;
  }
  return nodes;
}

/**
 * Walks over all of `value`.
 *
 * @param depthMax - Most levels of objects and arrays; a flat object has depth 1.
 */
export function scan(value: JsonValue, depthMax: number): Scan {
  const counted = countHarmless(value, depthMax);
  if (counted >= 0) return { found: 'nothing', nodes: counted };
  let nodes = 0;
  const stack: Frame[] = [{ value, depth: 1, key: '', parent: null }];
  for (let frame = stack.pop(); frame !== undefined; frame = stack.pop()) {
    nodes += 1;
    const { value: here, depth } = frame;
    if (typeof here !== 'object' || here === null) continue;
    if (depth > depthMax) return { found: 'depth', pointer: pointerOf(frame), depth };
    if (isJsonArray(here)) {
      for (let index = 0; index < here.length; index += 1) {
        const item = here[index];
        if (typeof item !== 'object' || item === null) nodes += 1;
        else stack.push({ value: item, depth: depth + 1, key: index, parent: frame });
      }
      continue;
    }
    for (const name of Object.keys(here)) {
      const item = here[name];
      if (isForbiddenName(name)) {
        const pointer = formatPointer([name]);
        return { found: 'name', pointer: pointerOf(frame) + pointer, name };
      }
      if (typeof item !== 'object' || item === null) nodes += 1;
      else stack.push({ value: item, depth: depth + 1, key: name, parent: frame });
    }
  }
  return { found: 'nothing', nodes };
}
