import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { documentText, metaOf, metaText, parseEditedMeta, parseMeta } from '../../../src/cli/mirror/texts.js';
import { state } from '../answers.js';

describe('the text of a document', () => {
  it('is indented, with sorted members', () => {
    expect(documentText({ b: [1, { d: null, c: 'x' }], a: {}, '10': [], '9': true })).toBe(
      '{\n  "10": [],\n  "9": true,\n  "a": {},\n  "b": [\n    1,\n    {\n      "c": "x",\n      "d": null\n    }\n  ]\n}\n',
    );
  });

  it('is the same for equal documents, and means the document', () => {
    const value = fc
      .jsonValue()
      .filter((one) => typeof one === 'object' && one !== null && !Array.isArray(one));
    fc.assert(
      fc.property(value, (document) => {
        const plain = JSON.parse(JSON.stringify(document));
        const turned = Object.fromEntries(Object.entries(plain).toReversed());
        expect(documentText(turned as never)).toBe(documentText(plain));
        expect(JSON.parse(documentText(plain))).toEqual(plain);
      }),
    );
  });

  it('escapes what would control a terminal', () => {
    expect(documentText({ a: '\u202e\u009b' })).toBe('{\n  "a": "\\u202e\\u009b"\n}\n');
  });
});

describe('the text of a meta file', () => {
  const meta = metaOf(state, ['ci']);
  const text = metaText(meta);

  it('has its members in order, and is read again', () => {
    expect(Object.keys(JSON.parse(text))).toEqual([
      'state_id',
      'root_session_id',
      'version',
      'schema_name',
      'schema_version',
      'updated_at',
      'updated_by',
      'tags',
    ]);
    expect(parseMeta(text)).toEqual(meta);
  });

  it('is told from an edited one, which still names its state', () => {
    const edited = text.replace('"version": 7', '"version":  8');
    expect(parseMeta(edited)).toBeNull();
    expect(parseEditedMeta(edited)).toEqual({ ...meta, version: 8 });
  });

  it.each([
    '',
    '{',
    'null',
    '[]',
    '{}',
    text.replace('"sta_1"', '1'),
    text.replace('7', '"7"'),
    text.replace('7', '0'),
  ])('is not %j', (other) => {
    expect(parseEditedMeta(other)).toBeNull();
  });
});
