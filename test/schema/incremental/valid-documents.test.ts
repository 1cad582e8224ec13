// The engine on documents that follow others: the answer is that of a validation of the whole document.
import { afterAll, describe, expect, it } from 'vitest';
import { applyPatch } from '../../../src/document/index.js';
import type { JsonObject } from '../../../src/domain/json/json.js';
import { changedLocations } from '../../../src/domain/json/changed-locations.js';
import { DEFAULT_LIMITS } from '../../../src/domain/limits.js';
import type { Patch } from '../../../src/domain/json/patch.js';
import { createSchemaEngine } from '../../../src/schema/index.js';

const engine = createSchemaEngine(DEFAULT_LIMITS);
afterAll(() => engine.close());

const schema = {
  type: 'object',
  properties: {
    list: { type: 'array', items: { type: 'string', pattern: '^[a-z]+$' } },
    other: { type: 'string' },
  },
} satisfies JsonObject;

async function admitted(one: JsonObject) {
  const result = await engine.admit(one, 'document');
  if (!result.ok) throw new Error(result.failure.detail);
  return result.value;
}

const listOf = (count: number, item: string): JsonObject => ({
  list: Array.from({ length: count }, () => item),
});
const bytesOf = (document: JsonObject) => Buffer.byteLength(JSON.stringify(document));

function placesOf(patch: Patch) {
  const places = changedLocations(patch);
  if (places === null) throw new Error('not a patch');
  return places;
}

async function following(before: JsonObject, patch: Patch, of: JsonObject = schema) {
  const after = applyPatch(before, patch);
  const known = await admitted(of);
  const whole = await engine.validate(known, after, bytesOf(after));
  const changed = await engine.validate(known, after, bytesOf(after), { before, locations: placesOf(patch) });
  expect(changed).toEqual(whole);
  return { after, found: changed.ok ? changed.value : [] };
}

describe('a document that follows another one', () => {
  it('is refused where a reference to the whole schema refuses it, also without definitions', async () => {
    const tree = {
      type: 'object',
      properties: { children: { type: 'array', items: { $ref: '#' } } },
    } satisfies JsonObject;
    const first = { pad: 'x'.repeat(3000) };
    const second = await following(first, [{ op: 'add', path: '/children', value: [{}] }], tree);
    expect(second.found).toEqual([]);
    const wrong = await following(second.after, [{ op: 'replace', path: '/children', value: [[]] }], tree);
    expect(wrong.found).toMatchObject([{ pointer: '/children/0', keyword: 'type' }]);
  });

  it('has the violations of the whole document, whatever was known of the one before', async () => {
    const first = listOf(1000, 'abcdef');
    // The one before is not known yet.
    const second = await following(first, [{ op: 'add', path: '/other', value: 'x' }]);
    expect(second.found).toEqual([]);
    const third = await following(second.after, [{ op: 'replace', path: '/list/7', value: 'ghi' }]);
    expect(third.found).toEqual([]);
    const wrong = await following(third.after, [{ op: 'replace', path: '/list/7', value: 'GHI' }]);
    expect(wrong.found).toMatchObject([{ pointer: '/list/7', keyword: 'pattern' }]);
    // What was refused is no base to trust.
    const still = await following(wrong.after, [{ op: 'replace', path: '/other', value: 'y' }]);
    expect(still.found).toMatchObject([{ pointer: '/list/7', keyword: 'pattern' }]);
  });

  it('is validated as a whole if the one before was never validated, such as one whose rows were edited', async () => {
    const edited = listOf(1000, 'ABCDEF');
    const { found } = await following(edited, [{ op: 'add', path: '/other', value: 'x' }]);
    expect(found).toHaveLength(DEFAULT_LIMITS.violationsMax);
  });

  it('is validated as a whole if the one before was valid under another schema', async () => {
    const { after: before } = await following(listOf(1000, 'abcdef'), [
      { op: 'add', path: '/other', value: 'x' },
    ]);
    const stricter = { ...schema, properties: { list: { items: { maxLength: 3 } } } };
    const { found } = await following(before, [{ op: 'replace', path: '/other', value: 'y' }], stricter);
    expect(found).toHaveLength(DEFAULT_LIMITS.violationsMax);
  });

  it('is validated where it changed after a validation in a thread, too', async () => {
    const large = listOf(40_000, 'abcdef');
    const second = await following(large, [{ op: 'add', path: '/other', value: 'x' }]);
    const after = applyPatch(second.after, [{ op: 'replace', path: '/other', value: 'y' }]);
    const change = {
      before: second.after,
      locations: placesOf([{ op: 'replace', path: '/other', value: 'y' }]),
    };
    // At once, on this thread.
    expect(engine.validate(await admitted(schema), after, bytesOf(after), change)).toEqual({
      ok: true,
      value: [],
    });
  });
});
