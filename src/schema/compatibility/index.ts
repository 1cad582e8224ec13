// Compatibility of schemas: whether one accepts all that another one accepts. Pure, bounded, and careful: what is called
// compatible is; what cannot be told is called unknown.
import type { JsonObject } from '../../domain/json/json.js';
import type { Limits } from '../../domain/limits.js';
import type { Containment, SchemaDifference } from '../../ports/schema-engine.js';
import { effectiveSchema } from '../lowering/effective.js';
import { SchemaComparison } from './comparison.js';
import type { Difference } from './rule.js';
import { knownAs } from './comparison-known.js';
import { Budget, Side } from './side.js';

type ComparisonLimits = Pick<Limits, 'compatibilityStepsMax' | 'compatibilityItemsMax'>;

/**
 * Whether every document that is valid under `narrower` is valid under `wider`. Both have to be admitted. Rules of
 * change do not count: they say nothing of a document alone.
 *
 * Guarantees: `compatible` is only said where it is so. `incompatible` is said where a difference was found for which
 * there is a document, as far as the keywords at its place tell; else `unknown`.
 */
export function contains(wider: JsonObject, narrower: JsonObject, limits: ComparisonLimits): Containment {
  const budget = new Budget(limits.compatibilityStepsMax);
  const comparison = new SchemaComparison(
    new Side(effectiveSchema(wider), budget),
    new Side(effectiveSchema(narrower), budget),
    budget,
  );
  const found = comparison.place(knownAs(0), 0);
  if (found.length === 0) return { verdict: 'compatible', differences: [] };
  const certain = found.some((one) => one.certain);
  return {
    verdict: certain ? 'incompatible' : 'unknown',
    differences: distinct(found).slice(0, limits.compatibilityItemsMax),
  };
}

/** For schemas of which nothing can be said within the bounds. */
export function tooMuchToCompare(): Containment {
  const message = 'the schemas take too long to compare';
  return { verdict: 'unknown', differences: [{ pointer: '', rule: 'limit', message }] };
}

/** Each rule once, the certain ones first. */
function distinct(found: readonly Difference[]): readonly SchemaDifference[] {
  const ordered = [...found].sort((a, b) => Number(b.certain) - Number(a.certain));
  const byPlace = new Map<string, SchemaDifference>();
  for (const { pointer, rule, message } of ordered) {
    const key = `${pointer} ${rule}`;
    if (!byPlace.has(key)) byPlace.set(key, { pointer, rule, message });
  }
  return [...byPlace.values()];
}
