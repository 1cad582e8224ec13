import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/domain/json/json.js';
import { enforceOutput } from '../../../src/runner/agent/output-schema.js';

const asked = (schema: JsonObject, form: 'object' | 'strict') =>
  enforceOutput({ pointer: '/a', schema }, form)!;
const closed = {
  type: 'object',
  properties: { n: { type: 'integer' } },
  required: ['n'],
  additionalProperties: false,
};

describe('a client that can be held to any object', () => {
  it('is held to the schema itself where it is one of an object', () => {
    const held = asked(
      { $schema: 'https://json-schema.org/draft/2020-12/schema', ...closed, 'x-immutable': true },
      'object',
    );
    expect(held.schema).toEqual(closed);
    expect(held.valueIn({ n: 1 })).toEqual({ n: 1 });
  });

  it('gives any other value as a member, its references counted from there', () => {
    const schema = { $ref: '#/$defs/n', $defs: { n: { anyOf: [{ type: 'integer' }, { $ref: '#' }] } } };
    const held = asked(schema, 'object');
    expect(held.schema).toMatchObject({
      required: ['value'],
      properties: {
        value: {
          $ref: '#/properties/value/$defs/n',
          $defs: { n: { anyOf: [{ type: 'integer' }, { $ref: '#/properties/value' }] } },
        },
      },
    });
    expect(held.valueIn({ value: 7 })).toBe(7);
    expect(held.valueIn({ other: 7 })).toBeUndefined();
    expect(held.valueIn('prose')).toBeUndefined();
  });

  it('keeps names and values that only look like keywords', () => {
    const schema = {
      type: 'object',
      properties: { 'x-rate': { const: { $id: 'a', $ref: '#/b' } }, $id: { type: 'string' } },
    };
    expect(asked(schema, 'object').schema).toEqual(schema);
  });
});

describe('a client that can be held to strict schemas only', () => {
  it('is held to the schema itself where that is strict', () => {
    expect(asked(closed, 'strict').schema).toEqual(closed);
  });

  it.each<JsonObject>([
    { required: ['n'] },
    { ...closed, required: [] },
    { ...closed, additionalProperties: true },
    { ...closed, properties: { n: { anyOf: [{ type: 'integer' }] } } },
    { type: 'string' },
    { ...closed, if: {} },
  ])('gives JSON text for %j', (schema) => {
    const held = asked(schema, 'strict');
    expect(held.schema).toMatchObject({ required: ['value_as_json'], additionalProperties: false });
    expect(JSON.stringify(held.schema)).toContain(JSON.stringify(JSON.stringify(schema)).slice(1, -1));
    expect(held.valueIn({ value_as_json: '{"n":1}' })).toEqual({ n: 1 });
    expect(held.valueIn({ value_as_json: '{"n":' })).toBeUndefined();
  });
});

describe('a value', () => {
  it('that nests too deep is none', () => {
    let deep: JsonValue = 1;
    for (let i = 0; i < 100; i += 1) deep = [deep];
    expect(asked({ type: 'object' }, 'object').valueIn({ deep })).toBeUndefined();
  });

  it('is not asked for by a schema that fits no command line', () => {
    const schema = { type: 'object', description: 'x'.repeat(100_000) };
    expect(enforceOutput({ pointer: '', schema }, 'object')).toBeNull();
  });
});
