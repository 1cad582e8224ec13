// The table of limits in docs/operating.md against the code, both ways.
import { expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/domain/limits.js';
import { sectionOf, tableRows, textOf } from './markdown.js';

const documented = tableRows(sectionOf(textOf('docs/operating.md'), 'All limits'));

test('docs/operating.md lists every limit with its default, in the order of the code', () => {
  const rows = documented.map(([name = '', value = '']) =>
    [name, value].map((cell) => cell.replaceAll('`', '')),
  );
  expect(rows).toEqual(Object.entries(DEFAULT_LIMITS).map(([name, value]) => [name, String(value)]));
});

test('each limit has words', () => {
  for (const [, , words = ''] of documented) expect(words).not.toBe('');
});
