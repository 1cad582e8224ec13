// Patterns match what ECMA-262 says, character by character, or are refused.
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { parsePattern, re2Of } from '../../../src/schema/patterns/ecma-pattern.js';
import { isLinear } from '../../../src/schema/patterns/linear.js';
import { compilePattern, patternProblem } from '../../../src/schema/patterns/pattern.js';
import { runs } from '../../support/runs.js';

const CHARACTERS = [
  ...Array.from({ length: 0xd800 }, (_, code) => String.fromCodePoint(code)),
  ...Array.from({ length: 0x2000 }, (_, code) => String.fromCodePoint(0xe000 + code)),
  ...['🐉', '𝒳', '\u{10FFFF}'],
];

/** As RE2, also where the platform's own engine is used. */
const re2 = (pattern: string) => RE2JS.compile(re2Of(pattern));

describe('a pattern', () => {
  it.each([
    '^\\s$',
    '^\\S$',
    '^\\w$',
    '^\\W$',
    '^\\d$',
    '^\\D$',
    '^.$',
    '^[^\\s\\d]$',
    '^[\\S]$',
    '^[^]$',
    '^[]$',
    '^[\\W_]$',
    '^\\p{ASCII}$',
  ])('%s matches the characters that JavaScript matches', (pattern) => {
    const theirs = new RegExp(pattern, 'u');
    for (const ours of [compilePattern(pattern), re2(pattern)])
      expect(CHARACTERS.filter((one) => ours.test(one) !== theirs.test(one))).toEqual([]);
  });

  it.each([
    ['^abc$', ['abc', 'abc\n', '\nabc', 'abcd']],
    ['\\bfoo\\b', ['a foo b', 'éfoo', 'foos']],
    ['^(?:a|b){2,3}?$', ['ab', 'a', 'abab']],
    ['^(?<year>\\d{4})-\\u{1F409}\\u0041\\x42\\cJ$', ['2026-🐉AB\n', '2026']],
    ['^[\\u{1F400}-\\u{1F410}\\-\\]]+$', ['🐉-]', 'x']],
    ['^(a*)*$', ['', 'aaa', 'b']],
    ['^\\p{Letter}\\p{Script=Greek}\\P{Nd}\\p{gc=Lu}$', ['éαxA', 'éα1A', '1αxA', 'éaxA']],
    ['a{0}b|^$', ['', 'b', 'a']],
    ['^🐉*$', ['🐉🐉', '🐲', '']],
    ['^\\/\\$\\(\\.$', ['/$(.', '/$(x']],
  ])('%s gives the answers of JavaScript', (pattern, texts) => {
    const theirs = new RegExp(pattern, 'u');
    for (const ours of [compilePattern(pattern), re2(pattern)])
      expect(texts.map((text) => ours.test(text))).toEqual(texts.map((text) => theirs.test(text)));
  });

  it('may escape what needs no escape', () => {
    expect(compilePattern('^\\@\\_\\-\\"\\d{1}$').test('@_-"7')).toBe(true);
  });

  it.each([
    '(?=a)',
    '(?<!a)',
    '(a)\\1',
    '\\k<x>(?<x>a)',
    'a{1001}',
    '\\Z',
    '\\a',
    '\\p{Lettre}',
    '\\p{Emoji}',
    '\\p{Cn}',
    '(',
    '[b-a]',
    '\\8',
  ])('%s is refused', (pattern) => {
    expect(patternProblem(pattern)).toEqual(expect.any(String));
  });

  it.each([
    '^task-[0-9]{6}$',
    '^[0-9a-f]{40}$',
    '^[a-z0-9-]+$',
    '^[A-Z]{2,5}-\\d$',
    '[0-9]{4}',
    '^$',
    '',
    '^a?[^b]{3}.\\w$',
  ])('%s is matched by the platform', (pattern) => {
    expect(isLinear(parsePattern(pattern))).toBe(true);
    expect(compilePattern(pattern)).toBeInstanceOf(RegExp);
  });

  it.each(['(a+)+$', '^a+b+$', 'a+$', '^a|b$', '^(?:a)$', '^\\bfoo$', '^[a-z]*[0-9]{2,}$', '^\\-$'])(
    '%s is matched by RE2',
    (pattern) => {
      expect(compilePattern(pattern)).toBeInstanceOf(RE2JS);
    },
  );

  const atom = fc.constantFrom(
    'a',
    'b',
    '[ab]',
    '[^a]',
    '.',
    '\\d',
    '\\w',
    '\\s',
    '[\\s\\d]',
    '\u{1F409}',
    '\\u{1F409}',
  );
  const count = fc.constantFrom('', '', '', '{2}', '{3}', '*', '+', '?', '{1,2}', '{0,3}?', '+?', '{2,}');
  const pattern = fc
    .record({
      start: fc.constantFrom('^', '^', ''),
      atoms: fc.array(fc.tuple(atom, count), { maxLength: 4 }),
      end: fc.constantFrom('$', '$', ''),
    })
    .map(({ start, atoms, end }) => start + atoms.map((one) => one.join('')).join('') + end);
  const text = fc
    .array(fc.constantFrom('a', 'b', '1', '_', ' ', '\n', '\u2028', '\u{1F409}', '\ud83d', '\0'), {
      maxLength: 8,
    })
    .map((characters) => characters.join(''));

  it('gives the same answers by both', () => {
    fc.assert(
      fc.property(pattern, text, (one, subject) => {
        expect(compilePattern(one).test(subject)).toBe(re2(one).test(subject));
      }),
      { numRuns: runs(2_000) },
    );
  });
});
