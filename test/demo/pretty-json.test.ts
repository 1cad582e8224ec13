// JSON for people: still the same JSON, on as few lines as fit.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { prettyJson } from '../../src/demo/pretty-json.js';

it('what fits on a line stands on one', () => {
  const value = { a: [1, 2], b: {} };
  expect(prettyJson(value, 40)).toBe('{ "a": [1, 2], "b": {} }');
  expect(prettyJson(value, 16)).toBe('{\n  "a": [1, 2],\n  "b": {}\n}');
});

it('it is the same JSON', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.integer({ min: 1, max: 80 }), (value: any, columns) => {
      expect(JSON.parse(prettyJson(value, columns))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});
