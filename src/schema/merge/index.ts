// What the rest of the room gives on of merging.
export { keysOf } from './keys.js';
export { mergeDocuments } from './merge.js';
export type { KeyOf, MergeConflict, Merged } from './types.js';
