// The forms of names and ids.
import { expect, test } from 'vitest';
import { isIdOrName, NAME } from '../../src/domain/names.js';
import { Name } from '../../src/ports/api/common.js';

test('a name has the same form in rules and on the wire', () => {
  expect(NAME.source).toBe((Name as any).pattern);
});

test.each(['ses_1', 'release-42', 'a.b:c@d'])('%s can be an id or a name', (text) => {
  expect(isIdOrName(text)).toBe(true);
});

test.each(['', 'a b', '{id}', 'a/b', 'a\n'])('%j can be neither', (text) => {
  expect(isIdOrName(text)).toBe(false);
});
