// docs/errors.md against the code, both ways: every code has a row, and every row tells the truth.
import { describe, expect, test } from 'vitest';
import { exitCodeOf } from '../../src/cli/index.js';
import { ERRORS, type ErrorCode } from '../../src/domain/errors.js';
import { statusesOf } from '../../src/http/replies/problem.js';
import { tableRows, textOf } from './markdown.js';

const codes = Object.keys(ERRORS) as ErrorCode[];
const rows = tableRows(textOf('docs/errors.md')).map(([code = '', ...cells]) => ({
  code: code.replaceAll('`', ''),
  cells,
}));
const cellsOf = (code: string) => rows.find((row) => row.code === code)?.cells ?? [];

describe('docs/errors.md', () => {
  test('has a row for each code and for nothing else', () => {
    expect(rows.map(({ code }) => code).sort()).toEqual([...codes].sort());
  });

  test.each(codes)('%s has its status, whether a retry helps and its exit code', (code) => {
    const [http, retry, exit, when = ''] = cellsOf(code);
    expect(http).toBe(statusesOf(code).join(', '));
    expect(retry).toBe(ERRORS[code].retryable ? 'yes' : 'no');
    expect(exit).toBe(String(exitCodeOf(code)));
    expect(when).not.toBe('');
  });
});
