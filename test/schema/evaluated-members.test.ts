// Schemas on which Ajv's own account of the evaluated members would make it throw, and what runs a validator.
import { afterAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/domain/json/json.js';
import { DEFAULT_LIMITS } from '../../src/domain/limits.js';
import type { CompiledSchema } from '../../src/schema/ajv/ajv.js';
import { createSchemaEngine } from '../../src/schema/index.js';
import { runValidator } from '../../src/schema/ajv/run-validator.js';

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
    if (!admitted.ok) throw new Error(admitted.failure.detail);
    for (const bytes of [SMALL, LARGE]) {
      const right = await engine.validate(admitted.value, { x_1: 'text', other: 1 }, bytes);
      expect(right).toEqual({ ok: true, value: [] });
      const wrong = await engine.validate(admitted.value, { x_1: 1, other: 1 }, bytes);
      expect(wrong).toMatchObject({ ok: true, value: [{ pointer: '/x_1', keyword: 'type' }] });
    }
  });

  it.each(BESIDE)('beside %s go together with unevaluatedProperties', async (_, beside) => {
    const inner = named({ ...beside, unevaluatedProperties: false });
    const schema = { type: 'object', properties: { deep: inner }, $defs: beside['$defs'] ?? {} };
    const admitted = await engine.admit(schema, 'document');
    if (!admitted.ok) throw new Error(admitted.failure.detail);
    for (const bytes of [SMALL, LARGE]) {
      const right = await engine.validate(admitted.value, { deep: { x_1: 'text', kind: 'a' } }, bytes);
      expect(right).toEqual({ ok: true, value: [] });
      const wrong = await engine.validate(admitted.value, { deep: { x_1: 'text', kind: 'a', no: 1 } }, bytes);
      expect(wrong).toMatchObject({ ok: true, value: [{ pointer: '/deep/no' }] });
    }
  });

  it('take work that grows with the levels of a document, not with its doubling', async () => {
    const node = {
      anyOf: [{ properties: { next: { $ref: '#/$defs/node' } } }],
      unevaluatedProperties: false,
    };
    const admitted = await engine.admit(
      { type: 'object', $ref: '#/$defs/node', $defs: { node } },
      'document',
    );
    if (!admitted.ok) throw new Error(admitted.failure.detail);
    const document = (leaf: string) =>
      JSON.parse('{"next":'.repeat(50) + leaf + '}'.repeat(50)) as JsonObject;
    expect(await engine.validate(admitted.value, document('{}'), SMALL)).toEqual({ ok: true, value: [] });
    const wrong = await engine.validate(admitted.value, document('{"no":1}'), SMALL);
    expect(wrong).toMatchObject({ ok: true, value: expect.arrayContaining([]) });
    expect(wrong.ok && wrong.value.length > 0).toBe(true);
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
    if (!admitted.ok) throw new Error(admitted.failure.detail);
    for (const bytes of [SMALL, LARGE]) {
      const right = await engine.validate(admitted.value, { x_1: 'text', other: 1 }, bytes);
      expect(right).toEqual({ ok: true, value: [] });
      const wrong = await engine.validate(admitted.value, { x_1: 'text', other: 1, kind: 'b' }, bytes);
      expect(wrong).toMatchObject({ ok: true, value: [{ keyword: 'unevaluatedProperties' }] });
    }
  });
});

describe('a validator that throws', () => {
  const answering = (validate: () => unknown): CompiledSchema => ({
    validate,
    errors: () => [],
    forget: () => undefined,
    original: () => undefined,
    lowered: {},
    parts: null,
  });
  const failing = (error: Error) =>
    answering(() => {
      throw error;
    });

  it('is a refusal, not a failure of the service', () => {
    expect(runValidator(failing(new TypeError('Cannot set properties of undefined')), {}, 1)).toMatchObject({
      ok: false,
      failure: { error: 'schema_too_complex', members: { reason: 'validator' } },
    });
  });

  it('that answers with a promise has given no verdict, and its rejection is heard', async () => {
    const rejected = Promise.reject(new Error('not valid'));
    expect(
      runValidator(
        answering(() => rejected),
        {},
        1,
      ),
    ).toMatchObject({
      ok: false,
      failure: { error: 'schema_too_complex', members: { reason: 'validator' } },
    });
    await expect(rejected).rejects.toThrow();
  });

  it('for want of stack is left to whoever has more of it', () => {
    expect(() => runValidator(failing(new RangeError('Maximum call stack')), {}, 1)).toThrow(RangeError);
  });
});
