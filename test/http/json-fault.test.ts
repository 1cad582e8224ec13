// Where a text stops being JSON.
import { describe, expect, test } from 'vitest';
import { findJsonFault } from '../../src/http/json-fault.js';

describe('findJsonFault', () => {
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
    expect(findJsonFault(text)).toMatchObject({ position, expected });
  });

  test('lines and columns start at 1', () => {
    expect(findJsonFault('{\n  "a": 1,\n  oops\n}')).toMatchObject({ line: 3, column: 3 });
  });

  test.each(['{}', ' [1, -2.5e+3, "\\u00e9\\n", true, null, {"a": [], "b": {}}] ', '0', '"x"', 'false'])(
    '%j is JSON',
    (text) => {
      JSON.parse(text);
      expect(findJsonFault(text)).toBeNull();
    },
  );

  test('depth costs no stack', () => {
    expect(findJsonFault('['.repeat(1_000_000))).toMatchObject({ position: 1_000_000 });
  });
});
