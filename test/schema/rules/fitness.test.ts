// Which rules are refused at the registration, and where.
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/domain/json/json.js';
import { SchemaGraph, unfitRules } from '../../../src/schema/rules/index.js';

const at = (schema: JsonValue): JsonObject => ({ type: 'object', properties: { v: schema } });
const unfit = (schema: JsonObject) => unfitRules(new SchemaGraph(schema));
const frozen = { 'x-immutable': true };
const item = (id: JsonValue, more: JsonObject = {}) => ({ properties: { id }, required: ['id'], ...more });

describe('a rule is taken', () => {
  it.each<[string, JsonObject]>([
    ['of any value', at(frozen)],
    ['that says no', { type: 'object', anyOf: [{ properties: { v: { 'x-immutable': false } } }] }],
    [
      'behind a reference',
      { type: 'object', properties: { v: { $ref: '#/$defs/d' } }, $defs: { d: frozen } },
    ],
    ['of a definition that nothing uses', { type: 'object', $defs: { d: { items: frozen } } }],
    [
      'where the type is said by a reference',
      at({ $ref: '#/properties/w', 'x-append-only': true, allOf: [{ type: 'array' }] }),
    ],
    ['where there may be no value yet', at({ type: ['integer', 'null'], 'x-monotonic': true })],
    [
      'of items with a key',
      at({
        type: 'array',
        'x-key': 'id',
        items: item({ type: 'string' }, { properties: { id: { type: 'string' }, w: frozen } }),
      }),
    ],
    [
      'of items with a key that is an enum',
      at({ type: 'array', 'x-key': 'id', items: item({ enum: ['a', 2] }) }),
    ],
    ['of items of an array that only grows', at({ type: 'array', 'x-append-only': true, items: frozen })],
    ['of items with a fixed place', at({ type: 'array', prefixItems: [frozen] })],
    ['of transitions that leave out a last value', at({ enum: ['a', 'b'], 'x-transitions': { a: ['b'] } })],
    ['through recursion', { type: 'object', properties: { v: frozen, next: { $ref: '#' } } }],
  ])('%s', (_title, schema) => {
    const known = { ...schema, properties: { ...(schema['properties'] as JsonObject), w: {} } };
    expect(unfit(known)).toEqual([]);
  });
});

describe('a rule is refused', () => {
  it.each<[string, JsonObject, string, RegExp]>([
    [
      'of items without a key',
      at({ type: 'array', items: frozen }),
      '/properties/v/items/x-immutable',
      /"x-key"/,
    ],
    ...(['anyOf', 'oneOf'] as const).map((keyword): [string, JsonObject, string, RegExp] => [
      `under ${keyword}`,
      at({ [keyword]: [frozen, {}] }),
      `/properties/v/${keyword}/0/x-immutable`,
      new RegExp(`${keyword} at /properties/v/${keyword}/0`),
    ]),
    ...(['not', 'if', 'then', 'else', 'contains', 'unevaluatedProperties', 'propertyNames'] as const).map(
      (keyword): [string, JsonObject, string, RegExp] => [
        `under ${keyword}`,
        at({ [keyword]: frozen }),
        `/properties/v/${keyword}/x-immutable`,
        /uncertain/,
      ],
    ),
    [
      'under dependentSchemas',
      at({ dependentSchemas: { a: frozen } }),
      '/properties/v/dependentSchemas/a/x-immutable',
      /uncertain/,
    ],
    [
      'deep under anyOf, through a reference',
      {
        type: 'object',
        anyOf: [{ $ref: '#/$defs/d' }],
        properties: { v: { $ref: '#/$defs/d' } },
        $defs: { d: { properties: { v: frozen } } },
      },
      '/$defs/d/properties/v/x-immutable',
      /anyOf/,
    ],
    [
      'append-only of what is no array',
      at({ type: 'object', 'x-append-only': true }),
      '/properties/v/x-append-only',
      /array/,
    ],
    [
      'append-only of what may be anything',
      at({ 'x-append-only': true }),
      '/properties/v/x-append-only',
      /array/,
    ],
    [
      'monotonic of a text',
      at({ type: 'string', 'x-monotonic': true }),
      '/properties/v/x-monotonic',
      /number/,
    ],
    [
      'transitions without an enum',
      at({ type: 'string', 'x-transitions': { a: ['b'] } }),
      '/properties/v/x-transitions',
      /enum/,
    ],
    [
      'transitions of numbers',
      at({ enum: [1, 2], 'x-transitions': { 1: [2] } }),
      '/properties/v/x-transitions',
      /enum of strings/,
    ],
    [
      'transitions from a value that is not in the enum',
      at({ enum: ['a'], 'x-transitions': { b: ['a'] } }),
      '/properties/v/x-transitions',
      /"b"/,
    ],
    [
      'transitions to a value that is not in the enum',
      at({ enum: ['a'], 'x-transitions': { a: ['c'] } }),
      '/properties/v/x-transitions',
      /"c"/,
    ],
    [
      'a key of what is no array',
      at({ 'x-key': 'id', items: item({ type: 'string' }) }),
      '/properties/v/x-key',
      /array/,
    ],
    ['a key without items', at({ type: 'array', 'x-key': 'id' }), '/properties/v/x-key', /items/],
    [
      'a key that is not required',
      at({ type: 'array', 'x-key': 'id', items: { properties: { id: { type: 'string' } } } }),
      '/properties/v/x-key',
      /require/,
    ],
    [
      'a key that is no text or integer',
      at({ type: 'array', 'x-key': 'id', items: item({ type: 'number' }) }),
      '/properties/v/x-key',
      /string or an integer/,
    ],
    [
      'a key of items with a fixed place',
      at({ type: 'array', 'x-key': 'id', prefixItems: [{}], items: item({ type: 'string' }) }),
      '/properties/v/x-key',
      /prefixItems/,
    ],
  ])('%s', (_title, schema, pointer, message) => {
    const found = unfit(schema);
    expect(found.map((one) => one.pointer)).toContain(pointer);
    expect(found.find((one) => one.pointer === pointer)?.message).toMatch(message);
  });
});
