// Compares types, numbers and strings. A difference here is certain if a value is found that proves it.
import { isJsonArray, type JsonValue } from '../../domain/json/json.js';
import { excerpt } from '../../domain/json/quoted.js';
import type { Comparison, Difference, Rule } from './rule.js';
import { holds } from './evaluate.js';
import { numberOf, typesOf, type Type } from './side.js';

/** Formats that restrict numbers, not strings. */
const OF_NUMBERS = new Set(['int32', 'int64', 'float', 'double']);
const LENGTH_MAX = 300;

/** The rules of `type`, `enum`, `const`, numbers and strings that the narrower schema does not imply. */
export function compareScalars(comparison: Comparison, rule: Rule): readonly Difference[] {
  return [...typeRules(comparison, rule), ...numberRules(comparison, rule), ...textRules(comparison, rule)];
}

function typeRules(comparison: Comparison, rule: Rule): readonly Difference[] {
  const { schema, shape } = rule;
  const refused = shape.types.filter((type) => !typesOf(schema).includes(type));
  if (refused.length > 0) {
    const certain = refused.some((type) => isContainer(type)) ? shape.plain : comparison.shown(rule);
    const message = `the type is ${wordsOf(typesOf(schema))} now; ${wordsOf(refused)} is not accepted any more`;
    return [comparison.difference(rule, ['type'], message, certain)];
  }
  const keyword = schema['enum'] === undefined ? 'const' : 'enum';
  if (schema[keyword] === undefined) return [];
  const open = shape.types.some(isContainer) ? shape.plain && isOpen(rule) : comparison.shown(rule);
  return [comparison.difference(rule, [keyword], 'only certain values are accepted now', open)];
}

/** True if the location allows no objects, and arrays of unlimited length. Else there may be only few values. */
function isOpen({ shape }: Rule): boolean {
  return (
    shape.itemsMax === Infinity &&
    shape.atMost('maxProperties') === Infinity &&
    !shape.types.includes('object')
  );
}

function numberRules(comparison: Comparison, rule: Rule): readonly Difference[] {
  const { schema, shape } = rule;
  if (!shape.types.includes('integer') && !shape.types.includes('fraction')) return [];
  const failed: string[] = [];
  const bounds = numericBounds(rule);
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  if (typeof minimum === 'number' && bounds.low < minimum) failed.push('minimum');
  if (typeof maximum === 'number' && bounds.high > maximum) failed.push('maximum');
  if (typeof exclusiveMinimum === 'number' && !isAbove(bounds, exclusiveMinimum))
    failed.push('exclusiveMinimum');
  if (typeof exclusiveMaximum === 'number' && !isBelow(bounds, exclusiveMaximum))
    failed.push('exclusiveMaximum');
  if (typeof multipleOf === 'number' && !isMultiple(rule, multipleOf)) failed.push('multipleOf');
  const [format] = shape.said('format').includes(schema['format'] ?? '') ? [] : [schema['format']];
  if (typeof format === 'string' && OF_NUMBERS.has(format)) failed.push('format');
  return failed.map((keyword) => tellScalar(comparison, rule, keyword));
}

interface Bounds {
  readonly low: number;
  readonly high: number;
  /** True if the bound itself is excluded. */
  readonly lowOpen: boolean;
  readonly highOpen: boolean;
}

function numericBounds({ shape }: Rule): Bounds {
  const low = shape.atLeast('minimum', -Infinity);
  const high = shape.atMost('maximum');
  const above = shape.atLeast('exclusiveMinimum', -Infinity);
  const below = shape.atMost('exclusiveMaximum');
  if (!shape.types.includes('fraction')) {
    return {
      low: Math.max(Math.ceil(low), Math.floor(above) + 1),
      high: Math.min(Math.floor(high), Math.ceil(below) - 1),
      lowOpen: false,
      highOpen: false,
    };
  }
  return {
    low: Math.max(low, above),
    high: Math.min(high, below),
    lowOpen: above >= low && above > -Infinity,
    highOpen: below <= high && below < Infinity,
  };
}

function isAbove({ low, lowOpen }: Bounds, bound: number): boolean {
  return low > bound || (low === bound && lowOpen);
}

function isBelow({ high, highOpen }: Bounds, bound: number): boolean {
  return high < bound || (high === bound && highOpen);
}

/** Floating-point division is inexact: apart from equal divisors, only integer divisors are compared. */
function isMultiple({ shape }: Rule, divisor: number): boolean {
  if (divisor === 1 && !shape.types.includes('fraction')) return true;
  return shape
    .said('multipleOf')
    .some(
      (one) =>
        one === divisor ||
        (typeof one === 'number' &&
          Number.isInteger(one) &&
          Number.isInteger(divisor) &&
          one % divisor === 0),
    );
}

function textRules(comparison: Comparison, rule: Rule): readonly Difference[] {
  const { schema, shape } = rule;
  if (!shape.types.includes('string')) return [];
  const failed: string[] = [];
  if (shape.atLeast('minLength', 0) < numberOf(schema['minLength'], 0)) failed.push('minLength');
  if (shape.atMost('maxLength') > numberOf(schema['maxLength'], Infinity)) failed.push('maxLength');
  const { pattern, format } = schema;
  if (typeof pattern === 'string' && !shape.said('pattern').includes(pattern)) failed.push('pattern');
  const isOfText = typeof format === 'string' && !OF_NUMBERS.has(format);
  if (isOfText && !shape.said('format').includes(format)) failed.push('format');
  return failed.map((keyword) => tellScalar(comparison, rule, keyword));
}

function tellScalar(comparison: Comparison, rule: Rule, keyword: string): Difference {
  const value = keyword === 'format' ? formatWitness(rule) : witness(comparison, rule, keyword);
  const example = value === undefined ? '' : `, such as ${excerpt(value)}`;
  const message = `values${example} are not accepted any more: ${keyword} is ${excerpt(rule.schema[keyword] ?? null)}`;
  return comparison.difference(rule, [keyword], message, value !== undefined);
}

/** A text that hardly any format accepts, and that no other rule refuses. */
function formatWitness(rule: Rule): JsonValue | undefined {
  const { format } = rule.schema;
  const strict = 'date date-time time email uri uuid ipv4 ipv6 hostname duration iso-time iso-date-time';
  if (typeof format !== 'string' || !strict.split(' ').includes(format)) return undefined;
  return ['\u0001 ', ' '].find((text) => rule.shape.accepts(text) === true);
}

/**
 * A value that the narrower schema accepts and the wider one refuses. With `keyword`, only if the wider
 * subschema has that keyword; another keyword may be why it was refused.
 */
export function witness(comparison: Comparison, rule: Rule, keyword?: string): JsonValue | undefined {
  const { shape, schema, wide } = rule;
  return candidates(rule).find((value) => {
    if (!comparison.spend() || shape.accepts(value) !== true) return false;
    const refuses = holds(comparison.wide, wide, value) === false;
    return refuses && (keyword === undefined || schema[keyword] !== undefined);
  });
}

/** Values at the bounds of both schemas. */
function candidates({ shape, schema }: Rule): readonly JsonValue[] {
  const schemas = [...shape.parts.map((part) => part.schema), schema];
  const numbers = schemas.flatMap((one) =>
    ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'].flatMap((keyword) => {
      const bound = one[keyword];
      return typeof bound === 'number'
        ? [bound - 1, bound - 0.5, bound, bound + 0.5, bound + 1, bound * 2]
        : [];
    }),
  );
  const lengths = schemas.flatMap((one) =>
    ['minLength', 'maxLength'].flatMap((keyword) => {
      const length = one[keyword];
      return typeof length === 'number' ? [length - 1, length, length + 1] : [];
    }),
  );
  const texts = lengths.filter((length) => length >= 0 && length <= LENGTH_MAX).map((n) => 'a'.repeat(n));
  const listed = schemas.flatMap((one) => (isJsonArray(one['enum']) ? one['enum'].slice(0, 20) : []));
  const strings = ['', 'a', 'b', 'A', '0', '1', ' ', '-', '_', 'ab', 'a1', 'a-b', '😀', '\u0001'];
  return [null, false, true, 0, 1, -1, 0.5, 1e9, -1e9, ...numbers, ...strings, ...texts, ...listed];
}

function isContainer(type: Type): boolean {
  return type === 'array' || type === 'object';
}

/** Types as a schema names them. */
function wordsOf(types: readonly Type[]): string {
  const isNumber = types.includes('integer') && types.includes('fraction');
  const words = types.map((type) => (isNumber && type === 'integer' ? 'number' : type));
  return words.filter((type) => !isNumber || type !== 'fraction').join(' or ');
}
