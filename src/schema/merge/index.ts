// What the rest of the room gives on of merging.
export { mergeDocuments } from './merge.js';
export type { KeyOf, MergeConflict, Merged } from './types.js';
