import { expect, it } from 'vitest';
import { placeValue } from '../../../src/domain/states/place-value.js';

it.each([
  ['what is there is replaced', { a: 1 }, '/a', [{ op: 'replace', path: '/a', value: 9 }]],
  ['an item is replaced, not put before', { t: [1, 2] }, '/t/0', [{ op: 'replace', path: '/t/0', value: 9 }]],
  ['a new item goes to the end', { t: [1] }, '/t/1', [{ op: 'add', path: '/t/1', value: 9 }]],
  ['a new member is added', { a: {} }, '/a/b', [{ op: 'add', path: '/a/b', value: 9 }]],
  [
    'objects on the way are made',
    { a: {} },
    '/a/b~1c/d',
    [
      { op: 'add', path: '/a/b~1c', value: {} },
      { op: 'add', path: '/a/b~1c/d', value: 9 },
    ],
  ],
  ['the whole document is replaced', { a: 1 }, '', [{ op: 'replace', path: '', value: 9 }]],
  ['what stands in the way stays', { a: 1 }, '/a/b', [{ op: 'add', path: '/a/b', value: 9 }]],
])('%s', (_, document, pointer, patch) => {
  expect(placeValue(document, pointer, 9)).toEqual(patch);
});
