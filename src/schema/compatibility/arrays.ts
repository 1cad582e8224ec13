// Compares the rules of arrays and their items.
import { beneath, type Comparison, type Difference, type Rule } from './rule.js';
import { knownAs } from './shape.js';
import { itemSchema, prefixLength, restSchema } from './evaluate.js';
import { numberOf } from './side.js';

/** The array rules of the wider schema that the narrower one does not imply. */
export function compareArrays(comparison: Comparison, rule: Rule): readonly Difference[] {
  const { schema, shape } = rule;
  if (!shape.types.includes('array')) return [];
  const found: Difference[] = [];
  const least = numberOf(schema['minItems'], 0);
  if (shape.atLeast('minItems', 0) < least) {
    const message = `arrays of fewer than ${String(least)} items are not accepted any more`;
    found.push(comparison.difference(rule, ['minItems'], message, shape.plain));
  }
  const most = numberOf(schema['maxItems'], Infinity);
  if (shape.itemsMax > most) {
    const message = `arrays of more than ${String(most)} items are not accepted any more`;
    found.push(comparison.difference(rule, ['maxItems'], message, shape.plain));
  }
  const unique = shape.said('uniqueItems').includes(true) || shape.itemsMax <= 1;
  if (schema['uniqueItems'] === true && !unique) {
    const message = 'arrays with equal items are not accepted any more';
    found.push(comparison.difference(rule, ['uniqueItems'], message, shape.plain));
  }
  return [
    ...found,
    ...items(comparison, rule),
    ...contains(comparison, rule),
    ...unevaluated(comparison, rule),
  ];
}

function items(comparison: Comparison, rule: Rule): readonly Difference[] {
  const { wide, shape } = rule;
  const end = Math.max(prefixLength(comparison.wide, wide), shape.prefixMax);
  const found: Difference[] = [];
  for (let at = 0; at <= end && at < shape.itemsMax; at += 1) {
    const of = at === end ? restSchema(comparison.wide, wide) : itemSchema(comparison.wide, wide, at);
    if (of === null || !comparison.spend()) continue;
    found.push(
      ...beneath(shape, comparison.compare(knownAs(...(at === end ? shape.rest : shape.item(at))), of)),
    );
  }
  return found;
}

function contains(comparison: Comparison, rule: Rule): readonly Difference[] {
  const { wide, schema, shape } = rule;
  const of = comparison.wide.child(wide, 'contains');
  const least = numberOf(schema['minContains'], 1);
  const limited = schema['maxContains'] !== undefined;
  if (of === null || (least === 0 && !limited)) return [];
  if (comparison.saysSame(rule, ['contains', 'minContains', 'maxContains'])) return [];
  const follows = shape.parts.some(({ index, schema: one }) => {
    const own = comparison.narrow.child(index, 'contains');
    return (
      own !== null &&
      numberOf(one['minContains'], 1) >= least &&
      comparison.compare(knownAs(own), of).length === 0
    );
  });
  if (follows && !limited) return [];
  const certain = !limited && shape.plain && shape.atLeast('minItems', 0) === 0;
  const message = 'arrays are not accepted any more unless they contain certain items';
  return [comparison.difference(rule, ['contains'], message, certain)];
}

function unevaluated(comparison: Comparison, rule: Rule): readonly Difference[] {
  const { schema } = rule;
  if (schema['unevaluatedItems'] === undefined || schema['unevaluatedItems'] === true) return [];
  const message = 'which items are left over cannot be compared';
  return [comparison.difference(rule, ['unevaluatedItems'], message, false)];
}
