// A copy-on-write document: a container is copied when a change first passes through it. Everything else is
// shared with the original, which is never modified. Knows locations and values, not patches.
import {
  isJsonArray,
  isJsonObject,
  ownMember,
  type JsonObject,
  type JsonValue,
} from '../domain/json/json.js';
import { childOf, formatPointer, parseArrayIndex } from '../domain/json/pointer.js';

/** Objects with more members are copied one by one. */
const SPREAD_MEMBERS_MAX = 100;

type Container = JsonValue[] | Record<string, JsonValue>;

/** Why a location cannot be changed or read, as text. */
export interface Problem {
  readonly problem: string;
}

type Change = Problem | { readonly replaced: JsonValue | undefined };

/** @param segment - A member's name, or the index of an item that exists. */
function setChild(container: Container, segment: string, value: JsonValue): void {
  if (Array.isArray(container)) container[Number(segment)] = value;
  else container[segment] = value;
}

function missing(segments: readonly string[]): Problem {
  return { problem: `there is nothing at ${JSON.stringify(formatPointer(segments))}` };
}

function noContainer(segments: readonly string[]): Problem {
  const pointer = JSON.stringify(formatPointer(segments));
  return { problem: `the value at ${pointer} is neither an object nor an array` };
}

function badIndex(segment: string, length: number): Problem {
  const what = JSON.stringify(segment);
  return { problem: `${what} is not an index of this array, which has ${length} items` };
}

/**
 * A copy-on-write view of one document. Each container on the path of a change is copied at most once.
 *
 * Invariant: the parent of an owned (copied) container is owned. So nothing below a container that is not
 * owned can be modified in place. To share a copied value, `share` gives up ownership from its top down.
 */
export class PathCopy {
  #root: JsonValue;
  readonly #owned = new Set<JsonValue>();

  constructor(root: JsonValue) {
    this.#root = root;
  }

  get root(): JsonValue {
    return this.#root;
  }

  /** The value at a location, or why there is none. */
  read(segments: readonly string[]): { readonly value: JsonValue } | Problem {
    let value: JsonValue = this.#root;
    for (const [at, segment] of segments.entries()) {
      const child: JsonValue | undefined = childOf(value, segment);
      if (child === undefined) return whyMissing(value, segments, at);
      value = child;
    }
    return { value };
  }

  /** Writes a value like `add`: a new or replaced member, or an item inserted before the one at that index. */
  add(segments: readonly string[], value: JsonValue): Change {
    return this.#change(segments, value, (parent, segment) => {
      if (!Array.isArray(parent)) {
        const replaced = ownMember(parent, segment);
        parent[segment] = value;
        return { replaced };
      }
      const index = segment === '-' ? parent.length : parseArrayIndex(segment);
      if (index === null || index > parent.length) return badIndex(segment, parent.length);
      parent.splice(index, 0, value);
      return { replaced: undefined };
    });
  }

  /** Replaces the value at a location, which must exist. */
  replace(segments: readonly string[], value: JsonValue): Change {
    return this.#change(segments, value, (parent, segment) => {
      const replaced = childOf(parent, segment);
      if (replaced === undefined) return whyMissing(parent, segments, segments.length - 1);
      setChild(parent, segment, value);
      return { replaced };
    });
  }

  /** Removes the value at a location. Removing the whole document leaves `null`. */
  remove(segments: readonly string[]): Change {
    return this.#change(segments, null, (parent, segment) => {
      const replaced = childOf(parent, segment);
      if (replaced === undefined) return whyMissing(parent, segments, segments.length - 1);
      if (Array.isArray(parent)) parent.splice(Number(segment), 1);
      else Reflect.deleteProperty(parent, segment);
      return { replaced };
    });
  }

  /** Makes a value safe to use at two locations: a later change at either one copies it first. */
  share(value: JsonValue): void {
    const stack: JsonValue[] = [value];
    for (let part = stack.pop(); part !== undefined; part = stack.pop()) {
      if (this.#owned.delete(part)) stack.push(...this.#ownedChildren(part));
    }
  }

  #ownedChildren(value: JsonValue): JsonValue[] {
    if (typeof value !== 'object' || value === null) return [];
    return Object.values(value).filter((child) => this.#owned.has(child));
  }

  #change(
    segments: readonly string[],
    root: JsonValue,
    change: (parent: Container, segment: string) => Change,
  ): Change {
    const last = segments.at(-1);
    if (last === undefined) {
      const replaced = this.#root;
      this.#root = root;
      return { replaced };
    }
    const parent = this.#ownParent(segments);
    return 'problem' in parent ? parent : change(parent.container, last);
  }

  /** Copies every container that is not owned on the path to a location's parent. */
  #ownParent(segments: readonly string[]): { readonly container: Container } | Problem {
    let value = this.#root;
    let container = this.#own(value);
    if (container === null) return noContainer([]);
    this.#root = container;
    for (let at = 0; at < segments.length - 1; at += 1) {
      const segment = segments[at] ?? '';
      const child = childOf(value, segment);
      if (child === undefined) return whyMissing(value, segments, at);
      const owned = this.#own(child);
      if (owned === null) return noContainer(segments.slice(0, at + 1));
      setChild(container, segment, owned);
      value = owned;
      container = owned;
    }
    return { container };
  }

  #own(value: JsonValue): Container | null {
    if (typeof value !== 'object' || value === null) return null;
    // Owned values are copies that this class created.
    if (this.#owned.has(value)) return value as Container;
    const copy: Container = isJsonArray(value) ? [...value] : copied(value);
    this.#owned.add(copy);
    return copy;
  }
}

/**
 * A copy of an object. Spreading objects of more than about a hundred members takes V8 twice the time of a loop over
 * their names (0.35 us a member against 0.17); smaller ones are faster to spread.
 */
function copied(value: JsonObject): Record<string, JsonValue> {
  const names = Object.keys(value);
  // Assigning to this name would set the prototype.
  if (names.length <= SPREAD_MEMBERS_MAX || Object.hasOwn(value, '__proto__')) return { ...value };
  const copy: Record<string, JsonValue> = {};
  for (const name of names) copy[name] = value[name] ?? null;
  return copy;
}

/** Why `value`, which is at the first `at` segments, has no child for the next segment. */
function whyMissing(value: JsonValue, segments: readonly string[], at: number): Problem {
  if (isJsonArray(value)) return badIndex(segments[at] ?? '', value.length);
  return isJsonObject(value) ? missing(segments.slice(0, at + 1)) : noContainer(segments.slice(0, at));
}
