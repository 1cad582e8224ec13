// Verdicts on empty arrays where `contains` stands beside other keywords of items: Ajv alone has them wrong.
import { expect, it } from 'vitest';
import { compileSchema } from '../../src/schema/ajv/ajv.js';
import type { JsonObject } from '../../src/domain/json/json.js';

const NULL = { type: 'null' };

const both = (items: JsonObject): readonly (readonly [JsonObject, boolean])[] => [
  [{ contains: NULL, ...items }, false],
  [{ not: { contains: NULL, ...items } }, true],
  [{ if: { contains: NULL, ...items }, else: NULL }, false],
  [{ if: { contains: NULL, ...items }, then: false }, true],
  [{ anyOf: [{ contains: NULL, ...items }, { minItems: 1 }] }, false],
  [{ not: { contains: NULL, minContains: 0, ...items } }, false],
];

it.each([
  ...both({ prefixItems: [NULL] }),
  ...both({ items: NULL }),
  ...both({ prefixItems: [NULL], items: NULL }),
])('%j says %s of an empty array', (schema, verdict) => {
  expect(compileSchema(schema).validate([])).toBe(verdict);
});

it.each([
  [{ not: { contains: NULL, items: [NULL] } }, true],
  [{ if: { contains: NULL, items: [NULL] }, else: NULL }, false],
])('%j says %s of an empty array in draft-07', (schema, verdict) => {
  const whole = { $schema: 'http://json-schema.org/draft-07/schema#', ...schema };
  expect(compileSchema(whole).validate([])).toBe(verdict);
});
