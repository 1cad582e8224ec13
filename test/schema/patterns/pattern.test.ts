// Patterns match what ECMA-262 says, character by character, or are refused.
import { describe, expect, it } from 'vitest';
import { compilePattern, patternProblem } from '../../../src/schema/patterns/pattern.js';

const CHARACTERS = [
  ...Array.from({ length: 0xd800 }, (_, code) => String.fromCodePoint(code)),
  ...Array.from({ length: 0x2000 }, (_, code) => String.fromCodePoint(0xe000 + code)),
  ...['🐉', '𝒳', '\u{10FFFF}'],
];

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
    const [ours, theirs] = [compilePattern(pattern), new RegExp(pattern, 'u')];
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
    const [ours, theirs] = [compilePattern(pattern), new RegExp(pattern, 'u')];
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
});
