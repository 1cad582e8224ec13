// Walks over an untrusted value and checks its depth, its member names and its numbers. Runs before anything else that
// walks the value.
import { isForbiddenName, isJsonArray, type JsonValue } from './json.js';
import { formatPointer } from './pointer.js';

/** The result: the number of values, or the first value out of bounds and its location. */
type Scan =
  | { readonly found: 'nothing'; readonly nodes: number }
  | { readonly found: 'name'; readonly pointer: string; readonly name: string }
  | { readonly found: 'depth'; readonly pointer: string; readonly depth: number };

/** JSON.parse turns a number beyond the range of doubles into an infinity, which JSON cannot express. */
interface PastRange {
  readonly found: 'number';
  readonly pointer: string;
}

interface Fault {
  readonly found: 'name' | 'depth' | 'number';
  /** Built on the way back from the fault, so that a value without one costs nothing. */
  readonly path: string[];
}

/**
 * The number of values, or the first fault. `for … in` visits the own members of JSON.parse's objects and allocates
 * nothing. The recursion ends at the allowed depth.
 *
 * @param levels - How many more objects and arrays may be nested.
 */
function walk(value: JsonValue | undefined, levels: number, numbers: boolean): number | Fault {
  if (typeof value !== 'object' || value === null) {
    return numbers && (value === Infinity || value === -Infinity) ? { found: 'number', path: [] } : 1;
  }
  if (levels === 0) return { found: 'depth', path: [] };
  let nodes = 1;
  if (isJsonArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const within = walk(value[index], levels - 1, numbers);
      if (typeof within !== 'number') return inside(String(index), within);
      nodes += within;
    }
    return nodes;
  }
  for (const name in value) {
    if (isForbiddenName(name)) return { found: 'name', path: [name] };
    const within = walk(value[name], levels - 1, numbers);
    if (typeof within !== 'number') return inside(name, within);
    nodes += within;
  }
  return nodes;
}

function inside(name: string, fault: Fault): Fault {
  fault.path.unshift(name);
  return fault;
}

/**
 * Walks over all of a value whose numbers were checked before.
 *
 * @param depthMax - Most levels of objects and arrays; a flat object has depth 1.
 */
export function scan(value: JsonValue, depthMax: number): Scan {
  const result = scanParsed(value, depthMax, false);
  if (result.found === 'number') throw new Error('numbers are not checked here');
  return result;
}

/** Walks over a value from JSON.parse, including its numbers. */
export function scanParsed(value: JsonValue, depthMax: number, numbers = true): Scan | PastRange {
  const result = walk(value, depthMax, numbers);
  if (typeof result === 'number') return { found: 'nothing', nodes: result };
  const { found, path } = result;
  const pointer = formatPointer(path);
  if (found === 'name') return { found, pointer, name: path.at(-1) ?? '' };
  return found === 'depth' ? { found, pointer, depth: depthMax + 1 } : { found, pointer };
}

/**
 * True if a value has more levels of objects and arrays than `levelsMax`. The stack has to hold that many
 * levels. Safe on a value of any depth, and on one that contains itself. Run it before any recursive walk of a
 * value from outside. Member names do not count: the value may be no JSON yet.
 */
export function isDeeperThan(value: unknown, levelsMax: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levelsMax <= 0) return true;
  return Object.values(value).some((item) => isDeeperThan(item, levelsMax - 1));
}
