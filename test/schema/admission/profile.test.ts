// The static costs of a schema, each rule of counting by an example.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/domain/json/json.js';
import { COST_MAX, profileOf, type Profile } from '../../../src/schema/admission/profile.js';

function profile(schema: JsonObject): Profile {
  const result = profileOf(schema, 64);
  if (!('fanOut' in result)) throw new Error(`no profile: ${JSON.stringify(result)}`);
  return result;
}

const branches = (n: number, schema: JsonObject | boolean = true) => Array.from({ length: n }, () => schema);

describe('the number of subschemas', () => {
  it('counts every place that holds a schema, and no data', () => {
    const schema: JsonObject = {
      properties: { a: true, b: { items: {} } },
      patternProperties: { x: {} },
      additionalProperties: false,
      allOf: [{ not: {} }],
      $defs: { d: {} },
      enum: [{ properties: { no: {} } }],
      default: { allOf: [{}] },
    };
    expect(profile(schema).subschemas).toBe(9);
  });
});

describe('the fan-out', () => {
  it.each<[string, JsonObject, number]>([
    ['of a flat object is 1', { properties: { a: {}, b: {} } }, 1],
    ['counts branches', { anyOf: branches(3), oneOf: branches(2), allOf: branches(1), not: {} }, 8],
    ['counts if and the larger of then and else', { if: {}, then: { anyOf: branches(5) }, else: {} }, 8],
    [
      'counts dependent schemas',
      { dependentSchemas: { a: {}, b: {} }, dependencies: { c: {}, d: ['x'] } },
      4,
    ],
    ['follows references', { $ref: '#/$defs/a', $defs: { a: { anyOf: branches(3) } } }, 5],
    ['is the worst of all places', { properties: { a: { oneOf: branches(7) } } }, 8],
  ])('%s', (_title, schema, expected) => {
    expect(profile(schema).fanOut).toBe(expected);
  });

  it('counts each way through shared definitions', () => {
    const twice = (name: string) => ({ anyOf: [{ $ref: `#/$defs/${name}` }, { $ref: `#/$defs/${name}` }] });
    const schema = { $ref: '#/$defs/a', $defs: { a: twice('b'), b: twice('c'), c: twice('d'), d: {} } };
    // 1 + a(1) + 2 refs + 2 b + 4 refs + 4 c + 8 refs + 8 d
    expect(profile(schema).fanOut).toBe(30);
  });

  it('saturates', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 200 }, (_, i) => [`d${i}`, { anyOf: branches(2, { $ref: `#/$defs/d${i + 1}` }) }]),
    );
    expect(profile({ $ref: '#/$defs/d0', $defs: { ...$defs, d200: {} } }).fanOut).toBe(COST_MAX);
  });

  it('takes a dynamic reference for what it means on each way that leads to it', () => {
    const wide = { $dynamicAnchor: 'n', anyOf: branches(9) };
    const $defs = { x: { $dynamicAnchor: 'n' }, y: { $id: 'y', ...wide } };
    const schema: JsonObject = { properties: { a: { $dynamicRef: '#n' } }, $defs };
    expect(profile(schema).fanOut).toBe(2);
    const list = { $id: 'list', items: { $dynamicRef: '#n' }, $defs: { d: { $dynamicAnchor: 'n' } } };
    expect(profile({ $ref: 'list', $defs: { list, own: wide } }).fanOut).toBe(11);
  });
});

describe('the steps of a place', () => {
  it('sum what all branches say of one member', () => {
    const a = { properties: { a: {} } };
    expect(profile({ anyOf: [a, a, a] }).stepsPerLocation).toBe(4);
    expect(
      profile({ allOf: branches(5, { properties: { a: { anyOf: branches(2) } } }) }).stepsPerLocation,
    ).toBe(15);
  });

  it('take one of properties, but each pattern', () => {
    expect(profile({ properties: { a: {}, b: {}, c: {} }, additionalProperties: {} }).stepsPerLocation).toBe(
      1,
    );
    const patternProperties = { a: {}, b: {}, c: {} };
    expect(profile({ properties: { a: {} }, patternProperties }).stepsPerLocation).toBe(4);
  });

  it('are bounded for plain recursion', () => {
    const tree = { properties: { children: { items: { $ref: '#' } }, name: {} } };
    expect(profile(tree).stepsPerLocation).toBe(2);
  });

  it('explode for recursion that doubles', () => {
    const next = { properties: { next: { $ref: '#' } } };
    expect(profile({ allOf: [next, next] }).stepsPerLocation).toBe(COST_MAX);
  });

  it('weigh long lists of values', () => {
    expect(profile({ enum: Array.from({ length: 799 }, (_, i) => i) }).stepsPerLocation).toBe(101);
  });
});

describe('the states of a byte', () => {
  it('come from patterns and formats', () => {
    expect(profile({ properties: { a: { type: 'string' } } }).statesPerByte).toBe(0);
    expect(profile({ properties: { a: { pattern: '^[a-z]+$' } } }).statesPerByte).toBeGreaterThan(0);
    expect(profile({ properties: { a: { format: 'date-time' } } }).statesPerByte).toBeGreaterThan(0);
    expect(profile({ patternProperties: { '^x-': {} } }).statesPerByte).toBeGreaterThan(0);
    expect(profile({ items: { uniqueItems: true } }).statesPerByte).toBeGreaterThan(0);
    expect(profile({ uniqueItems: false }).statesPerByte).toBe(0);
  });

  it('grow with counted repetition', () => {
    const states = (pattern: string) => profile({ pattern }).statesPerByte;
    expect(states('a{1000}')).toBeGreaterThan(100 * states('a'));
  });
});

describe('a loop in place', () => {
  it.each<[string, JsonObject, string]>([
    ['of a reference to itself', { $ref: '#' }, ''],
    [
      'over two definitions',
      {
        items: { $ref: '#/$defs/a' },
        $defs: { a: { $ref: '#/$defs/b' }, b: { allOf: [{ $ref: '#/$defs/a' }] } },
      },
      '/$defs/a',
    ],
    ['over then', { if: {}, then: { $ref: '#' } }, ''],
  ])('%s is found', (_title, schema, pointer) => {
    expect(profileOf(schema, 64)).toStrictEqual({ loop: pointer });
  });

  it('is not one where it goes through a member', () => {
    expect(profileOf({ not: { items: { $ref: '#' } } }, 64)).not.toHaveProperty('loop');
  });
});

it('the format url and long schemas are told', () => {
  expect(profile({ items: { format: 'url' } }).quadratic).toBe(true);
  expect(profile({ items: { uniqueItems: true } }).quadratic).toBe(false);
  expect(profile({ anyOf: branches(200) }).costlyToCompile).toBe(true);
  expect(profile({ enum: Array.from({ length: 10_000 }, (_, i) => i) }).costlyToCompile).toBe(true);
  expect(profile({ properties: { a: {} } }).costlyToCompile).toBe(false);
});

it('the schemas of the package are validated where their writes are decided: none is costly to compile', () => {
  for (const name of ['agent-blueprint.json', 'code-review.json']) {
    const text = readFileSync(new URL(`../../../schemas/${name}`, import.meta.url), 'utf8');
    expect(profile(JSON.parse(text) as JsonObject).costlyToCompile).toBe(false);
  }
});
