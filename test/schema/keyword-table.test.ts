// Each keyword of each draft gives the verdicts of the specification, or is refused by name where the draft has it not.
import { afterAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/domain/json/json.js';
import { DEFAULT_LIMITS } from '../../src/domain/limits.js';
import { createSchemaEngine } from '../../src/schema/index.js';
import { KEYWORDS } from '../../src/schema/lowering/vocabulary.js';
import { ROWS, ROWS_OF, type Row } from './keyword-table.js';

const engine = createSchemaEngine(DEFAULT_LIMITS);
afterAll(() => engine.close());

const DRAFTS = [
  ['draft-07', 'draft-07', '$ref $schema $id definitions'],
  ['2019-09', 'draft/2019-09', '$recursiveRef'],
  ['2020-12', 'draft/2020-12', '$dynamicRef'],
] as const;

async function verdicts($schema: string, row: Row) {
  const admitted = await engine.admit({ $schema, ...row.schema }, 'value');
  if (!admitted.ok) throw new Error(`${JSON.stringify(row.schema)}: ${admitted.failure.detail}`);
  const holds = async (document: Row['valid'][number]) => {
    const found = await engine.validate(admitted.value, document, JSON.stringify(document).length);
    if (!found.ok) throw new Error(found.failure.detail);
    return { schema: row.schema, document, valid: found.value.length === 0 };
  };
  return Promise.all([...row.valid, ...row.invalid].map(holds));
}

const expected = (row: Row) => [
  ...row.valid.map((document) => ({ schema: row.schema, document, valid: true })),
  ...row.invalid.map((document) => ({ schema: row.schema, document, valid: false })),
];

describe.each(DRAFTS)('in %s', (draft, path) => {
  const uri = `https://json-schema.org/${path}/schema`;
  const own = [...KEYWORDS[draft]].sort();

  it.each(own)('%s gives the verdicts of the specification', async (keyword) => {
    const rows = ROWS[keyword] ?? [];
    // What a row needs beside the keyword may be missing in this draft.
    const usable = rows.filter((row) => wordsOf(row.schema).every((word) => KEYWORDS[draft].has(word)));
    expect(usable).not.toEqual([]);
    for (const row of usable) expect(await verdicts(uri, row)).toEqual(expected(row));
  });

  it('what only this draft means gives its verdicts', async () => {
    for (const row of ROWS_OF[draft] ?? []) expect(await verdicts(uri, row)).toEqual(expected(row));
  });

  it('keywords of other drafts are refused by name', async () => {
    for (const keyword of Object.keys(ROWS).filter((word) => !KEYWORDS[draft].has(word))) {
      const admitted = await engine.admit({ $schema: uri, [keyword]: true }, 'value');
      expect(admitted).toMatchObject({
        ok: false,
        failure: { error: 'invalid_schema', members: { errors: [{ pointer: `/${keyword}` }] } },
      });
    }
  });

  it.each(['http://', 'https://'])(
    'is named with %s, with and without an empty fragment, at any place',
    async (scheme) => {
      for (const end of ['', '#']) {
        const $schema = `${scheme}json-schema.org/${path}/schema${end}`;
        const inner = { $id: 'https://example.com/inner', $schema: uri, type: 'number' };
        const row = { schema: { properties: { a: inner } }, valid: [{ a: 1 }], invalid: [{ a: 'x' }] };
        expect(await verdicts($schema, row)).toEqual(expected(row));
      }
    },
  );
});

/** The keywords at the places of a schema that a draft may lack. */
function wordsOf(schema: JsonObject): string[] {
  const text = JSON.stringify(schema);
  return [
    'prefixItems',
    'additionalItems',
    '$dynamicRef',
    '$recursiveRef',
    'dependentSchemas',
    '$anchor',
  ].filter((word) => text.includes(`"${word}":`));
}

describe('the table', () => {
  it('has rows for every keyword of every draft, and no others', () => {
    const known = new Set(Object.values(KEYWORDS).flatMap((words) => [...words]));
    expect(Object.keys(ROWS).sort()).toEqual([...known].sort());
  });
});
