// Verdicts on generated schemas and documents are those of another validator, @hyperjump/json-schema.
import { registerSchema, unregisterSchema, validate } from '@hyperjump/json-schema/draft-2020-12';
import '@hyperjump/json-schema/draft-2019-09';
import '@hyperjump/json-schema/draft-07';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/domain/json/json.js';
import { DEFAULT_LIMITS } from '../../src/domain/limits.js';
import { compileSchema } from '../../src/schema/ajv/ajv.js';
import { SCHEMA_URIS, type Draft } from '../../src/schema/lowering/draft.js';
import { profileOf } from '../../src/schema/admission/profile.js';
import { draftAmbiguities } from '../../src/schema/admission/draft-ambiguities.js';
import { runs } from '../support/runs.js';

const RUNS = runs(150);
const NAMES = ['a', 'b', 'toString'] as const;
const ID = 'https://example.com/whole';

const scalar = fc.constantFrom<JsonValue>(
  null,
  true,
  false,
  0,
  1,
  2,
  1.5,
  0.07,
  -3,
  '',
  'a',
  'ab',
  '\u00a0',
  'é',
);
const document = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...NAMES, 'x'), tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;

const count = fc.nat({ max: 2 });
const pattern = fc.constantFrom('^a', '\\s', '^\\p{L}', '^.$', '\\W', '[^a]', '^(?:a|b)*$');
const type = fc.constantFrom('null', 'boolean', 'integer', 'number', 'string', 'array', 'object');
const name = fc.constantFrom(...NAMES);

function schemas(draft: Draft): fc.Arbitrary<JsonObject> {
  const isOld = draft === 'draft-07';
  const isNew = draft === '2020-12';
  // Beside `$ref`, draft-07 has neither an `$id` nor definitions.
  const resource = ({ $ref, ...rest }: JsonObject) =>
    isOld || $ref === undefined ? rest : { ...rest, $ref };
  const { whole } = fc.letrec<{ whole: JsonObject; part: JsonObject | boolean }>((tie) => {
    const part = tie('part');
    const parts = fc.array(part, { minLength: 1, maxLength: 2 });
    const named = fc.dictionary(name, part, { maxKeys: 2, noNullPrototype: true });
    const names = fc.uniqueArray(name, { maxLength: 2 });
    const ref = fc.constantFrom(`${ID}#/definitions/d`, `${ID}#/definitions/e`);
    const again = fc.constantFrom({ $ref: ID }, { $ref: isOld ? ID : 'inner' });
    const always = {
      type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })),
      enum: fc.uniqueArray(document, {
        minLength: 1,
        maxLength: 3,
        selector: (value) => JSON.stringify(value),
      }),
      const: document,
      multipleOf: fc.constantFrom(1, 0.5, 3),
      minimum: count,
      exclusiveMaximum: count,
      minLength: count,
      maxLength: count,
      pattern,
      minItems: count,
      maxItems: count,
      uniqueItems: fc.boolean(),
      minProperties: count,
      maxProperties: count,
      required: names,
      properties: named,
      patternProperties: fc.dictionary(pattern, part, { maxKeys: 1, noNullPrototype: true }),
      additionalProperties: part,
      propertyNames: part,
      contains: part,
      allOf: parts,
      anyOf: parts,
      oneOf: parts,
      not: part,
      if: part,
      then: part,
      else: part,
      // Only through members and items: in place it may lead back to itself.
      items: isNew
        ? fc.oneof(
            part,
            ref.map(($ref) => ({ $ref })),
          )
        : fc.oneof(part, parts, again),
    };
    const more = isOld
      ? {
          additionalItems: part,
          dependencies: fc.dictionary(name, fc.oneof(part, names), { maxKeys: 1, noNullPrototype: true }),
        }
      : {
          dependentRequired: fc.dictionary(name, names, { maxKeys: 1, noNullPrototype: true }),
          dependentSchemas: fc.dictionary(name, part, { maxKeys: 1, noNullPrototype: true }),
          minContains: count,
          maxContains: count,
          unevaluatedProperties: part,
          unevaluatedItems: part,
          ...(isNew
            ? { prefixItems: parts, $dynamicRef: fc.constantFrom('#n', 'inner#n') }
            : { additionalItems: part, $recursiveRef: fc.constant('#') }),
        };
    const keywords = { ...always, ...more, $ref: ref };
    const some = (words: number) =>
      fc
        .uniqueArray(fc.constantFrom(...(Object.keys(keywords) as (keyof typeof keywords)[])), {
          minLength: 1,
          maxLength: words,
        })
        .chain((chosen) =>
          fc.record(
            Object.fromEntries(chosen.map((word) => [word, keywords[word]])) as Record<
              string,
              fc.Arbitrary<JsonValue>
            >,
          ),
        );
    return {
      part: fc.oneof({ maxDepth: 3, depthIdentifier: 'part' }, fc.boolean(), some(3)),
      whole: fc.tuple(some(5), part, part, some(3)).map(([own, d, e, inner]) => ({
        ...resource(own),
        $schema: SCHEMA_URIS[draft],
        $id: ID,
        ...(isNew ? { $dynamicAnchor: 'n' } : isOld ? {} : { $recursiveAnchor: true }),
        definitions: {
          d: withoutReferences(d),
          e: withoutReferences(e),
          inner: {
            ...resource(inner),
            $id: 'inner',
            ...(isNew ? { $dynamicAnchor: 'n' } : isOld ? {} : { $recursiveAnchor: true }),
          },
        },
      })),
    };
  });
  return whole;
}

/** What is referred to may not refer in place itself: the other validator cannot tell where that never ends. */
function withoutReferences(schema: JsonObject | boolean): JsonValue {
  return JSON.parse(JSON.stringify(schema), (_, value: JsonValue) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).filter(([key]) => !key.endsWith('ef')));
  }) as JsonValue;
}

describe.each<Draft>(['draft-07', '2019-09', '2020-12'])('in %s', (draft) => {
  it('another validator gives the same verdicts', async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(
        schemas(draft),
        fc.array(document, { minLength: 8, maxLength: 8 }),
        async (schema, documents) => {
          // Refused at the registration: what leads back to itself in place, and what a draft leaves open.
          if (!('fanOut' in profileOf(schema, DEFAULT_LIMITS.documentDepthMax))) return;
          if (draftAmbiguities(schema).length > 0) return;
          const ours = compileSchema(schema);
          registerSchema(structuredClone(schema) as Parameters<typeof registerSchema>[0], ID);
          try {
            const theirs = await validate(ID);
            for (const each of documents) {
              compared += 1;
              const [one, other] = [ours.validate(each), theirs(each as Parameters<typeof theirs>[0]).valid];
              if (one !== other)
                throw new Error(`${String(one)}, not ${String(other)}, for ${JSON.stringify(each)}`);
            }
          } finally {
            unregisterSchema(ID);
          }
        },
      ),
      { numRuns: RUNS },
    );
    expect(compared).toBeGreaterThan(RUNS);
  });
});
