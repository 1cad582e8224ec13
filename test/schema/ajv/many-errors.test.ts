// Documents with many invalid items behind a reference: the work grows with their number, not with its square.
import { afterAll, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/domain/json/json.js';
import { DEFAULT_LIMITS } from '../../../src/domain/limits.js';
import { compileSchema } from '../../../src/schema/ajv/ajv.js';
import { createSchemaEngine } from '../../../src/schema/index.js';

// Time enough on a busy machine, and far too little for work that grows with the square.
const engine = createSchemaEngine({ ...DEFAULT_LIMITS, validationMs: 15_000 });
afterAll(() => engine.close());

const $defs = { x: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } } };
const $ref = '#/$defs/x';
const COUNT = 150_000;
const items: JsonValue = Array.from({ length: COUNT }, () => ({ id: 's' }));
const members: JsonValue = Object.fromEntries(Array.from({ length: COUNT }, (_, i) => [`k${String(i)}`, 1]));

const CASES: Readonly<Record<string, readonly [JsonObject, JsonValue, string]>> = {
  items: [{ items: { $ref } }, items, '/a/0/id'],
  additionalProperties: [{ additionalProperties: { $ref } }, members, '/a/k0'],
  'contains beside unevaluatedItems': [
    { contains: { type: 'string' }, unevaluatedItems: { $ref } },
    items,
    '/a/0',
  ],
  unevaluatedItems: [
    { items: { unevaluatedItems: false } },
    Array.from({ length: COUNT }, () => [1]),
    '/a/0/0',
  ],
};

test.each(Object.entries(CASES))(
  'many invalid values under %s are a failed validation with the first of them',
  async (_, [schema, value, first]) => {
    const admitted = await engine.admit({ type: 'object', $defs, properties: { a: schema } }, 'document');
    if (!admitted.ok) throw new Error(admitted.failure.detail);
    const bytes = Buffer.byteLength(JSON.stringify({ a: value }));
    const found = await engine.validate(admitted.value, { a: value }, bytes);
    if (!found.ok) throw new Error(found.failure.detail);
    expect(found.value).toHaveLength(DEFAULT_LIMITS.violationsMax);
    expect(found.value[0]?.pointer).toBe(first);
  },
);

test('a name that looks like a statement of the generated code stays a name', () => {
  const statement = 'vErrors = vErrors === null ? validate1.errors : vErrors.concat(validate1.errors);';
  for (const name of [statement, `\n${statement}\n`, `\u2028${statement}\u2028`]) {
    const { validate, errors } = compileSchema({ $defs, required: [name], properties: { [name]: { $ref } } });
    expect(validate({ [name]: { id: 1 } })).toBe(true);
    expect(validate({})).toBe(false);
    expect(errors()[0]?.params).toEqual({ missingProperty: name });
    expect(validate({ [name]: { id: '' } })).toBe(false);
    expect(errors()[0]?.instancePath).toBe(`/${name}/id`);
  }
});

test('the errors of several references to one definition are all kept, in their order', () => {
  const { validate, errors } = compileSchema({
    $defs: { x: { ...$defs.x, properties: { id: { type: 'integer' }, in: { $ref } } } },
    properties: { a: { $ref }, b: { $ref }, c: { $ref } },
  });
  for (let round = 0; round < 2; round += 1) {
    expect(validate({ a: {}, b: { id: 1, in: { in: {} } }, c: { id: '', in: 1 } })).toBe(false);
    const places = errors().map(({ instancePath }) => instancePath);
    expect(places).toEqual(['/a', '/b/in', '/b/in/in', '/c/id', '/c/in']);
  }
});
