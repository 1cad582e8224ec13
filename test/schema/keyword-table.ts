// Every keyword of every draft, with values that it accepts and values that it refuses. Data only.
import type { JsonObject, JsonValue } from '../../src/domain/json/json.js';

export interface Row {
  /** What stands beside `$schema`. */
  readonly schema: JsonObject;
  readonly valid: readonly JsonValue[];
  /** None where the keyword says nothing of a document. */
  readonly invalid: readonly JsonValue[];
}

const note = (keyword: string, value: JsonValue): Row => ({
  schema: { [keyword]: value, type: 'object' },
  valid: [{}],
  invalid: [],
});
const only = (keyword: string, value: JsonValue, valid: JsonValue[], invalid: JsonValue[]): Row => ({
  schema: { [keyword]: value },
  valid,
  invalid,
});
const number = { type: 'number' };
const text = { type: 'string' };

/** For each keyword the rows that show it, in every draft that has it. */
export const ROWS: Readonly<Record<string, readonly Row[]>> = {
  $comment: [note('$comment', 'c')],
  title: [note('title', 't')],
  description: [note('description', 'd')],
  default: [note('default', { any: 1 })],
  examples: [note('examples', [1])],
  deprecated: [note('deprecated', true)],
  readOnly: [note('readOnly', true)],
  writeOnly: [note('writeOnly', true)],
  contentEncoding: [only('contentEncoding', 'base64', ['%'], [])],
  contentMediaType: [only('contentMediaType', 'application/json', ['{'], [])],
  contentSchema: [only('contentSchema', { type: 'number' }, ['"x"'], [])],
  $vocabulary: [note('$vocabulary', { 'https://example.com/vocabulary': true })],
  $schema: [{ schema: { properties: { a: { maximum: 1 } } }, valid: [{ a: 1 }], invalid: [{ a: 2 }] }],
  $id: [
    {
      schema: {
        $id: 'https://example.com/plan/whole',
        properties: { a: { $ref: 'part' }, b: { $ref: '/plan/part' } },
        definitions: { p: { $id: 'part', type: 'string' } },
      },
      valid: [{ a: 'x', b: 'y' }],
      invalid: [{ a: 1 }, { b: 1 }],
    },
  ],
  $ref: [
    {
      schema: {
        properties: { next: { $ref: '#' }, n: { $ref: '#/definitions/n%25~1~0' } },
        additionalProperties: false,
        definitions: { 'n%/~': number },
      },
      valid: [{ next: { next: { n: 1 } } }],
      invalid: [{ next: { other: 1 } }, { next: { n: 'x' } }],
    },
    {
      schema: { allOf: [{ $ref: '#/definitions/no' }], definitions: { no: false } },
      valid: [],
      invalid: [1, {}],
    },
  ],
  $defs: [{ schema: { allOf: [{ $ref: '#/$defs/a' }], $defs: { a: number } }, valid: [1], invalid: ['x'] }],
  definitions: [
    {
      schema: { allOf: [{ $ref: '#/definitions/a' }], definitions: { a: number } },
      valid: [1],
      invalid: ['x'],
    },
  ],
  $anchor: [
    {
      schema: { properties: { a: { $ref: '#here' } }, $defs: { x: { $anchor: 'here', ...number } } },
      valid: [{ a: 1 }],
      invalid: [{ a: 'x' }],
    },
  ],
  $dynamicAnchor: [
    {
      schema: { items: { $ref: '#here' }, $defs: { x: { $dynamicAnchor: 'here', ...number } } },
      valid: [[1]],
      invalid: [['x']],
    },
  ],
  $dynamicRef: [
    {
      schema: {
        $id: 'https://example.com/names',
        $ref: 'list',
        $defs: {
          own: { $dynamicAnchor: 'entry', ...text },
          list: {
            $id: 'list',
            items: { $dynamicRef: '#entry' },
            $defs: { any: { $dynamicAnchor: 'entry' } },
          },
        },
      },
      valid: [['x'], 7],
      invalid: [[1]],
    },
    {
      // A list of numbers and one of texts, which share the list.
      schema: {
        $id: 'https://example.com/both',
        properties: { n: { $ref: 'numbers' }, t: { $ref: 'texts' } },
        $defs: {
          numbers: { $id: 'numbers', $ref: 'list', $defs: { own: { $dynamicAnchor: 'entry', ...number } } },
          texts: { $id: 'texts', $ref: 'list', $defs: { own: { $dynamicAnchor: 'entry', ...text } } },
          list: { $id: 'list', items: { $dynamicRef: '#entry' }, $defs: { e: { $dynamicAnchor: 'entry' } } },
        },
      },
      valid: [{ n: [1], t: ['x'] }],
      invalid: [{ n: ['x'] }, { t: [1] }],
    },
    {
      // Without a dynamic anchor where it leads, it is `$ref`.
      schema: {
        $id: 'https://example.com/fixed',
        $ref: 'list',
        $defs: {
          own: { $dynamicAnchor: 'entry', ...text },
          list: { $id: 'list', items: { $dynamicRef: '#entry' }, $defs: { e: { $anchor: 'entry' } } },
        },
      },
      valid: [['x'], [1]],
      invalid: [],
    },
  ],
  $recursiveAnchor: [
    {
      schema: {
        $id: 'https://example.com/closed',
        $recursiveAnchor: true,
        $ref: 'open',
        unevaluatedProperties: false,
        $defs: {
          open: { $id: 'open', $recursiveAnchor: true, properties: { next: { $recursiveRef: '#' } } },
        },
      },
      valid: [{ next: { next: {} } }],
      invalid: [{ next: { other: 1 } }],
    },
  ],
  $recursiveRef: [
    {
      schema: {
        $id: 'https://example.com/outer',
        type: ['integer', 'object'],
        allOf: [{ $ref: 'inner' }],
        $defs: {
          inner: { $id: 'inner', type: ['object', 'string'], additionalProperties: { $recursiveRef: '#' } },
        },
      },
      valid: [{ a: 'x' }, { a: { b: 'x' } }],
      invalid: [{ a: 1 }, 1],
    },
  ],
  type: [
    only('type', 'integer', [1, 1.0, 1e300, -0], [1.5, '1', true, null]),
    only('type', ['null', 'array'], [null, []], [{}, 0, false]),
  ],
  enum: [
    only(
      'enum',
      [0, 'a', { toString: 1 }, [false]],
      [0, -0, 'a', { toString: 1 }, [false]],
      [false, [0], {}, '0'],
    ),
  ],
  const: [
    only('const', { a: [1, { valueOf: null }] }, [{ a: [1, { valueOf: null }] }], [{ a: [1, {}] }, {}, null]),
    only('const', 1, [1, 1.0], [true, '1', [1]]),
  ],
  multipleOf: [
    only('multipleOf', 0.01, [0.07, 4.35, 1.1, -0.29, 0, 'x', 1e300], [0.075, 0.001]),
    only('multipleOf', 1e-8, [12_391_239_123, 1e-8, 1e308], [1e-9]),
    only('multipleOf', 0.5, [1e308, 2.5], [0.25]),
    only('multipleOf', 3, [9, 3e20], [10, 1e308]),
  ],
  maximum: [
    only('maximum', 3, [3, 'x'], [3.1]),
    only('maximum', 18446744073709551615, [18446744073709551000], [1e20]),
  ],
  exclusiveMaximum: [only('exclusiveMaximum', 3, [2.9], [3])],
  minimum: [only('minimum', -2, [-2, null], [-2.1])],
  exclusiveMinimum: [only('exclusiveMinimum', 0, [0.1], [0, -0])],
  maxLength: [only('maxLength', 2, ['🐉🐉', 'ab', 100], ['abc'])],
  minLength: [only('minLength', 2, ['🐉🐉'], ['🐉', 'a'])],
  pattern: [
    only('pattern', '^a.\\s$', ['ab\u00a0', 'ab\ufeff', 'a🐉\u2028', 5], ['a\n ', 'ab', 'ab\u200b']),
    only('pattern', '^\\p{Letter}\\p{Script=Greek}[^\\D]$', ['éα7'], ['1α7', 'éa7', 'éα٣']),
    only('pattern', 'b', ['abc'], ['ac']),
  ],
  maxItems: [only('maxItems', 1, [[1], {}], [[1, 2]])],
  minItems: [only('minItems', 1, [[1], 'x'], [[]])],
  uniqueItems: [
    only(
      'uniqueItems',
      true,
      [
        [1, true, '1', [1], [true], { a: 1 }, null],
        [{ valueOf: 1 }, { valueOf: 2 }],
      ],
      [
        [0, -0],
        [
          { a: 1, b: [2] },
          { b: [2], a: 1 },
        ],
        [{ valueOf: 1 }, { valueOf: 1 }],
      ],
    ),
    only('uniqueItems', false, [[1, 1]], []),
  ],
  maxProperties: [only('maxProperties', 1, [{ a: 1 }, []], [{ a: 1, b: 2 }])],
  minProperties: [only('minProperties', 1, [{ a: 1 }, 1], [{}])],
  required: [
    only('required', ['toString', 'a'], [{ toString: 1, a: 2 }, []], [{}, { a: 1 }]),
    { schema: { not: { required: [''] } }, valid: [{}, { a: 1 }], invalid: [{ '': 1 }, []] },
    {
      schema: { if: { required: ['a', ''] }, then: false },
      valid: [{}, { a: 1 }, { '': 1 }],
      invalid: [{ a: 1, '': 1 }],
    },
  ],
  items: [only('items', number, [[], [1], {}], [['x']]), only('items', false, [[]], [[1]])],
  additionalItems: [
    { schema: { items: [true], additionalItems: number }, valid: [['x', 1]], invalid: [['x', 'y']] },
    { schema: { additionalItems: false }, valid: [[1, 2]], invalid: [] },
  ],
  prefixItems: [
    { schema: { prefixItems: [number], items: false }, valid: [[], [1]], invalid: [['x'], [1, 2]] },
    only('prefixItems', [number], [[1, 'x']], [['x']]),
  ],
  contains: [only('contains', number, [['x', 1], {}], [[], ['x']])],
  minContains: [
    { schema: { contains: number, minContains: 2 }, valid: [[1, 2]], invalid: [[1, 'x']] },
    { schema: { contains: number, minContains: 0 }, valid: [[], ['x']], invalid: [] },
    { schema: { minContains: 3 }, valid: [[]], invalid: [] },
  ],
  maxContains: [
    { schema: { contains: number, maxContains: 1 }, valid: [[1, 'x']], invalid: [[1, 2], []] },
    { schema: { contains: number, minContains: 0, maxContains: 1 }, valid: [[]], invalid: [[1, 2]] },
  ],
  properties: [
    only(
      'properties',
      { toString: number, a: false },
      [{}, { toString: 1 }, []],
      [{ toString: 'x' }, { a: 1 }],
    ),
  ],
  patternProperties: [
    only('patternProperties', { '^\\S$': number }, [{ a: 1, '\u00a0': 'x' }], [{ a: 'x' }]),
  ],
  additionalProperties: [
    {
      schema: { properties: { a: true }, patternProperties: { '^x': true }, additionalProperties: number },
      valid: [{ a: 'x', x1: 'x', b: 1 }],
      invalid: [{ b: 'x' }, { toString: 'x' }],
    },
  ],
  propertyNames: [only('propertyNames', { maxLength: 2 }, [{ ab: 1 }], [{ abc: 1 }])],
  dependencies: [
    only(
      'dependencies',
      { a: ['b'], c: { required: ['d'] }, e: false },
      [{}, { a: 1, b: 1 }, { c: 1, d: 1 }],
      [{ a: 1 }, { c: 1 }, { e: 1 }],
    ),
    { schema: { not: { dependencies: { a: [''] } } }, valid: [{ a: 1 }], invalid: [{}, { a: 1, '': 1 }] },
  ],
  dependentRequired: [
    only('dependentRequired', { a: ['toString'] }, [{}, { a: 1, toString: 1 }], [{ a: 1 }]),
    {
      schema: { not: { dependentRequired: { a: ['b', ''] } } },
      valid: [{ a: 1 }, { a: 1, b: 1 }],
      invalid: [{}, { a: 1, b: 1, '': 1 }],
    },
  ],
  dependentSchemas: [only('dependentSchemas', { a: { minProperties: 2 } }, [{}, { a: 1, b: 1 }], [{ a: 1 }])],
  allOf: [only('allOf', [number, { minimum: 1 }], [1], [0, 'x'])],
  anyOf: [only('anyOf', [number, { minLength: 2 }], [1, 'ab', null], ['a'])],
  oneOf: [only('oneOf', [number, { minimum: 2 }], [1, 'x'], [2])],
  not: [only('not', number, ['x'], [1]), only('not', {}, [], [1, {}])],
  if: [
    only('if', { const: 1 }, [1, 2], []),
    {
      schema: { if: number, then: { minimum: 1 }, else: { minLength: 1 } },
      valid: [1, 'x'],
      invalid: [0, ''],
    },
  ],
  then: [only('then', false, [1], []), { schema: { if: number, then: false }, valid: ['x'], invalid: [1] }],
  else: [only('else', false, [1], []), { schema: { if: number, else: false }, valid: [1], invalid: ['x'] }],
  format: [
    only('format', 'date', ['2026-02-28', 1], ['2026-02-30', 'x']),
    only(
      'format',
      'time',
      ['08:30:00Z', '08:30:00.5+01:00', '23:59:60z', '00:29:60+00:30', '15:59:60-08:00'],
      ['08:30:00', '08:30:00+0100', '08:30:00+01', '24:59:00+01:00', '22:59:60Z', '08:30:00Z\n', '00:00:61Z'],
    ),
    only(
      'format',
      'date-time',
      ['2026-02-28t08:30:00z', '2016-12-31T23:59:60Z'],
      ['2026-02-30T08:30:00Z', '2026-02-28 08:30:00Z', '2026-02-28T08:30:00+0100', '2026-02-28T08:30:60Z'],
    ),
    only('format', 'email', ['a@b.c', '"a b"@c.d'], ['a', 'a b@c.d']),
    only('format', 'hostname', ['a.b', 'xn--bcher-kva.example'], ['a_b', 'a.', 'xn--X', '']),
    only('format', 'regex', ['^(?=a)', '\\p{Lu}'], ['\\Z', '(']),
    only('format', 'uri', ['a:b', 'http://[::1]/'], ['//a', 'http://a b', 'a:\\b']),
  ],
  unevaluatedProperties: [
    {
      schema: {
        properties: { a: true },
        patternProperties: { '^x': true },
        anyOf: [{ properties: { b: number }, required: ['b'] }, { properties: { c: true } }],
        unevaluatedProperties: false,
      },
      valid: [{ a: 1, x1: 1, b: 1, c: 1 }, { c: 1 }, []],
      invalid: [{ b: 'x' }, { d: 1 }],
    },
    {
      schema: { if: { properties: { a: number }, required: ['a'] }, unevaluatedProperties: { maxLength: 1 } },
      valid: [{ a: 1, b: 'x' }, { a: 'x' }],
      invalid: [{ a: 1, b: 'xx' }, { a: 'xx' }],
    },
    {
      schema: { not: { not: { properties: { a: true } } }, unevaluatedProperties: false },
      valid: [{}],
      invalid: [{ a: 1 }],
    },
    {
      schema: {
        dependentSchemas: { a: { properties: { a: true, b: true } } },
        oneOf: [
          { properties: { c: true }, required: ['c'] },
          { properties: { d: true }, required: ['d'] },
        ],
        allOf: [{ $ref: '#/$defs/e' }],
        unevaluatedProperties: false,
        $defs: { e: { properties: { e: true } } },
      },
      valid: [{ a: 1, b: 1, c: 1, e: 1 }, { d: 1 }],
      invalid: [
        { b: 1, c: 1 },
        { c: 1, d: 1 },
      ],
    },
  ],
  unevaluatedItems: [
    {
      schema: { anyOf: [{ items: number }, { minItems: 1 }], unevaluatedItems: false },
      valid: [[1, 2], []],
      invalid: [['x']],
    },
    {
      schema: { if: { items: number }, unevaluatedItems: text },
      valid: [[1], ['x']],
      invalid: [[1, null], [null]],
    },
  ],
};

/** Rows of what only one draft means in this way. */
export const ROWS_OF: Readonly<Record<string, readonly Row[]>> = {
  'draft-07': [
    // It ignores what stands beside `$ref`.
    {
      schema: { properties: { a: { $ref: '#/definitions/n', minimum: 5 } }, definitions: { n: number } },
      valid: [{ a: 1 }],
      invalid: [{ a: 'x' }],
    },
    {
      schema: {
        $id: 'https://example.com/a/',
        properties: { x: { $id: 'b/', $ref: 'part' } },
        definitions: { one: { $id: 'part', ...number }, other: { $id: 'b/part', ...text } },
      },
      valid: [{ x: 1 }],
      invalid: [{ x: 'x' }],
    },
    {
      schema: { properties: { x: { $ref: '#n' } }, definitions: { a: { $id: '#n', ...number } } },
      valid: [{ x: 1 }],
      invalid: [{ x: 'x' }],
    },
    { schema: { items: [number] }, valid: [[1, 'x']], invalid: [['x']] },
  ],
  '2019-09': [
    {
      schema: { items: [number], anyOf: [{ items: [true, text] }, true], unevaluatedItems: false },
      valid: [[1], [1, 'x']],
      invalid: [
        [1, 2],
        [1, 'x', 1],
      ],
    },
    {
      schema: {
        $id: 'https://example.com/w',
        $ref: 'part',
        minimum: 5,
        $defs: { p: { $id: 'part', ...number } },
      },
      valid: [5],
      invalid: [4, 'x'],
    },
  ],
  '2020-12': [
    {
      schema: { prefixItems: [true], contains: number, unevaluatedItems: false },
      valid: [['x', 1, 2], [1]],
      invalid: [['x', 1, 'y'], ['x']],
    },
    {
      schema: {
        prefixItems: [number],
        anyOf: [{ prefixItems: [true, text] }, { contains: { const: 7 } }],
        unevaluatedItems: false,
      },
      valid: [
        [1, 'x'],
        [1, 7, 7],
        [1, 'x', 7],
      ],
      invalid: [
        [1, 2],
        [1, 'x', 'y'],
      ],
    },
    {
      schema: {
        $id: 'https://example.com/w',
        $ref: 'part',
        minimum: 5,
        $defs: { p: { $id: 'part', ...number } },
      },
      valid: [5],
      invalid: [4, 'x'],
    },
  ],
};
