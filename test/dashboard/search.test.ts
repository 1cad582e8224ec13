// The part of an address after the `?`, read and written.
import { describe, expect, it } from 'vitest';
import { listOf, number, parseSearch, stringifySearch, text, texts } from '../../src/dashboard/search.js';
import { ageOf } from '../../src/dashboard/api/queries.js';

const LOOKS_LIKE_JSON = [
  '123',
  '1e3',
  '007',
  'true',
  'null',
  '"a"',
  '[1]',
  '{"a":1}',
  ' 1',
  '12345678901234567890',
];

describe('a text in the address', () => {
  it.each(LOOKS_LIKE_JSON)('is %j as it stands there', (given) => {
    const search = `?root=${encodeURIComponent(given)}`;
    expect(listOf([])(parseSearch(search)).root).toBe(given);
    expect(text(parseSearch(stringifySearch({ root: given }))['root'])).toBe(given);
  });

  it('is none where it is empty, and the first where it is there twice', () => {
    expect(text(parseSearch('?root=')['root'])).toBeUndefined();
    expect(text(parseSearch('?root=a&root=b')['root'])).toBe('a');
  });
});

it('a version is a whole number from 1 on', () => {
  expect(['7', 7, '0', '-1', '1.5', 'x', '', undefined].map(number)).toEqual([
    7,
    7,
    ...Array(6).fill(undefined),
  ]);
});

it('a list is written as JSON, and read as it was', () => {
  const open = ['ses_1.pending.none', 'ses_2.pending.none'];
  expect(texts(parseSearch(stringifySearch({ open }))['open'])).toEqual(open);
  expect(['[', '[]', '[1]', 'a', undefined].map(texts)).toEqual(Array(5).fill(undefined));
});

it('what is not given is not written', () => {
  expect(stringifySearch({ root: undefined })).toBe('');
  expect(stringifySearch({ root: undefined, at: 3 })).toBe('?at=3');
});

it('an age that there is not counts as none', () => {
  expect(['hour', 'day', 'week', 'bogus', 'toString', ''].map(ageOf)).toEqual([
    'hour',
    'day',
    'week',
    undefined,
    undefined,
    undefined,
  ]);
});
