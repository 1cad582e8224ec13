import { afterAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/domain/json/json.js';
import { DEFAULT_LIMITS } from '../../../src/domain/limits.js';
import { createSchemaEngine } from '../../../src/schema/index.js';

const engine = createSchemaEngine(DEFAULT_LIMITS);
afterAll(() => engine.close());

const closed = { type: 'object', additionalProperties: false } as const;

/** Admitted, as every schema is that the service asks about. */
async function ruledOut(schema: JsonObject, pointer: string, wanted?: JsonObject) {
  const admitted = await engine.admit(schema, 'document');
  if (!admitted.ok) throw new Error(admitted.failure.detail);
  if (wanted === undefined) return engine.ruledOut(admitted.value, { pointer });
  const also = await engine.admit(wanted, 'value');
  if (!also.ok) throw new Error(also.failure.detail);
  return engine.ruledOut(admitted.value, { pointer, schema: also.value });
}

describe('a place is ruled out', () => {
  const object = { type: 'object' } as const;
  it.each<[string, JsonObject, string, { pointer: string; message: RegExp }]>([
    [
      'by a closed object',
      { ...closed, properties: { a: true, b: true } },
      '/c',
      { pointer: '', message: /no member "c": its members are a, b/ },
    ],
    [
      'by a closed object further up',
      { ...object, properties: { a: { ...closed, properties: { b: true } } } },
      '/a/c/d',
      { pointer: '/a', message: /no member "c"/ },
    ],
    [
      'by unevaluatedProperties over allOf',
      { ...object, allOf: [{ properties: { a: true } }], unevaluatedProperties: false },
      '/b',
      { pointer: '', message: /no member "b"/ },
    ],
    [
      'by propertyNames',
      { ...object, propertyNames: { pattern: '^x' } },
      '/y',
      { pointer: '', message: /"y"/ },
    ],
    [
      'by patternProperties without the rest',
      { ...closed, patternProperties: { '^t[0-9]+$': true } },
      '/u1',
      { pointer: '', message: /names match \^t\[0-9\]\+\$/ },
    ],
    [
      'by a value without members',
      { ...object, properties: { a: { type: 'string' } } },
      '/a/b',
      { pointer: '/a', message: /is string and can have no members/ },
    ],
    [
      'by an array, for a name',
      { ...object, properties: { a: { type: 'array' } } },
      '/a/first',
      { pointer: '/a', message: /is an array and can have no item "first"/ },
    ],
    [
      'by an array, for the place behind its end',
      { ...object, properties: { a: { type: 'array' } } },
      '/a/-',
      { pointer: '/a', message: /no item "-"/ },
    ],
    [
      'by maxItems',
      { ...object, properties: { a: { type: 'array', maxItems: 2 } } },
      '/a/2',
      { pointer: '/a', message: /no item "2"/ },
    ],
    [
      'by a list of items that ends',
      { ...object, properties: { a: { type: 'array', prefixItems: [true], items: false } } },
      '/a/1',
      { pointer: '/a', message: /no item "1"/ },
    ],
    [
      'by a list of items that ends (draft-07)',
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: { a: { type: 'array', items: [{ type: 'string' }], additionalItems: false } },
      },
      '/a/1',
      { pointer: '/a', message: /no item "1"/ },
    ],
    ['by the schema false', { ...object, properties: { a: false } }, '/a', { pointer: '', message: /"a"/ }],
    [
      'by a reference',
      { ...object, properties: { a: { $ref: '#/$defs/d' } }, $defs: { d: { ...closed, properties: {} } } },
      '/a/b',
      { pointer: '/a', message: /"b"/ },
    ],
    [
      'by every branch of a oneOf',
      {
        ...object,
        properties: {
          a: {
            oneOf: [
              { ...closed, properties: { b: true } },
              { ...closed, properties: { c: true } },
            ],
          },
        },
      },
      '/a/d',
      { pointer: '/a', message: /its members are b, c/ },
    ],
    [
      'by then and else alike',
      {
        ...object,
        if: { required: ['a'] },
        then: { properties: { b: false } },
        else: { propertyNames: { const: 'c' } },
      },
      '/b',
      { pointer: '', message: /"b"/ },
    ],
    ['by not', { ...object, not: { required: ['a'] } }, '/a', { pointer: '', message: /"a"/ }],
    [
      'by an enum of whole objects',
      { ...object, properties: { a: { enum: [{ b: 1 }, { c: 1 }] } } },
      '/a/d',
      { pointer: '/a', message: /"d"/ },
    ],
    ['by maxProperties', { ...object, maxProperties: 0 }, '/a', { pointer: '', message: /"a"/ }],
    [
      'by what the member itself brings along',
      { ...object, dependentSchemas: { a: { maxProperties: 0 } } },
      '/a',
      { pointer: '', message: /"a"/ },
    ],
  ])('%s', async (_, schema, pointer, expected) => {
    const found = await ruledOut(schema, pointer);
    expect(found).toMatchObject({
      pointer: expected.pointer,
      message: expect.stringMatching(expected.message),
    });
  });
});

describe('a value is ruled out', () => {
  const schema = {
    ...closed,
    properties: {
      status: { enum: ['open', 'done'] },
      n: { type: 'integer', minimum: 3 },
      share: { type: 'number', minimum: 0, exclusiveMaximum: 1 },
      list: { type: 'array', maxItems: 1 },
      part: { ...closed, properties: { title: { type: 'string' } } },
      text: { type: 'string', maxLength: 3 },
    },
  };
  it.each<[string, JsonObject, RegExp]>([
    ['/part', { type: 'string' }, /\/part is object and never string/],
    ['/status', { const: 'completed' }, /\/status can have no value that satisfies both/],
    ['/status', { type: 'integer' }, /\/status/],
    ['/n', { maximum: 2 }, /\/n can have no value/],
    ['/n', { exclusiveMaximum: 3 }, /\/n can have no value/],
    ['/n', { exclusiveMinimum: 3, exclusiveMaximum: 4 }, /\/n can have no value/],
    ['/share', { minimum: 1 }, /\/share can have no value/],
    ['/share', { exclusiveMaximum: 0 }, /\/share can have no value/],
    ['/share', { exclusiveMinimum: 0.5, maximum: 0.5 }, /\/share can have no value/],
    ['/list', { minItems: 2 }, /\/list can have no value/],
    ['/part', { minProperties: 2 }, /\/part can have no value/],
    ['/part', { propertyNames: false, minProperties: 1 }, /\/part can have no value/],
    [
      '/part',
      { required: ['title'], dependentRequired: { title: ['author'], author: ['x'] } },
      /\/part can have no member "author", which is required/,
    ],
    [
      '/part',
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        required: ['title'],
        dependencies: { title: ['author'] },
      },
      /\/part can have no member "author", which is required/,
    ],
    ['/text', { minLength: 4 }, /\/text can have no value/],
    [
      '/part',
      { type: 'object', required: ['result'] },
      /\/part can have no member "result", which is required/,
    ],
    [
      '/part',
      { type: 'object', required: ['title'], properties: { title: { type: 'object' } } },
      /\/part\/title is string and never object/,
    ],
    ['', { required: ['x'] }, / can have no member "x", which is required/],
    [
      '',
      { type: 'object', required: ['status'], properties: { status: { const: 'x' } } },
      /\/status can have no/,
    ],
    ['/text', { not: {} }, /nothing satisfies/],
    [
      '/part',
      { required: ['title'], properties: { title: false } },
      /\/part\/title is to satisfy a schema that nothing satisfies/,
    ],
  ])('at %s, to satisfy %j', async (pointer, wanted, message) => {
    const found = await ruledOut(schema, pointer, wanted);
    expect(`${String(found?.pointer)} ${String(found?.message)}`).toMatch(message);
  });

  it.each<[string, JsonObject]>([
    ['/status', { const: 'done' }],
    ['/n', { minimum: 3 }],
    ['/n', { exclusiveMinimum: 3, exclusiveMaximum: 5 }],
    ['/share', { exclusiveMinimum: 0, maximum: 1 }],
    ['/share', { maximum: 0 }],
    ['/part', { minProperties: 1 }],
    ['/part', { dependentRequired: { title: ['author'] } }],
    ['/part', { required: ['title'], dependentRequired: { title: ['title'], y: ['z'] } }],
    ['/part', { type: 'object', required: ['title'] }],
    ['', { anyOf: [{ required: ['x'] }, { required: ['n'] }] }],
    ['/text', { pattern: '^never$' }],
    [
      '/status',
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        const: 'open',
        allOf: [{ $ref: '#/definitions/any', type: 'null' }],
        anyOf: [{ const: 'x' }, { $ref: '#/definitions/any', maxLength: 1 }],
        definitions: { any: {} },
      },
    ],
  ])('but not at %s, for %j', async (pointer, wanted) => {
    expect(await ruledOut(schema, pointer, wanted)).toBeNull();
  });
});

describe('a place is left possible', () => {
  it.each<[string, JsonObject, string]>([
    ['in an open object', { type: 'object' }, '/a/b/0'],
    ['by one branch', { type: 'object', anyOf: [{ maxProperties: 0 }, { required: ['a'] }] }, '/a'],
    [
      'in a recursive schema',
      { type: 'object', properties: { a: { $ref: '#' } }, additionalProperties: false },
      '/a/a/a/a',
    ],
    [
      'by a subschema that may evaluate it',
      { type: 'object', anyOf: [{ properties: { a: true } }], unevaluatedProperties: false },
      '/a',
    ],
    [
      'where draft-07 lets nothing stand beside a reference',
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: { a: { $ref: '#/definitions/d', maxProperties: 0 } },
        definitions: { d: { type: 'object' } },
      },
      '/a/b',
    ],
    [
      'where there is too much to look at',
      {
        type: 'object',
        allOf: Array.from({ length: 12 }, (_, at) => ({
          anyOf: [{ required: [`a${String(at)}`] }, { required: [`b${String(at)}`] }],
        })),
        properties: { x: false },
      },
      '/x',
    ],
  ])('%s', async (_, schema, pointer) => {
    expect(await ruledOut(schema, pointer)).toBeNull();
  });
});
