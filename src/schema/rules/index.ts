// The rules of change: what a schema demands of a write with the old document at hand.
export { checkTransitions } from './check.js';
export { unfitRules } from './fitness.js';
export { itemKeyAt } from './item-key.js';
export { Places } from './places.js';
export { compileRules, type RulePlan } from './plan.js';
