// JSON documents: applying patches and operators, merging, comparing, measuring. Knows no schema and no store.
export { canonicalJson, canonicalPatch, contentHash } from './canonical.js';
export { applyForm } from './apply-form.js';
export { diffDocuments, findChange } from './diff.js';
export { checkDocument, notAnObject } from './document.js';
export { applyJsonPatch, applyPatch, type Patched } from './json-patch.js';
export { applyMergePatch } from './merge-patch.js';
export { mergeDocuments, mergeOnto, type Conflicts, type KeyOf } from './merge/index.js';
export { applyOperators } from './operators/apply.js';
export { ValueCounter } from './value-count.js';
