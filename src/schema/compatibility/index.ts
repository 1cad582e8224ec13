// Compatibility: whether one schema accepts everything that another one accepts. Pure, bounded and
// conservative: `compatible` is always proven, and what cannot be determined is `unknown`.
import type { JsonObject } from '../../domain/json/json.js';
import type { Limits } from '../../domain/limits.js';
import type { Containment, SchemaDifference } from '../../ports/schema-engine.js';
import { effectiveSchema } from '../lowering/effective.js';
import { SchemaComparison } from './comparison.js';
import type { Difference } from './rule.js';
import { knownAs } from './shape.js';
import { Budget, Side } from './side.js';

type ComparisonLimits = Pick<Limits, 'compatibilityStepsMax' | 'compatibilityItemsMax'>;

/**
 * Checks whether every document valid under `narrower` is valid under `wider`. Both must be admitted. Rules
 * of change are ignored, because they do not restrict a single document.
 *
 * Guarantees: `compatible` is always correct. `incompatible` means that a document shows a difference, as far
 * as the keywords at its location tell. All else is `unknown`.
 */
export function contains(wider: JsonObject, narrower: JsonObject, limits: ComparisonLimits): Containment {
  const budget = new Budget(limits.compatibilityStepsMax);
  const comparison = new SchemaComparison(
    new Side(effectiveSchema(wider), budget),
    new Side(effectiveSchema(narrower), budget),
    budget,
  );
  const found = comparison.compare(knownAs(0), 0);
  if (found.length === 0) return { verdict: 'compatible', differences: [] };
  const certain = found.some((one) => one.certain);
  return {
    verdict: certain ? 'incompatible' : 'unknown',
    differences: distinct(found).slice(0, limits.compatibilityItemsMax),
  };
}

/** The result for schemas that cannot be compared within the limits. */
export function tooMuchToCompare(): Containment {
  const message = 'the schemas take too long to compare';
  return { verdict: 'unknown', differences: [{ pointer: '', rule: 'limit', message }] };
}

/** Each rule once, certain ones first. */
function distinct(found: readonly Difference[]): readonly SchemaDifference[] {
  const ordered = [...found].sort((a, b) => Number(b.certain) - Number(a.certain));
  const byLocation = new Map<string, SchemaDifference>();
  for (const { pointer, rule, message } of ordered) {
    const key = `${pointer} ${rule}`;
    if (!byLocation.has(key)) byLocation.set(key, { pointer, rule, message });
  }
  return [...byLocation.values()];
}
