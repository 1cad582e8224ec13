// schemas/code-review.json, as users start from it.
import { readFileSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { CHILDREN } from '../../src/demo/children.js';
import { DEFAULT_LIMITS } from '../../src/domain/limits.js';
import { createSchemaEngine } from '../../src/schema/index.js';

const schema = JSON.parse(readFileSync(new URL('../../schemas/code-review.json', import.meta.url), 'utf8'));
const engine = createSchemaEngine(DEFAULT_LIMITS);
afterAll(() => engine.close());

/** Schemas of members, with their pointers. */
function membersOf(value: any, pointer: string): [string, any][] {
  if (typeof value !== 'object' || value === null) return [];
  const own = Object.entries(value.type === 'object' ? (value.properties ?? {}) : {});
  return [
    ...own.map(([name, one]): [string, any] => [`${pointer}/properties/${name}`, one]),
    ...Object.entries(value).flatMap(([name, one]) => membersOf(one, `${pointer}/${name}`)),
  ];
}

it('the schema of a review is admitted', async () => {
  expect(await engine.admit(schema, 'document')).toMatchObject({ ok: true });
});

it('the schema names its draft', () => {
  expect(schema.$schema).toBe('https://json-schema.org/draft/2020-12/schema');
});

it('each member of it has a title and a description', () => {
  const members = membersOf(schema, '');
  expect(members.length).toBeGreaterThan(30);
  const bare = members.filter(([, one]) => {
    const found = one.$ref === undefined ? one : schema.$defs[one.$ref.replace('#/$defs/', '')];
    return typeof found?.title !== 'string' || typeof found.description !== 'string';
  });
  expect(bare.map(([pointer]) => pointer)).toEqual([]);
});

it.each(CHILDREN.map(({ pointer }) => pointer.replace('/reviews/', '')))(
  'the definition of %s can be a contract',
  async (member) => {
    expect(await engine.admit(schema.$defs[member], 'value')).toMatchObject({ ok: true });
  },
);
