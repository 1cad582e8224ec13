// The rules of change: what a schema requires of a write compared with the old document.
export { checkTransitions } from './check.js';
export { unfitRules } from './fitness.js';
export { itemKeyAt } from './item-key.js';
export { SchemaGraph } from './schema-graph.js';
export { compileRules, type RulePlan } from './plan.js';
