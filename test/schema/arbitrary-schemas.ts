// Any values and any schemas, for properties that have to hold of all of them.
import fc from 'fast-check';
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/domain/json/json.js';
import { compileSchema } from '../../src/schema/ajv/ajv.js';

const name = fc.constantFrom('a', 'b', 'ab', '');

export const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', maxDepth: 3 },
    fc.constantFrom<JsonValue>(null, true, false, 0, 1, 2, 3, 4, 1.5, -1, '', 'a', 'ab', 'abc', 'b'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
}));

const small = fc.nat({ max: 4 });
/** A schema with some of the keywords of each kind. */
export const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => {
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

/**
 * With two definitions, of which the second may use the first, and itself below a member. Or without definitions: the
 * whole may use itself below a member.
 */
export const whole = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.tuple(schema, schema, schema).map(([top, d, e]): JsonObject => ({
      ...top,
      $defs: {
        d: withoutReferences(d),
        e: { properties: { a: { $ref: '#/$defs/e' } }, ...withoutReferences(e) },
      },
    })),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(schema, schema).map(([top, below]): JsonObject => ({
      ...withoutReferences(top),
      properties: { b: { ...withoutReferences(below), properties: { a: { $ref: '#' } } } },
    })),
  },
);

export function withoutReferences(schema: JsonValue): JsonObject {
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
export function validator(one: JsonObject) {
  try {
    return compileSchema(one).validate;
  } catch {
    return null;
  }
}

/** `null` where Ajv breaks off: it does so where `patternProperties` stand beside some `oneOf`. */
export function accepts(validate: (document: unknown) => unknown, document: JsonValue): boolean | null {
  try {
    return validate(document) === true;
  } catch {
    return null;
  }
}
