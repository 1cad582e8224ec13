// The comparison of schemas: a table by keyword, and what must hold of any two.
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/domain/json/json.js';
import { compileSchema } from '../../../src/schema/ajv/ajv.js';
import { contains } from '../../../src/schema/compatibility/index.js';
import { CASES } from './cases.js';

const LIMITS = { compatibilityStepsMax: 20_000, compatibilityItemsMax: 50 };

describe.each(Object.entries(CASES))('%s:', (_keyword, cases) => {
  it.each(cases.map(([title, ...rest]) => [title, rest] as const))(
    '%s',
    (_title, [wider, narrower, verdict, ...pointers]) => {
      for (const schema of [wider, narrower]) compileSchema(schema);
      const found = contains(wider, narrower, LIMITS);
      expect([found.verdict, found.differences]).toEqual([
        verdict,
        verdict === 'compatible' ? [] : expect.anything(),
      ]);
      for (const pointer of pointers) expect(found.differences.map((one) => one.pointer)).toContain(pointer);
      if (verdict === 'compatible') expect(contains(narrower, narrower, LIMITS).verdict).toBe('compatible');
    },
  );
});

describe('a comparison', () => {
  it('lists every difference once, by pointer and rule', () => {
    const wider: JsonObject = {
      type: 'object',
      properties: { a: { $ref: '#/$defs/d' }, b: { $ref: '#/$defs/d' }, c: { type: 'integer' } },
      required: ['a', 'c'],
      $defs: { d: { type: 'string', maxLength: 3 } },
    };
    const narrower: JsonObject = {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' }, c: { type: 'number' } },
      required: ['a'],
    };
    const { differences } = contains(wider, narrower, LIMITS);
    expect(differences.map(({ pointer, rule }) => [pointer, rule])).toEqual([
      ['/required/1', 'required'],
      ['/$defs/d/maxLength', 'maxLength'],
      ['/properties/c/type', 'type'],
    ]);
    for (const { message } of differences) expect(message).toMatch(/\w/);
  });

  it('lists no more than it may', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 90 }, (_, at) => [`p${at}`, { type: 'string' }]),
    );
    const found = contains({ type: 'object', properties }, { type: 'object' }, LIMITS);
    expect(found.differences).toHaveLength(50);
  });

  it('is unknown where it would take too long', () => {
    const doubling = (leaf: JsonObject): JsonObject => ({
      $ref: '#/$defs/d0',
      $defs: Object.fromEntries([
        ...Array.from({ length: 12 }, (_, at) => [
          `d${at}`,
          {
            anyOf: [
              { properties: { a: { $ref: `#/$defs/d${at + 1}` } } },
              { properties: { b: { $ref: `#/$defs/d${at + 1}` } } },
            ],
          },
        ]),
        ['d12', leaf],
      ]),
    });
    expect(contains(doubling({ type: 'integer' }), doubling({ type: 'number' }), LIMITS).verdict).not.toBe(
      'compatible',
    );
  });
});
