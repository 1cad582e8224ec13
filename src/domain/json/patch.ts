// The shape of a JSON Patch (RFC 6902) as events keep it. Applying and computing patches is the business of `schema/`.
import type { JsonValue } from './json.js';

export type PatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: JsonValue }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly path: string; readonly from: string };

/** Operations that lead from one version to the next; never holds a `test`. */
export type Patch = readonly PatchOperation[];
