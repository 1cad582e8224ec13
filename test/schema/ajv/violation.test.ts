// What a caller is told about a document that does not satisfy its schema: place, words, what was expected, bounds.
import { afterAll, describe, expect, it } from 'vitest';
import type { Violation } from '../../../src/domain/errors.js';
import type { JsonObject, JsonValue } from '../../../src/domain/json/json.js';
import { DEFAULT_LIMITS } from '../../../src/domain/limits.js';
import { contentHash } from '../../../src/document/index.js';
import { textSize } from '../../../src/domain/json/text-size.js';
import { createSchemaEngine } from '../../../src/schema/index.js';

const engine = createSchemaEngine(DEFAULT_LIMITS);
afterAll(() => engine.close());

async function violations(schema: JsonObject, document: JsonValue): Promise<readonly Violation[]> {
  const hash = contentHash(JSON.stringify(schema));
  const result = await engine.validate({ hash, schema }, document, JSON.stringify(document).length);
  if (!result.ok) throw new Error(result.failure.detail);
  return result.value;
}

const member = (schema: JsonObject): JsonObject => ({ type: 'object', properties: { a: schema } });

const TOLD: readonly (readonly [JsonObject, JsonValue, string, RegExp, JsonValue])[] = [
  [{ required: ['x/y'] }, {}, '', /the member "x\/y" is missing/, { required: 'x/y' }],
  [
    { required: ['n'], properties: { n: { type: 'integer' } } },
    {},
    '',
    /"n" is missing/,
    { required: 'n', schema: { type: 'integer' } },
  ],
  [
    { properties: { name: {} }, additionalProperties: false },
    { 'na/me': 1 },
    '/na~1me',
    /"na\/me" is not allowed here; allowed are "name"/,
    { properties: ['name'] },
  ],
  [
    { properties: { name: {} }, unevaluatedProperties: false },
    { x: 1 },
    '/x',
    /not allowed here/,
    { properties: ['name'] },
  ],
  [
    { propertyNames: { maxLength: 2 } },
    { abc: 1 },
    '/abc',
    /"abc" is not allowed/,
    { propertyNames: { maxLength: 2 } },
  ],
  [
    member({ format: 'regex' }),
    { a: '(' },
    '/a',
    /^must have the format regex \(ECMA-262, with the flag u\); it is "\("$/,
    { format: 'regex' },
  ],
  [member({ type: 'string' }), { a: 5 }, '/a', /must be string, not 5/, { type: 'string' }],
  [
    member({ type: ['string', 'null'] }),
    { a: [1] },
    '/a',
    /must be string or null, not \[1\]/,
    { type: ['string', 'null'] },
  ],
  [
    member({ enum: ['x', 'y'] }),
    { a: 'z' },
    '/a',
    /must be one of "x", "y"; it is "z"/,
    { enum: ['x', 'y'] },
  ],
  [member({ const: 7 }), { a: 8 }, '/a', /must be 7, not 8/, { const: 7 }],
  [
    member({ pattern: '^[a-z]+$' }),
    { a: 'A' },
    '/a',
    /must match the pattern \^\[a-z\]\+\$/,
    { pattern: '^[a-z]+$' },
  ],
  [member({ minimum: 3 }), { a: 1 }, '/a', /must be at least 3; it is 1/, { minimum: 3 }],
  [member({ maxLength: 1 }), { a: 'xx' }, '/a', /must have at most 1 characters/, { maxLength: 1 }],
  [member({ minItems: 2 }), { a: [] }, '/a', /must have at least 2 items/, { minItems: 2 }],
  [member({ multipleOf: 2 }), { a: 3 }, '/a', /"multipleOf"; it is 3/, { multipleOf: 2 }],
  [member({ format: 'date' }), { a: 'today' }, '/a', /must have the format date/, { format: 'date' }],
  [member({ uniqueItems: true }), { a: [1, 1] }, '/a', /are equal/, { uniqueItems: true }],
  [member({ contains: { const: 1 } }), { a: [] }, '/a', /"contains"/, { contains: { const: 1 } }],
  [
    { dependentRequired: { a: ['b'] } },
    { a: 1 },
    '',
    /"b" is missing: it must be there when "a" is/,
    { required: 'b' },
  ],
  [{ properties: { a: false } }, { a: 1 }, '/a', /nothing is allowed/, false],
  [{ anyOf: [{ required: ['x'] }] }, {}, '', /at least one of the alternatives/, { anyOf: 1 }],
  [{ oneOf: [{}, {}] }, {}, '', /exactly one of the alternatives of oneOf; 2 or more match/, { oneOf: 1 }],
];

describe('a violation', () => {
  it.each(TOLD)('of %j by %j', async (schema, document, pointer, message, expected) => {
    const listed = await violations(schema, document);
    expect(listed).toContainEqual({
      pointer,
      keyword: expect.any(String),
      message: expect.stringMatching(message),
      expected,
    });
  });

  it('points through arrays and escaped names', async () => {
    const schema = { properties: { 'a/b~': { items: { type: 'string' } } } };
    expect(await violations(schema, { 'a/b~': ['x', 1] })).toMatchObject([{ pointer: '/a~1b~0/1' }]);
  });

  it('of a long text, a long list of values or a long name shows a bounded part', async () => {
    const long = 'x'.repeat(10_000);
    const many = Array.from({ length: 5000 }, (_, i) => `value ${i}`);
    const all = [
      ...(await violations(member({ const: 1 }), { a: long })),
      ...(await violations(member({ enum: many }), { a: long })),
      ...(await violations({ additionalProperties: false }, { [long]: 1 })),
      ...(await violations({ properties: { [long]: { type: 'string' } } }, { [long]: { [long]: 1 } })),
      ...(await violations(member({ pattern: `^${'y'.repeat(5000)}$` }), { a: long })),
    ];
    expect(all).toHaveLength(5);
    for (const each of all) expect(textSize({ ...each })).toBeLessThan(4096);
  });
});

describe('many violations', () => {
  it('are told up to a number, inline', async () => {
    const schema = { additionalProperties: { type: 'string' } };
    const document = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`m${i}`, i]));
    expect(await violations(schema, document)).toHaveLength(DEFAULT_LIMITS.violationsMax);
  });

  it('are told up to a number, from a thread', async () => {
    const schema = member({ items: { type: 'string', minLength: 1, format: 'date' } });
    const document = { a: Array.from({ length: 100_000 }, (_, i) => i) };
    expect(await violations(schema, document)).toHaveLength(DEFAULT_LIMITS.violationsMax);
  });

  it('keep the verdict over branches when some are left out', async () => {
    const anyOf = Array.from({ length: 30 }, (_, i) => ({ required: [`m${i}`] }));
    const listed = await violations({ anyOf }, {});
    expect(listed[0]).toMatchObject({ keyword: 'anyOf' });
    expect(listed).toHaveLength(DEFAULT_LIMITS.violationsMax);
  });
});
