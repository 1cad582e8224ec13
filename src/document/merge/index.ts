// The public exports of merging.
export { mergeOnto, type Conflicts, type MergedOnto } from './onto.js';
export { mergeDocuments } from './merge.js';
export type { KeyOf, MergeConflict, Merged } from './types.js';
