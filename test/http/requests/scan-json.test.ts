// Where a text stops being JSON, and how much is in it.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scanJson } from '../../../src/http/requests/scan-json.js';
import { runs } from '../../support/runs.js';

describe('scanJson', () => {
  test.each([
    ['', 0, 'value'],
    ['   ', 3, 'value'],
    ['{', 1, 'name or }'],
    ['{"a"', 4, ':'],
    ['{"a":', 5, 'value'],
    ['{"a":1', 6, ', or }'],
    ['{"a":1,', 7, 'name'],
    ['{"a":1,}', 7, 'name'],
    ['{a:1}', 1, 'name or }'],
    ["{'a':1}", 1, 'name or }'],
    ['[1,]', 3, 'value'],
    ['[1 2]', 3, ', or ]'],
    ['[1}', 2, ', or ]'],
    ['{"a":1]', 6, ', or }'],
    ['[,1]', 1, 'value or ]'],
    [':', 0, 'value'],
    ['1 2', 2, 'end'],
    ['{} x', 3, 'end'],
    ['01', 1, 'end'],
    ['nul', 0, 'value'],
    ['truex', 4, 'end'],
    ['+1', 0, 'value'],
    ['1.', 1, 'end'],
    ['"abc', 4, 'the rest of the string'],
    ['"a\nb"', 2, 'the rest of the string'],
    ['"\\x"', 1, 'the rest of the string'],
    ['"\\u12g4"', 1, 'the rest of the string'],
    ['\ufeff{}', 0, 'value'],
  ])('%j stops at %i', (text, position, expected) => {
    expect(() => JSON.parse(text)).toThrow();
    expect(scanJson(text)).toMatchObject({ found: 'fault', fault: { position, expected } });
  });

  test('lines and columns start at 1', () => {
    expect(scanJson('{\n  "a": 1,\n  oops\n}')).toMatchObject({ fault: { line: 3, column: 3 } });
  });

  test.each(['{}', ' [1, -2.5e+3, "\\u00e9\\n", true, null, {"a": [], "b": {}}] ', '0', '"x"', 'false'])(
    '%j is JSON',
    (text) => {
      JSON.parse(text);
      expect(scanJson(text).found).toBe('values');
    },
  );

  test('depth costs no stack', () => {
    expect(scanJson('['.repeat(1_000_000))).toMatchObject({ fault: { position: 1_000_000 } });
  });

  test.each([
    ['1', 1],
    ['[]', 1],
    ['[1, "a", null, []]', 5],
    ['{"a": 1, "b": {"c": []}}', 7],
  ])('%s holds %i values and names', (text, values) => {
    expect(scanJson(text)).toEqual({ found: 'values', values });
  });

  test('ends where the text gets too deep', () => {
    expect(scanJson('[[1], [[2]]]', 3).found).toBe('values');
    expect(scanJson('[[1], [[2]]', 2)).toEqual({ found: 'depth', position: 7 });
  });

  test('tells of every text whether JSON.parse takes it', () => {
    const piece = fc.constantFrom(
      ...Array.from('[]{},:"\\ \n1-.0eE+'),
      'true',
      'null',
      '"a"',
      '\\u00e9',
      '12',
      '-0.5e7',
    );
    const text = fc.oneof(
      fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')),
      fc.json(),
    );
    fc.assert(
      fc.property(text, (one) => {
        expect(scanJson(one).found).toBe(isJson(one) ? 'values' : 'fault');
      }),
      { numRuns: runs(3000) },
    );
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
