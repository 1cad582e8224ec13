// The engine as its callers meet it: what is admitted, what is refused and why, and what hostile schemas come to.
import { afterAll, describe, expect, it } from 'vitest';
import type { Violation } from '../../src/domain/errors.js';
import type { JsonObject, JsonValue } from '../../src/domain/json/json.js';
import { DEFAULT_LIMITS, type Limits } from '../../src/domain/limits.js';
import { createSchemaEngine } from '../../src/schema/index.js';
import { eventually } from '../support/eventually.js';

const engine = createSchemaEngine(DEFAULT_LIMITS);
afterAll(() => engine.close());

const DRAFTS = {
  'draft-07': 'http://json-schema.org/draft-07/schema#',
  '2019-09': 'https://json-schema.org/draft/2019-09/schema',
  '2020-12': 'https://json-schema.org/draft/2020-12/schema',
};

async function admitted(schema: JsonObject) {
  const result = await engine.admit(schema, 'document');
  if (!result.ok) throw new Error(`${result.failure.error}: ${result.failure.detail}`);
  return result.value;
}

async function failure(schema: JsonValue, use: 'document' | 'value' = 'document') {
  const result = await engine.admit(schema, use);
  if (result.ok) throw new Error('the schema was admitted');
  return result.failure;
}

async function violations(schema: JsonObject, document: JsonValue): Promise<readonly Violation[]> {
  const bytes = Buffer.byteLength(JSON.stringify(document));
  const result = await engine.validate(await admitted(schema), document, bytes);
  if (!result.ok) throw new Error(result.failure.detail);
  return result.value;
}

const object = (members: JsonObject): JsonObject => ({ type: 'object', ...members });

describe('two admitted schemas', () => {
  it('are compared off the main thread, and are unknown to each other where that takes too long', async () => {
    const [wide, narrow] = await Promise.all([
      admitted(object({ properties: { n: { type: 'number' } } })),
      admitted(object({ properties: { n: { type: 'integer' } } })),
    ]);
    expect(await engine.contains(wide, narrow)).toEqual({ verdict: 'compatible', differences: [] });
    expect(await engine.contains(narrow, wide)).toMatchObject({
      verdict: 'incompatible',
      differences: [{ pointer: '/properties/n/type', rule: 'type' }],
    });
    const values = (from: number): JsonObject =>
      object({
        properties: { x: { enum: Array.from({ length: 8000 }, (_, i) => ({ a: from - i })) } },
      });
    const hasty = createSchemaEngine({ ...DEFAULT_LIMITS, compatibilityMs: 50 });
    const [one, other] = [
      await hasty.admit(values(0), 'document'),
      await hasty.admit(values(8000), 'document'),
    ];
    if (!one.ok || !other.ok) throw new Error('the schemas were refused');
    expect(await hasty.contains(one.value, other.value)).toMatchObject({
      verdict: 'unknown',
      differences: [{ rule: 'limit' }],
    });
    // The next comparison begins in a new thread, which may itself take long to start on a busy machine.
    await eventually('two equal schemas are compared', async () => {
      const { verdict } = await hasty.contains(one.value, one.value);
      return verdict === 'compatible';
    });
    await hasty.close();
  });
});

describe('what a draft ignores', () => {
  it('does not make schemas compatible', async () => {
    const $schema = DRAFTS['draft-07'];
    const n = (more: JsonObject) =>
      object({ $schema, properties: { n: more }, definitions: { n: { type: 'number' } } });
    const [beside, bounded] = await Promise.all([
      admitted(n({ $ref: '#/definitions/n', maximum: 5 })),
      admitted(n({ type: 'number', maximum: 5 })),
    ]);
    expect(await violations(beside.schema, { n: 6 })).toEqual([]);
    expect((await engine.contains(bounded, beside)).verdict).toBe('incompatible');
    expect((await engine.contains(beside, bounded)).verdict).toBe('compatible');
  });
});

describe('an admitted schema', () => {
  it.each(Object.values(DRAFTS))('may name the draft %s', async ($schema) => {
    const schema = object({ $schema, properties: { n: { type: 'integer' } } });
    expect(await violations(schema, { n: 1 })).toStrictEqual([]);
    expect(await violations(schema, { n: 'x' })).toMatchObject([{ pointer: '/n', keyword: 'type' }]);
  });

  it('has the hash of its canonical form', async () => {
    const one = await admitted({ type: 'object', title: 'x' });
    const other = await admitted({ title: 'x', type: 'object' });
    expect(one.hash).toBe(other.hash);
    expect(one.hash).toMatch(/^[0-9a-f]{64}$/);
  });

  it('may carry the own keywords', async () => {
    const properties: JsonObject = {
      id: { type: 'string', 'x-immutable': true },
      log: {
        type: 'array',
        'x-append-only': true,
        'x-key': 'id',
        items: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
      },
      n: { type: 'integer', 'x-monotonic': true },
      phase: { enum: ['a', 'b'], 'x-transitions': { a: ['b'], b: [] } },
    };
    expect(await violations(object({ properties }), { id: 'x', n: 1 })).toStrictEqual([]);
  });

  it('may refer to itself through members, to anchors and to ids of its own', async () => {
    const tree = object({
      $id: 'https://example.com/tree',
      properties: {
        children: { type: 'array', items: { $ref: '#' } },
        a: { $ref: '#leaf' },
        b: { $ref: 'https://example.com/tree#/$defs/leaf' },
        c: { $ref: 'other' },
      },
      $defs: { leaf: { $anchor: 'leaf', type: 'string' }, other: { $id: 'other', type: 'integer' } },
    });
    expect(await violations(tree, { children: [{ children: [] }], a: 'x', b: 'y', c: 1 })).toStrictEqual([]);
    const wrong = await violations(tree, { children: [{ a: 1, b: 2, c: 'z' }] });
    expect(wrong.map(({ pointer }) => pointer)).toStrictEqual([
      '/children/0/a',
      '/children/0/b',
      '/children/0/c',
    ]);
  });

  it('may use dynamic references', async () => {
    const schema = object({
      $dynamicAnchor: 'node',
      properties: { next: { $dynamicRef: '#node' }, v: { type: 'string' } },
    });
    expect(await violations(schema, { next: { next: { v: 1 } } })).toMatchObject([
      { pointer: '/next/next/v' },
    ]);
    const recursive = object({
      $schema: DRAFTS['2019-09'],
      $recursiveAnchor: true,
      properties: { next: { $recursiveRef: '#' }, v: { type: 'string' } },
    });
    expect(await violations(recursive, { next: { v: 1 } })).toMatchObject([{ pointer: '/next/v' }]);
  });

  it.each(Object.values(DRAFTS))('may use the notes and names of the standard in %s', async ($schema) => {
    const modern = $schema !== DRAFTS['draft-07'];
    const schema = object({
      $schema,
      $id: 'https://example.com/notes',
      $comment: 'c',
      title: 't',
      description: 'd',
      default: {},
      examples: [{}],
      readOnly: false,
      writeOnly: false,
      properties: {
        a: { type: 'string', contentMediaType: 'text/plain', contentEncoding: 'base64', format: 'uri' },
        b: { type: ['integer', 'string', 'null'], multipleOf: 0.01 },
        c: { if: { type: 'array' }, then: { contains: { const: 1 } }, else: { minimum: 1 } },
      },
      required: ['d'],
      definitions: { d: { type: 'string' } },
      ...(modern
        ? { $defs: { e: { $anchor: 'e', deprecated: true } }, dependentRequired: { a: ['b'] } }
        : {}),
    });
    expect(await violations(schema, { d: 1, a: 'urn:x', b: null, c: [1] })).toStrictEqual([]);
  });

  it('describes an object through a reference or allOf', async () => {
    expect((await engine.admit({ $ref: '#/$defs/a', $defs: { a: object({}) } }, 'document')).ok).toBe(true);
    expect(
      (await engine.admit({ allOf: [{ $ref: '#/$defs/a' }], $defs: { a: object({}) } }, 'document')).ok,
    ).toBe(true);
  });

  it('may describe any value where it is a contract', async () => {
    expect((await engine.admit({ type: 'string', minLength: 1 }, 'value')).ok).toBe(true);
  });

  it('may require names that every object inherits, and they are then missed', async () => {
    const schema = object({ required: ['toString'], properties: { valueOf: { type: 'string' } } });
    expect(await violations(schema, {})).toMatchObject([{ pointer: '', expected: { required: 'toString' } }]);
    expect(await violations(schema, { toString: 1 })).toStrictEqual([]);
  });
});

const REFUSED: readonly (readonly [string, JsonValue, string])[] = [
  ['no object', true, ''],
  ['an unknown draft', object({ $schema: 'http://json-schema.org/draft-04/schema#' }), '/$schema'],
  ['a draft that is no string', object({ $schema: 7 }), '/$schema'],
  [
    'a member that the meta-schema forbids',
    object({ properties: { a: { minLength: -1 } } }),
    '/properties/a/minLength',
  ],
  ['a top level that is no object', { type: 'array' }, '/type'],
  ['a top level without type', { properties: { a: { type: 'string' } } }, '/type'],
  ['an unknown keyword', object({ properties: { a: { tpye: 'string' } } }), '/properties/a/tpye'],
  ['a keyword of another draft', object({ $schema: DRAFTS['draft-07'], prefixItems: [{}] }), '/prefixItems'],
  [
    'an unknown format',
    object({ properties: { a: { type: 'string', format: 'colour' } } }),
    '/properties/a/format',
  ],
  [
    'a lookahead',
    object({ properties: { a: { type: 'string', pattern: '^(?=x)' } } }),
    '/properties/a/pattern',
  ],
  ['a backreference', object({ patternProperties: { '(a)\\1': {} } }), '/patternProperties/(a)\\1'],
  ['a remote reference', object({ $ref: 'https://example.com/schema.json' }), '/$ref'],
  [
    'a reference to a file',
    object({ properties: { a: { $ref: 'file:///etc/passwd' } } }),
    '/properties/a/$ref',
  ],
  [
    'a reference to its meta-schema',
    object({ properties: { a: { $ref: DRAFTS['2020-12'] } } }),
    '/properties/a/$ref',
  ],
  ['a reference to nothing', object({ $ref: '#/$defs/none' }), '/$ref'],
  ['a reference into data', object({ default: { x: { type: 'string' } }, $ref: '#/default/x' }), '/$ref'],
  ['$data', object({ properties: { a: {}, b: { minimum: { $data: '1/a' } } } }), '/properties/b/minimum'],
  ['a reference to itself in place', object({ $ref: '#' }), ''],
  [
    'a circle of references in place',
    object({ anyOf: [{ $ref: '#/$defs/a' }], $defs: { a: { allOf: [{ $ref: '#' }] } } }),
    '',
  ],
  ['a forbidden property name', object({ properties: { constructor: {} } }), '/properties/constructor'],
  [
    'a forbidden name in data',
    JSON.parse('{"type":"object","default":{"__proto__":1}}'),
    '/default/__proto__',
  ],
  ['an own keyword with a wrong value', object({ 'x-immutable': 'yes' }), '/x-immutable'],
  [
    'transitions that are no lists',
    object({ properties: { a: { 'x-transitions': { a: 'b' } } } }),
    '/properties/a/x-transitions',
  ],
  [
    'what 2019-09 leaves open',
    object({
      $schema: DRAFTS['2019-09'],
      properties: { a: { unevaluatedItems: false, anyOf: [{ $ref: '#/$defs/c' }] } },
      $defs: { c: { contains: { type: 'string' } } },
    }),
    '/$defs/c/contains',
  ],
  [
    'two subschemas of one name',
    object({ $defs: { a: { $anchor: 'x' }, b: { $anchor: 'x' } } }),
    '/$defs/b/$anchor',
  ],
  [
    'a name that is no URI reference',
    object({ properties: { a: { $id: 'http://[' } } }),
    '/properties/a/$id',
  ],
  [
    'a property with half a character',
    object({ properties: { a: { properties: { '\ud800': { type: 'string' } } } } }),
    '/properties/a/properties/\ud800',
  ],
  [
    'a pattern with half a character',
    object({ patternProperties: { '\udc00': {} } }),
    '/patternProperties/\udc00',
  ],
  [
    'a dependency of half a character',
    object({ dependentSchemas: { 'a\ud800': { required: ['a'] } } }),
    '/dependentSchemas/a\ud800',
  ],
  [
    'a draft named further down',
    object({ properties: { a: { $schema: DRAFTS['draft-07'] } } }),
    '/properties/a/$schema',
  ],
];

describe('a schema is refused as invalid for', () => {
  it.each(REFUSED)('%s', async (_title, schema, pointer) => {
    const { error, members } = await failure(schema);
    expect(error).toBe('invalid_schema');
    const errors = members['errors'] as readonly Violation[];
    expect(errors.map((each) => each.pointer)).toContain(pointer);
    expect(errors.every(({ message, keyword }) => message !== '' && keyword !== '')).toBe(true);
  });

  it('a name that is no URI reference, in words of that', async () => {
    const { members } = await failure(object({ properties: { a: { $id: 'http://[' } } }));
    expect(members['errors']).toMatchObject([{ message: 'is not a URI reference' }]);
    expect(members['errors']).toHaveLength(1);
  });

  it('a reference to the id of a schema that was admitted before', async () => {
    await admitted(object({ $id: 'https://example.com/first', properties: { secret: { const: 1 } } }));
    const { error, members } = await failure(
      object({ properties: { a: { $ref: 'https://example.com/first' } } }),
    );
    expect(error).toBe('invalid_schema');
    expect(members).toMatchObject({ errors: [{ pointer: '/properties/a/$ref' }] });
  });

  it('more faults than are told', async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 100 }, (_, i) => [`p${i}`, { type: 'nothing' }]),
    );
    const { members } = await failure(object({ properties }));
    expect(members['errors']).toHaveLength(DEFAULT_LIMITS.violationsMax);
  });

  it('a pattern, told with the dialect', async () => {
    const { detail } = await failure(object({ properties: { a: { pattern: '(?!x)' } } }));
    expect(detail).toMatch(/RE2/);
  });
});

describe('a schema passes a limit with', () => {
  it('its size', async () => {
    const { error, members } = await failure(object({ description: 'x'.repeat(300_000) }));
    expect([error, members['limit']]).toStrictEqual(['limit_exceeded', 'schemaBytesMax']);
  });

  it('its depth', async () => {
    const bomb = JSON.parse(
      '{"type":"object","not":'.repeat(10_000) + '{}' + '}'.repeat(10_000),
    ) as JsonValue;
    const { error, members } = await failure(bomb);
    expect([error, members['limit']]).toStrictEqual(['limit_exceeded', 'schemaDepthMax']);
  });

  it('its number of subschemas', async () => {
    const { error, members } = await failure(object({ anyOf: Array.from({ length: 2001 }, () => ({})) }));
    expect([error, members['limit']]).toStrictEqual(['limit_exceeded', 'schemaSubschemasMax']);
  });
});

/** Each definition refers twice to the next one: `levels` of them are walked 2^levels times. */
function doubling(levels: number, next: (reference: JsonObject) => JsonObject): JsonObject {
  const $defs = Object.fromEntries(
    Array.from({ length: levels }, (_, i) => {
      const reference = { $ref: `#/$defs/d${i + 1}` };
      return [`d${i}`, { anyOf: [next(reference), next(reference)] }];
    }),
  );
  return object({ $ref: '#/$defs/d0', $defs: { ...$defs, [`d${levels}`]: { type: 'string' } } });
}

describe('a hostile schema', () => {
  it('that doubles at one place is refused without being run', async () => {
    const { error, members } = await failure(doubling(20, (reference) => reference));
    expect(error).toBe('schema_too_complex');
    expect(members).toMatchObject({ limit: 'schemaFanOutMax' });
  });

  it('that doubles with each level of a document fails its trial', async () => {
    const short = createSchemaEngine({ ...DEFAULT_LIMITS, schemaTrialMs: 300 });
    const node = { properties: { next: { $ref: '#/$defs/node' } } };
    const schema = object({ $ref: '#/$defs/node', $defs: { node: { allOf: [node, node] } } });
    const result = await short.admit(schema, 'document');
    expect(result).toMatchObject({ ok: false, failure: { error: 'schema_too_complex' } });
    // A fresh thread takes the next one.
    expect((await short.admit(object({}), 'document')).ok).toBe(true);
    await short.close();
  });

  it('of a thousand oneOf branches is refused or admitted in bounded time, the loop free meanwhile', async () => {
    const short = createSchemaEngine({ ...DEFAULT_LIMITS, schemaCompileMs: 500, schemaTrialMs: 500 });
    const oneOf = Array.from({ length: 1000 }, (_, i) => ({
      required: [`member number ${i}`],
      description: 'x'.repeat(20),
    }));
    const turns = await turnsDuring(async () => {
      const result = await short.admit(object({ oneOf }), 'document');
      if (!result.ok) expect(result.failure.error).toBe('schema_too_complex');
    });
    expect(turns).toBeGreaterThan(5);
    await short.close();
  });

  it('with a pattern that backtracks is harmless', async () => {
    const schema = object({ properties: { a: { type: 'string', pattern: '^(a+)+$' } } });
    const document = { a: `${'a'.repeat(20_000)}!` };
    expect(await violations(schema, document)).toMatchObject([{ pointer: '/a', keyword: 'pattern' }]);
  });
});

/** How often timers fired meanwhile: none does while the event loop is held. */
async function turnsDuring(work: () => Promise<void>): Promise<number> {
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 5);
  await work();
  clearInterval(timer);
  return turns;
}

describe('validation', () => {
  it('of small work answers at once', async () => {
    const schema = await admitted(object({ properties: { n: { type: 'integer' } } }));
    const result = engine.validate(schema, { n: 1 }, 7);
    expect(result).not.toBeInstanceOf(Promise);
    expect(result).toStrictEqual({ ok: true, value: [] });
  });

  it('of a small document with uniqueItems needs no thread', async () => {
    const schema = await admitted(object({ properties: { a: { type: 'array', uniqueItems: true } } }));
    expect(engine.validate(schema, { a: [{ x: 1, y: [2] }, { y: [2] }] }, 30)).toEqual({
      ok: true,
      value: [],
    });
    expect(
      engine.validate(
        schema,
        {
          a: [
            { x: 1, y: [2] },
            { y: [2], x: 1 },
          ],
        },
        40,
      ),
    ).toMatchObject({
      value: [{ pointer: '/a', keyword: 'uniqueItems' }],
    });
  });

  it.each<[string, JsonObject, JsonValue]>([
    [
      'a document of many places',
      object({ properties: { a: { type: 'array', items: { type: 'integer' } } } }),
      { a: Array.from({ length: 150_000 }, (_, i) => i % 10) },
    ],
    [
      'a format of quadratic time',
      object({ properties: { a: { format: 'url' } } }),
      { a: 'https://example.com' },
    ],
    [
      'a large schema',
      object({
        properties: Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`p${i}`, { type: 'string' }])),
      }),
      {},
    ],
  ])('of %s goes to a thread and gives the same answer', async (_title, schema, document) => {
    const known = await admitted(schema);
    const bytes = JSON.stringify(document).length;
    for (const value of [document, [document]]) {
      const result = engine.validate(known, value, bytes);
      expect(result).toBeInstanceOf(Promise);
      expect(await result).toMatchObject({
        ok: true,
        value: value === document ? [] : [{ keyword: 'type' }],
      });
    }
  });

  it('of a schema that was never admitted here works, as after a restart', async () => {
    const fresh = createSchemaEngine(DEFAULT_LIMITS);
    const schema = { hash: 'f'.repeat(64), schema: object({ required: ['a'] }) };
    expect(await fresh.validate(schema, {}, 2)).toMatchObject({ value: [{ keyword: 'required' }] });
    await fresh.close();
  });

  it.each([
    ['$async', { $async: true, required: ['a'] }],
    ['$async further down', { $ref: '#/$defs/a', $defs: { a: { $async: true, required: ['a'] } } }],
    ['nullable', { required: ['a'], properties: { a: { type: ['integer'], nullable: true } } }],
  ])('of a schema that was stored with %s gives the verdict of JSON Schema', async (_, schema) => {
    const stored = { hash: JSON.stringify(schema), schema };
    for (const bytes of [20, DEFAULT_LIMITS.inlineValidationBytesMax + 1]) {
      expect(await engine.validate(stored, { a: 1, b: 'x' }, bytes)).toEqual({ ok: true, value: [] });
      expect(await engine.validate(stored, { b: 'x' }, bytes)).toMatchObject({
        value: [{ keyword: 'required' }],
      });
    }
  });

  it('of a schema that was stored, and has a reference that leads nowhere, is a refusal', async () => {
    const schema = {
      $schema: DRAFTS['draft-07'],
      type: 'object',
      properties: { a: { $id: 'https://example.com/b/', $ref: 'part' } },
      definitions: { p: { $id: 'https://example.com/b/part', type: 'integer' } },
    };
    expect(await engine.validate({ hash: 'nowhere', schema }, { a: 1 }, 7)).toMatchObject({
      ok: false,
      failure: { error: 'schema_too_complex', members: { reason: 'validator' } },
    });
  });

  it('keeps working when more schemas are used than are kept compiled', async () => {
    const small = createSchemaEngine({ ...DEFAULT_LIMITS, compiledSchemasMax: 2 });
    for (let round = 0; round < 2; round += 1) {
      for (let i = 0; i < 4; i += 1) {
        const schema = {
          hash: `h${i}`,
          schema: object({ required: [`a${i}`], properties: { u: { format: 'url' } } }),
        };
        const result = await small.validate(schema, {}, 2);
        expect(result).toMatchObject({ value: [{ expected: { required: `a${i}` } }] });
      }
    }
    await small.close();
  });

  describe('that hangs', () => {
    const node = { properties: { next: { $ref: '#/$defs/node' } } };
    const schema = object({ $ref: '#/$defs/node', $defs: { node: { allOf: [node, node] } } });
    // As if it had been admitted: a trial can miss what a document finds.
    const hanging = { hash: 'hanging', schema };
    const deep = JSON.parse('{"next":'.repeat(60) + '{}' + '}'.repeat(60)) as JsonValue;
    const limits: Limits = { ...DEFAULT_LIMITS, validationMs: 500 };

    it('fails alone, and neither the loop nor the jobs behind it are held', async () => {
      const short = createSchemaEngine(limits);
      const unique = {
        hash: 'unique',
        schema: object({ properties: { a: { uniqueItems: true }, b: { format: 'url' } } }),
      };
      const turns = await turnsDuring(async () => {
        const results = await Promise.all([
          short.validate(hanging, deep, 600),
          short.validate(unique, { a: [1, 1] }, 11),
          short.validate(hanging, deep, 600),
          short.validate(unique, { a: [1, 2] }, 11),
          short.validate(unique, { a: [3, 3] }, 11),
        ]);
        expect(results).toMatchObject([
          { ok: false, failure: { error: 'schema_too_complex' } },
          { ok: true, value: [{ pointer: '/a', keyword: 'uniqueItems' }] },
          { ok: false, failure: { error: 'schema_too_complex' } },
          { ok: true, value: [] },
          { ok: true, value: [{ pointer: '/a' }] },
        ]);
      });
      expect(turns).toBeGreaterThan(5);
      await short.close();
    });
  });

  it('that needs a deep stack is answered, not thrown on', async () => {
    const chain = Object.fromEntries(
      Array.from({ length: 90 }, (_, i) => [`d${i}`, { $ref: `#/$defs/d${i + 1}` }]),
    );
    const last = { type: 'object', properties: { next: { $ref: '#/$defs/d0' } } };
    const schema = { hash: 'chain', schema: object({ $ref: '#/$defs/d0', $defs: { ...chain, d90: last } }) };
    const document = JSON.parse('{"next":'.repeat(63) + '{}' + '}'.repeat(63)) as JsonValue;
    const result = await engine.validate(schema, document, 700);
    if (!result.ok) expect(result.failure.error).toBe('schema_too_complex');
  });

  it('of a closed engine fails, also where it was under way', async () => {
    const closing = createSchemaEngine(DEFAULT_LIMITS);
    const pending = closing.admit(object({}), 'document');
    const failed = expect(pending).rejects.toThrow(/closed/);
    await closing.close();
    await failed;
    await expect(closing.admit(object({}), 'document')).rejects.toThrow(/closed/);
  });
});
