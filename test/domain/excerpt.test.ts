import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundedJson, boundedText, outlineOf } from '../../src/domain/excerpt.js';
import { isLongerThan } from '../../src/domain/json/text-size.js';

const NOTE_CHARACTERS_MAX = 64;

describe('an excerpt', () => {
  it('is the text itself where it fits', () => {
    expect(boundedText('abc', 3)).toBe('abc');
    expect(boundedJson({ a: 1 }, 7)).toBe('{"a":1}');
  });

  it('keeps the beginning and the end, and counts what it leaves out', () => {
    expect(boundedText('0123456789abcdef', 10)).toBe('0123456\n[… 6 characters left out …]\ndef');
  });

  it('never tears a character', () => {
    const text = '😀'.repeat(50);
    for (let size = 2; size < 60; size += 1)
      expect(boundedText(text, size)).not.toMatch(
        /(^|[^\ud800-\udbff])[\udc00-\udfff]|[\ud800-\udbff]($|[^\udc00-\udfff])/,
      );
  });

  it('is bounded, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 400 }), fc.integer({ min: 1, max: 200 }), (text, max) => {
        expect(boundedText(text, max).length).toBeLessThanOrEqual(max + 1 + NOTE_CHARACTERS_MAX);
      }),
    );
  });

  it('is bounded, whatever the value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), fc.integer({ min: 10, max: 300 }), (value, max) => {
        const json = JSON.parse(JSON.stringify(value));
        expect(boundedJson(json, max).length).toBeLessThanOrEqual(max + 1 + NOTE_CHARACTERS_MAX);
      }),
    );
  });

  it('is needed where the JSON text is longer than the bound, and only there', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), fc.integer({ min: 0, max: 100 }), (value, max) => {
        const text = JSON.stringify(value);
        const json = JSON.parse(text);
        expect(isLongerThan(json, max)).toBe(text.length > max);
        expect(isLongerThan(json, text.length)).toBe(false);
        expect(isLongerThan(json, text.length - 1)).toBe(true);
      }),
    );
  });

  it('outlines the top level of what is too large', () => {
    const value = { tasks: [1, 2], 'a/b': { x: 1 }, note: 'x'.repeat(100), short: 'y', n: null };
    expect(outlineOf(value, 1000)).toBe(
      [
        '- /tasks: array of 2',
        '- /a~1b: object of 1 members',
        '- /note: string of 100 characters',
        '- /short: "y"',
        '- /n: null',
      ].join('\n'),
    );
    expect(outlineOf(value, 60)).toBe('- /tasks: array of 2\n- /a~1b: object of 1 members\n- … 3 more');
  });

  it('says how many items of a long array it leaves out', () => {
    expect(
      outlineOf(
        Array.from({ length: 300 }, () => 0),
        1_000_000,
      ),
    ).toMatch(/- \/199: 0\n- … 100 more$/);
    expect(
      outlineOf(
        Array.from({ length: 300 }, () => 0),
        20,
      ),
    ).toBe('- /0: 0\n- /1: 0\n- … 298 more');
  });
});
