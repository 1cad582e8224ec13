// The public exports of merging.
export { mergeOnto, type Conflicts } from './onto.js';
export { mergeDocuments } from './merge.js';
export type { KeyOf } from './types.js';
