// Examples that a prompt may spell out: each is applied, and held against schema and contract by the real engine.
import { afterAll, describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/domain/json/json.js';
import { DEFAULT_LIMITS } from '../../../src/domain/limits.js';
import { applyPatch } from '../../../src/document/index.js';
import { createSchemaEngine } from '../../../src/schema/index.js';

const engine = createSchemaEngine(DEFAULT_LIMITS);
afterAll(() => engine.close());

interface Asked {
  readonly document?: JsonObject;
  readonly places?: readonly string[];
  readonly contract?: { readonly pointer: string; readonly schema: JsonObject };
  readonly writeScope?: readonly string[];
}

async function admitted(schema: JsonObject, use: 'document' | 'value') {
  const found = await engine.admit(schema, use);
  if (!found.ok) throw new Error(`${found.failure.detail} ${JSON.stringify(found.failure.members)}`);
  return found.value;
}

async function exampleOf(schema: JsonObject, { document = {}, places, contract, writeScope }: Asked) {
  const known = await admitted(schema, 'document');
  const agreed = contract && {
    ...contract,
    schemaHash: (await admitted(contract.schema, 'value')).hash,
  };
  const write = engine.exampleOf(known, {
    document,
    documentBytes: JSON.stringify(document).length,
    locations: places ?? [contract?.pointer ?? '/a'],
    contract: agreed ?? null,
    writeScope: writeScope ?? null,
  });
  if (write === null) return null;
  const after = applyPatch(document, [write.operation]);
  const bytes = JSON.stringify(after).length;
  expect(await engine.validate(known, after, bytes)).toEqual({ ok: true, value: [] });
  return write;
}

const object = { type: 'object' } as const;
const closed = { ...object, additionalProperties: false } as const;

describe('a value', () => {
  it.each<[string, JsonObject, JsonValue]>([
    ['of a default', { type: 'string', default: 'pass' }, 'pass'],
    ['of its examples, where the default does not fit', { type: 'integer', default: 'x', examples: [4] }, 4],
    ['of const', { const: { a: [1] } }, { a: [1] }],
    ['of enum', { enum: ['pass', 'fail'] }, 'pass'],
    ['of a least number', { type: 'number', minimum: 2.5 }, 3],
    ['above a bound', { type: 'integer', exclusiveMinimum: 7 }, 8],
    ['between two bounds', { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 }, 0.5],
    ['of a multiple', { type: 'integer', minimum: 10, multipleOf: 7 }, 14],
    ['below zero', { type: 'integer', maximum: -3 }, -3],
    ['of a length', { type: 'string', minLength: 10 }, 'examplexxx'],
    ['of few characters', { type: 'string', maxLength: 2 }, 'le'],
    ['of a pattern', { type: 'string', pattern: '^v[0-9]+\\.[0-9]{2}$' }, 'v0.00'],
    ['of a pattern and a length', { type: 'string', pattern: '^[a-f]+$', minLength: 4 }, 'aaaa'],
    ['of a pattern that is open', { type: 'string', pattern: '^x-', minLength: 4 }, 'x-xx'],
    ['of a pattern with ways', { type: 'string', pattern: '^(?:pass|fail)$' }, 'pass'],
    ['of a format', { type: 'string', format: 'date' }, '2025-01-01'],
    [
      'of required members',
      { ...object, required: ['a', 'b'], properties: { b: { type: 'null' } } },
      { a: 'example', b: null },
    ],
    [
      'of optional members where none is required',
      { ...object, properties: { a: { type: 'integer' } } },
      { a: 1 },
    ],
    [
      'of members that go together',
      { ...object, required: ['a'], dependentRequired: { a: ['b'] } },
      { a: 'example', b: 'example' },
    ],
    ['of so many members', { ...object, minProperties: 2 }, { member1: 'example', member2: 'example' }],
    ['of items', { type: 'array', items: { type: 'integer' }, minItems: 2 }, [1, 2]],
    [
      'of items that differ',
      { type: 'array', items: { type: 'string' }, minItems: 2, uniqueItems: true },
      ['example', 'example1'],
    ],
    ['of an item that is contained', { type: 'array', contains: { const: 5 } }, [5]],
    ['of allOf', { allOf: [{ ...object, required: ['a'] }, { properties: { a: { const: 1 } } }] }, { a: 1 }],
    ['of the first of anyOf', { anyOf: [{ type: 'integer' }, { type: 'string' }] }, 1],
    ['of one of oneOf alone', { oneOf: [{ minimum: 5, type: 'integer' }, { type: 'integer' }] }, 1],
    [
      'of a condition',
      { if: { required: ['a'] }, then: { required: ['b'] }, ...object, required: ['a'] },
      { a: 'example', b: 'example' },
    ],
    ['behind a reference', { $ref: '#/$defs/d', $defs: { d: { type: 'integer', minimum: 3 } } }, 3],
    [
      'that may have more of itself',
      {
        $ref: '#/$defs/d',
        $defs: {
          d: {
            ...object,
            required: ['n'],
            properties: { n: { type: 'integer' }, next: { $ref: '#/$defs/d' } },
          },
        },
      },
      { n: 1 },
    ],
  ])('%s', async (_title, schema, value) => {
    const write = await exampleOf({ ...object }, { contract: { pointer: '/a', schema } });
    expect(write).toEqual({ operation: { op: 'add', path: '/a', value }, location: '/a' });
  });

  it('satisfies the schema of the state and the contract together', async () => {
    const schema = {
      ...closed,
      properties: { a: { ...closed, properties: { n: { type: 'integer', maximum: 9 } } } },
    };
    const contract = {
      pointer: '/a',
      schema: { ...object, required: ['n'], properties: { n: { minimum: 8 } } },
    };
    const write = await exampleOf(schema, { contract });
    expect(write?.operation.value).toEqual({ n: 8 });
  });

  it('keeps what stands at its place', async () => {
    const contract = { pointer: '/a', schema: { ...object, required: ['n'] } };
    const write = await exampleOf(object, { document: { a: { by: 'other' } }, contract });
    expect(write?.operation).toEqual({ op: 'replace', path: '/a', value: { by: 'other', n: 'example' } });
  });

  it('comes as a further item, with a key of its own', async () => {
    const items = { ...object, required: ['id'], properties: { id: { type: 'string' } } };
    const schema = {
      ...object,
      properties: { a: { type: 'array', 'x-key': 'id', 'x-append-only': true, items } },
    };
    const write = await exampleOf(schema, { document: { a: [{ id: 'example' }] } });
    expect(write?.operation.value).toEqual([{ id: 'example' }, { id: 'example1' }]);
  });

  it('has the name of a pattern where the schema has no other', async () => {
    const schema = { ...closed, patternProperties: { '^t[0-9]+$': { type: 'integer' } } };
    const write = await exampleOf(schema, { document: { t0: 1 }, places: ['/RESULT_MEMBER'] });
    expect(write?.operation).toEqual({ op: 'add', path: '/t1', value: 1 });
  });
});

describe('missing parents', () => {
  const contract = { pointer: '/reviews/by area/api', schema: { const: 1 } };
  it('come with it, and nothing else where the scope leaves no more', async () => {
    const write = await exampleOf(object, { contract, writeScope: [contract.pointer] });
    const value = { 'by area': { api: 1 } };
    expect(write).toEqual({ operation: { op: 'add', path: '/reviews', value }, location: contract.pointer });
  });

  const schema = { ...object, properties: { reviews: { ...object, required: ['title'] } } };
  it('have what they need', async () => {
    const write = await exampleOf(schema, { contract });
    expect(write?.operation.value).toEqual({ 'by area': { api: 1 }, title: 'example' });
  });
  it('that the scope does not let be whole leave no example', async () => {
    expect(await exampleOf(schema, { contract, writeScope: [contract.pointer] })).toBeNull();
  });
});

describe('there is no example', () => {
  it.each<[string, JsonObject, Asked]>([
    [
      'of what nothing satisfies',
      object,
      { contract: { pointer: '/a', schema: { type: 'string', minLength: 3, pattern: '^.$' } } },
    ],
    [
      'that is large',
      object,
      { contract: { pointer: '/a', schema: { type: 'string', minLength: 100_000 } } },
    ],
    [
      'of endless references',
      object,
      {
        contract: { pointer: '/a', schema: { ...object, required: ['a'], properties: { a: { $ref: '#' } } } },
      },
    ],
    [
      'that the rules of change refuse',
      { ...object, properties: { a: { type: 'integer', 'x-immutable': true } } },
      { document: { a: 1 } },
    ],
    ['that changes nothing', { ...closed, properties: { a: { const: 1 } } }, { document: { a: 1 } }],
    ['beside what the schema refuses already', { ...object, required: ['b'] }, {}],
  ])('%s', async (_title, schema, asked) => {
    expect(await exampleOf(schema, asked)).toBeNull();
  });
});

describe('on a large document that is known to be valid', () => {
  const results = { ...object, maxProperties: 101, additionalProperties: { type: 'integer', minimum: 3 } };
  const schema = { ...closed, properties: { title: { type: 'string' }, results } };
  const full = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`child-${String(i)}-of-many-children`, 7]));

  /** The document, of which the engine remembers that it is valid. */
  async function valid(document: JsonObject) {
    const bytes = JSON.stringify(document).length;
    const places = { isWhole: false, below: new Map() };
    await engine.validate(await admitted(schema, 'document'), document, bytes, {
      before: {},
      locations: places,
    });
    return document;
  }

  it('an example for a new member is found as on a small one', async () => {
    const document = await valid({ title: 'x', results: full(100) });
    const contract = { pointer: '/results/mine', schema: { type: 'integer', minimum: 5 } };
    expect(await exampleOf(schema, { document, contract })).toEqual({
      operation: { op: 'add', path: '/results/mine', value: 5 },
      location: '/results/mine',
    });
  });

  it('there is none where the object may have no more members', async () => {
    const document = await valid({ title: 'x', results: full(101) });
    expect(await exampleOf(schema, { document, places: ['/results/mine'] })).toBeNull();
  });
});
