// What must hold of any two schemas: `compatible` is never said where a document shows otherwise, and `incompatible`
// never where one schema is made of the other so that it cannot be.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/domain/json.js';
import { compileSchema } from '../../../src/schema/ajv.js';
import { contains } from '../../../src/schema/compatibility/index.js';

const LIMITS = { compatibilityStepsMax: 5000, compatibilityItemsMax: 50 };
const name = fc.constantFrom('a', 'b', 'ab');

const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', maxDepth: 3 },
    fc.constantFrom<JsonValue>(null, true, false, 0, 1, 2, 3, 4, 1.5, -1, '', 'a', 'ab', 'abc', 'b'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
}));

const small = fc.nat({ max: 4 });
/** A schema with some of the keywords of each kind. */
const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => {
  const sub = tie('schema');
  const names = fc.uniqueArray(name, { maxLength: 2 });
  const members = fc.dictionary(name, sub, { maxKeys: 2, noNullPrototype: true });
  const keywords: Record<string, fc.Arbitrary<JsonValue>> = {
    enum: fc.uniqueArray(value, {
      minLength: 1,
      maxLength: 3,
      comparator: (x, y) => JSON.stringify(x) === JSON.stringify(y),
    }),
    const: value,
    minimum: small,
    maximum: small,
    exclusiveMinimum: small,
    exclusiveMaximum: small,
    multipleOf: fc.constantFrom(1, 2, 3, 0.5),
    minLength: small,
    maxLength: small,
    pattern: fc.constantFrom('^a', 'b$', '^a$', 'b'),
    minItems: small,
    maxItems: small,
    uniqueItems: fc.boolean(),
    items: fc.oneof(sub, fc.constant<JsonValue>(false)),
    prefixItems: fc.array(sub, { minLength: 1, maxLength: 2 }),
    contains: sub,
    properties: members,
    required: names,
    additionalProperties: fc.oneof(sub, fc.constant<JsonValue>(false)),
    patternProperties: fc.dictionary(fc.constantFrom('^a', 'b$'), sub, {
      minKeys: 1,
      maxKeys: 1,
      noNullPrototype: true,
    }),
    propertyNames: fc.constantFrom<JsonValue>({ maxLength: 1 }, { pattern: '^a' }, { const: 'a' }),
    minProperties: small,
    maxProperties: small,
    dependentRequired: fc.dictionary(name, names, { maxKeys: 1, noNullPrototype: true }),
    dependentSchemas: members,
    unevaluatedProperties: fc.constant<JsonValue>(false),
    allOf: fc.array(sub, { minLength: 1, maxLength: 2 }),
    anyOf: fc.array(sub, { minLength: 1, maxLength: 3 }),
    oneOf: fc.array(sub, { minLength: 1, maxLength: 2 }),
    not: sub,
    $ref: fc.constantFrom<JsonValue>('#/$defs/d', '#/$defs/e'),
  };
  const type = fc.oneof(
    fc.constantFrom<JsonValue>('null', 'boolean', 'integer', 'number', 'string', 'array', 'object'),
    fc.uniqueArray(fc.constantFrom('null', 'integer', 'string', 'object', 'array'), {
      minLength: 1,
      maxLength: 3,
    }),
  );
  const some = fc
    .uniqueArray(fc.constantFrom(...Object.keys(keywords)), { maxLength: 3 })
    .chain((chosen) => fc.record(Object.fromEntries(chosen.map((keyword) => [keyword, keywords[keyword]!]))));
  const condition = fc.record({ if: sub, then: sub, else: sub });
  return {
    schema: fc.oneof(
      { depthSize: 'small', maxDepth: 3 },
      fc.record({ type }),
      fc.tuple(type, some).map(([one, more]) => ({ type: one, ...more })),
      some,
      condition,
    ),
  };
});

/** With two definitions, of which the second may use the first, and itself below a member. */
const whole = fc.tuple(schema, schema, schema).map(([top, d, e]): JsonObject => ({
  ...top,
  $defs: {
    d: withoutReferences(d),
    e: { properties: { a: { $ref: '#/$defs/e' } }, ...withoutReferences(e) },
  },
}));

function withoutReferences(schema: JsonValue): JsonObject {
  const walk = (part: JsonValue): JsonValue =>
    Array.isArray(part)
      ? part.map(walk)
      : isJsonObject(part)
        ? Object.fromEntries(
            Object.entries(part)
              .filter(([key]) => key !== '$ref')
              .map(([key, one]) => [key, walk(one)]),
          )
        : part;
  return walk(schema) as JsonObject;
}

/** Ajv’s validator; `null` where it refuses the schema. */
function validator(one: JsonObject) {
  try {
    return compileSchema(one).validate;
  } catch {
    return null;
  }
}

/** `null` where Ajv breaks off: it does so where `patternProperties` stand beside some `oneOf`. */
function accepts(validate: (document: unknown) => unknown, document: JsonValue): boolean | null {
  try {
    return validate(document) === true;
  } catch {
    return null;
  }
}

/** A schema like another one: some keywords taken away, some values changed. */
function mutated(one: JsonObject, seed: number): JsonObject {
  let at = seed;
  const next = () => (at = (at * 1_103_515_245 + 12_345) % 2_147_483_648) % 5;
  const walk = (part: JsonValue, key = ''): JsonValue => {
    if (Array.isArray(part)) return part.map((each) => walk(each));
    if (typeof part === 'number' && key !== 'const' && key !== 'multipleOf')
      return next() === 0 ? part + 1 : part;
    if (!isJsonObject(part)) return part;
    const kept = Object.entries(part).filter(
      ([keyword]) => keyword.startsWith('$') || 'de'.includes(keyword) || next() !== 0,
    );
    return Object.fromEntries(
      kept.map(([keyword, each]) => [
        keyword,
        keyword === 'enum' || keyword === 'const' ? each : walk(each, keyword),
      ]),
    );
  };
  return walk(one) as JsonObject;
}

const documents = fc.array(value, { minLength: 30, maxLength: 30 });
const tally = { compatible: 0, incompatible: 0, unknown: 0 };

function holdsUp(wider: JsonObject, narrower: JsonObject, tried: readonly JsonValue[]): void {
  const [wide, narrow] = [validator(wider), validator(narrower)];
  if (wide === null || narrow === null) return;
  const { verdict, differences } = contains(wider, narrower, LIMITS);
  tally[verdict] += 1;
  expect(differences.length > 0).toBe(verdict !== 'compatible');
  if (verdict !== 'compatible') return;
  for (const document of tried) {
    if (accepts(narrow, document) === true && accepts(wide, document) === false)
      throw new Error(`not contained: ${JSON.stringify(document)}`);
  }
}

describe('of any two schemas', () => {
  it('compatible is only said where every document agrees', () => {
    fc.assert(
      fc.property(whole, whole, documents, fc.nat(), (one, other, tried, seed) => {
        holdsUp(one, other, tried);
        holdsUp(one, mutated(one, seed), tried);
        holdsUp(mutated(one, seed), one, tried);
        holdsUp(mutated(one, seed), mutated(one, seed + 1), tried);
      }),
      { numRuns: 400 },
    );
    expect(tally.compatible).toBeGreaterThan(50);
    expect(tally.incompatible).toBeGreaterThan(50);
  });

  it('a schema takes itself', () => {
    fc.assert(
      fc.property(whole, (one) => {
        if (validator(one) !== null)
          expect(contains(one, structuredClone(one), LIMITS).verdict).toBe('compatible');
      }),
      { numRuns: 300 },
    );
  });

  it('what is narrowed by another schema, or is one of two, is never called incompatible', () => {
    fc.assert(
      fc.property(schema, schema, (left, right) => {
        const [one, other] = [withoutReferences(left), withoutReferences(right)];
        if (validator(one) === null || validator(other) === null) return;
        expect(contains(one, { allOf: [one, other] }, LIMITS).verdict).toBe('compatible');
        expect(contains({ anyOf: [other, one] }, one, LIMITS).verdict).not.toBe('incompatible');
        expect(contains({ allOf: [one, other] }, { allOf: [other, one] }, LIMITS).verdict).not.toBe(
          'incompatible',
        );
      }),
      { numRuns: 300 },
    );
  });
});
