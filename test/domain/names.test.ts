// The forms of names and ids.
import { expect, test } from 'vitest';
import { isIdOrName, NAME, NAME_FORM } from '../../src/domain/names.js';
import { SESSION_ID } from '../../src/domain/session-ids.js';
import { Name } from '../../src/ports/api/common.js';
import { SessionCreate } from '../../src/ports/api/sessions.js';

test('a name has the same form in rules and on the wire', () => {
  expect(NAME.source).toBe((Name as any).pattern);
  expect(NAME_FORM).toBe((Name as any).description.replace('Up', 'up'));
});

test('the id of a session has the same form in rules and on the wire', () => {
  expect(SESSION_ID.source).toBe((SessionCreate.properties.session_id as any).pattern);
});

test.each(['ses_1', 'release-42', 'a.b:c@d'])('%s can be an id or a name', (text) => {
  expect(isIdOrName(text)).toBe(true);
});

test.each(['', 'a b', '{id}', 'a/b', 'a\n'])('%j can be neither', (text) => {
  expect(isIdOrName(text)).toBe(false);
});
