// How a refusal reads on a terminal.
import { expect, it } from 'vitest';
import { failureText } from '../../../src/cli/text/failure-text.js';
import { fail } from '../../../src/domain/errors.js';

const violation = { pointer: '/a', keyword: 'enum', message: 'must be 1; it is 2', expected: { enum: [1] } };

it('says each place once, though the detail tells of the first one', () => {
  const { failure } = fail('validation_failed', '/a: must be 1; it is 2 (and 1 more). Nothing was written.', {
    errors: [violation, { ...violation, pointer: '/b' }],
  });
  expect(failureText(failure).split('\n').slice(1, 3)).toEqual([
    '  /a: must be 1; it is 2 (expected {"enum":[1]})',
    '  /b: must be 1; it is 2 (expected {"enum":[1]})',
  ]);
});

it('says a detail that says more', () => {
  const { failure } = fail('validation_failed', 'The document does not fit.', { errors: [violation] });
  expect(failureText(failure).split('\n')[1]).toBe('  The document does not fit.');
});
