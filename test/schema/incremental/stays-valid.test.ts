import { describe, expect, it } from 'vitest';
import { applyPatch } from '../../../src/document/index.js';
import type { JsonObject } from '../../../src/domain/json/json.js';
import type { Patch } from '../../../src/domain/json/patch.js';
import { compileSchema } from '../../../src/schema/ajv/ajv.js';
import { changedLocations } from '../../../src/domain/json/changed-locations.js';
import { StaysValid } from '../../../src/schema/incremental/stays-valid.js';

const text = { type: 'string' } as const;
const number = { type: 'integer' } as const;

interface Bounds {
  readonly bytesMax?: number;
  readonly stepsMax?: number;
}

function stays(
  schema: JsonObject,
  before: JsonObject,
  patch: Patch,
  { bytesMax = 1000, stepsMax = 1000 }: Bounds = {},
): boolean {
  const { lowered, parts, validate } = compileSchema(schema);
  expect(validate(before)).toBe(true);
  const places = changedLocations(patch);
  if (parts === null || places === null) throw new Error('not a schema or a patch of this test');
  return new StaysValid({ lowered, parts }, bytesMax, stepsMax, false).check(
    before,
    applyPatch(before, patch),
    places,
  );
}

const closed = {
  type: 'object',
  properties: { title: text, results: { additionalProperties: { $ref: '#/$defs/result' } } },
  required: ['title'],
  additionalProperties: false,
  $defs: {
    result: {
      type: 'object',
      properties: { 'a/b%c#d': number, below: { $ref: '#/$defs/result' } },
      additionalProperties: false,
    },
  },
} satisfies JsonObject;

describe('a change is proven valid', () => {
  it.each<[string, JsonObject, JsonObject, Patch]>([
    [
      'of a member',
      { properties: { a: text, b: { enum: [1] } } },
      { a: 'x', b: 1 },
      [{ op: 'replace', path: '/a', value: 'y' }],
    ],
    [
      'of a member that is new, under a reference, with a name that needs escapes',
      closed,
      { title: 'x', results: { one: {} } },
      [
        { op: 'add', path: '/results/two', value: { below: {} } },
        { op: 'add', path: '/results/one/a~1b%c#d', value: 1 },
      ],
    ],
    [
      'of a member that is removed and not required',
      closed,
      { title: 'x', results: {} },
      [{ op: 'remove', path: '/results' }],
    ],
    [
      'of an item that is added in front of others, all of them different',
      { properties: { list: { items: number, uniqueItems: true, maxItems: 4 } } },
      { list: [1, 2, 3] },
      [{ op: 'add', path: '/list/0', value: 0 }],
    ],
    [
      'of one item of a choice, by that item alone',
      { properties: { list: { items: { oneOf: [{ required: ['a'] }, { required: ['b'] }] } } } },
      { list: [{ a: 1 }, { b: 1 }] },
      [{ op: 'replace', path: '/list/1', value: { a: 1 } }],
    ],
    [
      'beside a condition that says nothing of it',
      {
        if: { properties: { status: { const: 'done' } } },
        then: { required: ['summary'] },
        dependentSchemas: { status: { required: ['text'] } },
        properties: { text },
      },
      { status: 'open', text: 'x' },
      [{ op: 'replace', path: '/text', value: 'y' }],
    ],
    [
      'of a member whose name fits the pattern',
      { patternProperties: { '^x-': text }, additionalProperties: false, propertyNames: { maxLength: 4 } },
      {},
      [{ op: 'add', path: '/x-1', value: 'y' }],
    ],
  ])('%s', (_, schema, before, patch) => {
    expect(stays(schema, before, patch)).toBe(true);
  });
});

describe('a change is left to the validator', () => {
  it.each<[string, JsonObject, JsonObject, Patch]>([
    ['that is invalid', { properties: { a: text } }, { a: 'x' }, [{ op: 'replace', path: '/a', value: 1 }]],
    ['that removes a required member', closed, { title: 'x' }, [{ op: 'remove', path: '/title' }]],
    [
      'that adds a member to a closed object',
      closed,
      { title: 'x' },
      [{ op: 'add', path: '/other', value: 1 }],
    ],
    [
      'that makes an item equal to another',
      { properties: { list: { uniqueItems: true } } },
      { list: [{ a: 1, b: 2 }, {}] },
      [{ op: 'replace', path: '/list/1', value: { b: 2, a: 1 } }],
    ],
    [
      'that a condition looks at',
      { if: { properties: { status: { const: 'done' } } }, then: { required: ['summary'] } },
      { status: 'open' },
      [{ op: 'replace', path: '/status', value: 'done' }],
    ],
    [
      'that moves a member between two that count',
      { properties: { a: { maxProperties: 1 }, b: { minProperties: 1 } } },
      { a: { x: 1 }, b: { y: 1 } },
      [{ op: 'move', from: '/b/y', path: '/a/y' }],
    ],
    ['of the whole document', {}, { a: 1 }, [{ op: 'replace', path: '', value: { a: 2 } }]],
    [
      'of a place with a choice around it',
      { anyOf: [{ properties: { a: text } }, { required: ['b'] }] },
      { a: 'x' },
      [{ op: 'replace', path: '/a', value: 'y' }],
    ],
    [
      'below a position of a list',
      { properties: { list: { prefixItems: [text], items: number } } },
      { list: ['x', 1] },
      [{ op: 'add', path: '/list/0', value: 1 }],
    ],
  ])('%s', (_, schema, before, patch) => {
    expect(stays(schema, before, patch)).toBe(false);
  });

  it('whose values are larger than may be validated on this thread', () => {
    const patch = [{ op: 'replace', path: '/a', value: 'x'.repeat(100) }] as const;
    expect(stays({ properties: { a: text } }, { a: '' }, patch, { bytesMax: 200 })).toBe(true);
    expect(stays({ properties: { a: text } }, { a: '' }, patch, { bytesMax: 50 })).toBe(false);
  });

  it.each<[string, JsonObject]>([
    [
      'branches',
      { additionalProperties: { allOf: Array.from({ length: 100 }, () => ({ minProperties: 0 })) } },
    ],
    [
      'patterns',
      {
        additionalProperties: {
          patternProperties: Object.fromEntries(
            Array.from({ length: 100 }, (_, n) => [`^${String(n)}$`, {}]),
          ),
        },
      },
    ],
    [
      'conditions',
      { additionalProperties: { anyOf: Array.from({ length: 100 }, () => ({ properties: { b: {} } })) } },
    ],
  ])('that has more %s to look at than are looked at on this thread', (_, schema) => {
    const names = Array.from({ length: 10 }, (_each, n) => `m${String(n)}`);
    const before = Object.fromEntries(names.map((name) => [name, { a: 1 }]));
    const patch = names.map((name) => ({ op: 'replace', path: `/${name}/a`, value: 2 }) as const);
    expect(stays(schema, before, patch, { stepsMax: 3000 })).toBe(true);
    expect(stays(schema, before, patch, { stepsMax: 500 })).toBe(false);
  });

  it('that lists more required members than are looked at on this thread', () => {
    const required = Array.from({ length: 100 }, (_, n) => `r${String(n)}`);
    const schema = { properties: { o: { required } } };
    const before = { o: Object.fromEntries([...required, 'x'].map((name) => [name, 1])) };
    const patch = [{ op: 'remove', path: '/o/x' }] as const;
    expect(stays(schema, before, patch, { stepsMax: 200 })).toBe(true);
    expect(stays(schema, before, patch, { stepsMax: 50 })).toBe(false);
  });

  it('whose items take long to compare', () => {
    const item = (n: number) => [...Array.from({ length: 5000 }, () => 0), n];
    const list = Array.from({ length: 40 }, (_, n) => item(n));
    const schema = { properties: { list: { uniqueItems: true } } };
    const one = [{ op: 'replace', path: '/list/7', value: item(99) }] as const;
    const all = list.map(
      (_, n) => ({ op: 'replace', path: `/list/${String(n)}`, value: item(n + 100) }) as const,
    );
    expect(stays(schema, { list }, one)).toBe(true);
    expect(stays(schema, { list }, all)).toBe(false);
  });
});
