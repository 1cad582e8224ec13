// Schemas on which Ajv's account of the evaluated members would make it throw.
import { afterAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/domain/json.js';
import { DEFAULT_LIMITS } from '../../src/domain/limits.js';
import { createSchemaEngine } from '../../src/schema/index.js';
import { runValidator } from '../../src/schema/run-validator.js';

const engine = createSchemaEngine(DEFAULT_LIMITS);
afterAll(() => engine.close());

const SMALL = 20;
const LARGE = DEFAULT_LIMITS.inlineValidationBytesMax + 1;
const branch = { properties: { kind: { const: 'a' } }, required: ['kind'] };
const named = (more: JsonObject): JsonObject => ({
  type: 'object',
  patternProperties: { '^x_': { type: 'string' } },
  ...more,
});

const BESIDE: readonly (readonly [string, JsonObject])[] = [
  ['oneOf', { oneOf: [branch, { required: ['other'] }] }],
  ['anyOf', { anyOf: [branch, true] }],
  ['if and else', { if: branch, then: true, else: { properties: { other: {} } } }],
  ['allOf', { allOf: [{ anyOf: [branch, true] }] }],
  ['a reference', { $ref: '#/$defs/b', $defs: { b: { anyOf: [branch, true] } } }],
];

describe('patternProperties', () => {
  it.each(BESIDE)('may stand beside %s, on this thread and in a worker', async (_, beside) => {
    const admitted = await engine.admit(named(beside), 'document');
    if (!admitted.ok) throw new Error(admitted.refusal.detail);
    for (const bytes of [SMALL, LARGE]) {
      const right = await engine.validate(admitted.value, { x_1: 'text', other: 1 }, bytes);
      expect(right).toEqual({ ok: true, value: [] });
      const wrong = await engine.validate(admitted.value, { x_1: 1, other: 1 }, bytes);
      expect(wrong).toMatchObject({ ok: true, value: [{ pointer: '/x_1', keyword: 'type' }] });
    }
  });

  it.each(BESIDE)('beside %s with unevaluatedProperties are refused by name', async (_, beside) => {
    for (const where of ['properties', 'patternProperties']) {
      const inner = named({ ...beside, unevaluatedProperties: false });
      const schema: JsonObject = { type: 'object', [where]: { deep: inner }, $defs: beside['$defs'] ?? {} };
      const admitted = await engine.admit(schema, 'document');
      expect(admitted).toMatchObject({
        ok: false,
        refusal: {
          error: 'invalid_schema',
          members: {
            errors: [{ pointer: `/${where}/deep/patternProperties`, keyword: 'patternProperties' }],
          },
        },
      });
    }
  });

  it('in a branch of their own go together with all of it', async () => {
    const schema = {
      type: 'object',
      allOf: [
        { patternProperties: { '^x_': { type: 'string' } } },
        { oneOf: [branch, { required: ['other'] }] },
      ],
      properties: { other: {} },
      unevaluatedProperties: false,
    };
    const admitted = await engine.admit(schema, 'document');
    if (!admitted.ok) throw new Error(admitted.refusal.detail);
    for (const bytes of [SMALL, LARGE]) {
      const right = await engine.validate(admitted.value, { x_1: 'text', other: 1 }, bytes);
      expect(right).toEqual({ ok: true, value: [] });
      const wrong = await engine.validate(admitted.value, { x_1: 'text', other: 1, kind: 'b' }, bytes);
      expect(wrong).toMatchObject({ ok: true, value: [{ keyword: 'unevaluatedProperties' }] });
    }
  });
});

describe('a validator that throws', () => {
  const failing = (error: Error) =>
    Object.assign(
      () => {
        throw error;
      },
      { schema: {}, schemaEnv: {} },
    ) as never;

  it('is a refusal, not a failure of the service', () => {
    expect(runValidator(failing(new TypeError('Cannot set properties of undefined')), {}, 1)).toMatchObject({
      ok: false,
      refusal: { error: 'schema_too_complex', members: { reason: 'validator' } },
    });
  });

  it('that answers with a promise has given no verdict, and its rejection is heard', async () => {
    const rejected = Promise.reject(new Error('not valid'));
    const promising = Object.assign(() => rejected, { schema: {}, schemaEnv: {} }) as never;
    expect(runValidator(promising, {}, 1)).toMatchObject({
      ok: false,
      refusal: { error: 'schema_too_complex', members: { reason: 'validator' } },
    });
    await expect(rejected).rejects.toThrow();
  });

  it('for want of stack is left to whoever has more of it', () => {
    expect(() => runValidator(failing(new RangeError('Maximum call stack')), {}, 1)).toThrow(RangeError);
  });
});
