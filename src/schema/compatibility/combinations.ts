// Compares `anyOf`, `oneOf`, `not`, conditions, and references with more than one possible target.
import type { Comparison, Difference, Rule } from './rule.js';
import { holds } from './evaluate.js';
import { knownAs, Shape, type Known } from './shape.js';
import type { Type } from './side.js';

/** The combinations of the wider schema that the narrower one does not imply. */
export function compareCombinations(comparison: Comparison, rule: Rule): readonly Difference[] {
  return [
    ...anyOf(comparison, rule),
    ...oneOf(comparison, rule),
    ...not(comparison, rule),
    ...condition(comparison, rule),
    ...reference(comparison, rule),
  ];
}

function anyOf(comparison: Comparison, rule: Rule): readonly Difference[] {
  const { wide, shape } = rule;
  const branches = comparison.wide.under(wide, 'anyOf').map(({ to }) => to);
  if (branches.length === 0 || comparison.saysSame(rule, ['anyOf'])) return [];
  const fits = (known: Known) => branches.some((branch) => comparison.compare(known, branch).length === 0);
  if (fits(shape.known) || eachType(shape, fits)) return [];
  const certain = comparison.shown(rule);
  return [comparison.difference(rule, ['anyOf'], 'what is accepted fits none of the alternatives', certain)];
}

/** Checks one type at a time: which alternative matches often depends on the type. */
function eachType(shape: Shape, fits: (known: Known) => boolean): boolean {
  if (shape.types.length < 2) return false;
  // `integer` and `fraction` are separate types here: together they cover all numbers.
  return shape.types.every((type: Type) => fits({ ...shape.known, type }));
}

function oneOf(comparison: Comparison, rule: Rule): readonly Difference[] {
  const { wide, shape } = rule;
  const branches = comparison.wide.under(wide, 'oneOf').map(({ to }) => to);
  if (branches.length === 0 || comparison.saysSame(rule, ['oneOf'])) return [];
  const fits = (known: Known) =>
    branches.some(
      (branch) =>
        comparison.compare(known, branch).length === 0 &&
        branches.every((other) => other === branch || isApart(comparison, known, other)),
    );
  if (fits(shape.known) || eachType(shape, fits)) return [];
  const certain = comparison.shown(rule);
  return [
    comparison.difference(rule, ['oneOf'], 'what is accepted may not fit exactly one alternative', certain),
  ];
}

function not(comparison: Comparison, rule: Rule): readonly Difference[] {
  const { wide, shape } = rule;
  const refused = comparison.wide.child(wide, 'not');
  if (refused === null || comparison.saysSame(rule, ['not'])) return [];
  if (isApart(comparison, shape.known, refused)) return [];
  const certain = comparison.shown(rule);
  return [comparison.difference(rule, ['not'], 'some of what is accepted may be ruled out', certain)];
}

function condition(comparison: Comparison, rule: Rule): readonly Difference[] {
  const { wide, shape } = rule;
  if (comparison.wide.child(wide, 'if') === null) return [];
  if (comparison.saysSame(rule, ['if', 'then', 'else'])) return [];
  const ends = ['then', 'else'].flatMap((keyword) => comparison.wide.child(wide, keyword) ?? []);
  if (ends.every((end) => comparison.compare(shape.known, end).length === 0)) return [];
  const certain = comparison.shown(rule);
  return [comparison.difference(rule, ['if'], 'a condition may not hold of what is accepted', certain)];
}

function reference(comparison: Comparison, rule: Rule): readonly Difference[] {
  if (!comparison.wide.isAmbiguous(rule.wide)) return [];
  const keyword = rule.schema['$dynamicRef'] === undefined ? '$recursiveRef' : '$dynamicRef';
  return [
    comparison.difference(rule, [keyword], 'what this reference means depends on the way to it', false),
  ];
}

const DEPTH_MAX = 4;

/** True if no value satisfies both sides; false if this cannot be proven. */
function isApart(comparison: Comparison, known: Known, wide: number, depth = 0): boolean {
  if (depth > DEPTH_MAX || !comparison.spend()) return false;
  const mine = new Shape(comparison.narrow, known);
  const theirs = new Shape(comparison.wide, knownAs(wide));
  if (mine.impossible || theirs.impossible) return true;
  const types = mine.types.filter((type) => theirs.types.includes(type));
  if (types.length === 0) return true;
  if (mine.values?.every((value) => holds(comparison.wide, wide, value) === false) === true) return true;
  if (theirs.values?.every((value) => mine.accepts(value) === false) === true) return true;
  if (types.some((type) => type !== 'object')) return false;
  const present = new Set([...mine.required, ...theirs.required]);
  return [...present].some((name) => {
    const [own, others] = [mine.member(name), theirs.member(name)];
    return others.some((other) => isApart(comparison, knownAs(...own), other, depth + 1));
  });
}
