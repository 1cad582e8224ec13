// The shape of a JSON Patch (RFC 6902) as events store it. The layer `document` applies and computes patches.
import type { JsonValue } from './json.js';

export type PatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: JsonValue }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly path: string; readonly from: string };

/** Operations that lead from one version to the next. Never holds a `test`. */
export type Patch = readonly PatchOperation[];
