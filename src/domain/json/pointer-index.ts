// Values by location. Finds those at the locations that a patch may change, without looking at the others.
import { locationsOf, mayShiftItems } from './patch-locations.js';
import type { Patch } from './patch.js';
import { parseArrayIndex } from './pointer.js';

interface Node<T> {
  readonly values: Set<T>;
  readonly children: Map<string, Node<T>>;
}

const newNode = <T>(): Node<T> => ({ values: new Set(), children: new Map() });

/** The segments of a pointer as they are written. The first is empty. */
const segmentsOf = (pointer: string) => pointer.split('/');

export class PointerIndex<T> {
  readonly #root = newNode<T>();

  add(pointer: string, value: T): void {
    let node = this.#root;
    for (const segment of segmentsOf(pointer)) {
      const next = node.children.get(segment) ?? newNode<T>();
      node.children.set(segment, next);
      node = next;
    }
    node.values.add(value);
  }

  delete(pointer: string, value: T): void {
    const path: { readonly above: Node<T>; readonly segment: string }[] = [];
    let node = this.#root;
    for (const segment of segmentsOf(pointer)) {
      const next = node.children.get(segment);
      if (next === undefined) return;
      path.push({ above: node, segment });
      node = next;
    }
    node.values.delete(value);
    for (const { above, segment } of path.reverse()) {
      if (node.values.size > 0 || node.children.size > 0) return;
      above.children.delete(segment);
      node = above;
    }
  }

  /** The values at the locations that a patch may change: those of which `mayChange` is true. */
  reachedBy(patch: Patch): ReadonlySet<T> {
    const reached = new Set<T>();
    for (const operation of patch) {
      for (const location of locationsOf(operation))
        this.#collect(location, mayShiftItems(operation), reached);
    }
    return reached;
  }

  /** Collects what is at the location, above it and below it; and below the later items of its array. */
  #collect(location: string, shifts: boolean, reached: Set<T>): void {
    const segments = segmentsOf(location);
    const last = segments.length - 1;
    let node = this.#root;
    for (const [at, segment] of segments.entries()) {
      if (shifts && at === last && at > 0) collectItemsFrom(node, segment, reached);
      const next = node.children.get(segment);
      if (next === undefined) return;
      node = next;
      for (const value of node.values) reached.add(value);
    }
    collectAll(node, reached);
  }
}

function collectAll<T>(from: Node<T>, reached: Set<T>): void {
  const nodes = [from];
  // The list grows meanwhile.
  for (const { values, children } of nodes) {
    for (const value of values) reached.add(value);
    for (const child of children.values()) nodes.push(child);
  }
}

function collectItemsFrom<T>({ children }: Node<T>, location: string, reached: Set<T>): void {
  const from = location === '-' ? 0 : parseArrayIndex(location);
  if (from === null) return;
  for (const [segment, child] of children) {
    const index = parseArrayIndex(segment);
    if (index !== null && index >= from) collectAll(child, reached);
  }
}
