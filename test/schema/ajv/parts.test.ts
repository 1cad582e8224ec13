import { expect, test } from 'vitest';
import { compileSchema } from '../../../src/schema/ajv/ajv.js';

test('a subschema that no URI leads to is valid for nothing that is known', () => {
  const any = {};
  const properties = { '\ud800': any, a: { $ref: '#/$defs/b' }, c: { type: 'string' } };
  const { parts, lowered } = compileSchema({ properties, $defs: { b: { type: 'string' } } });
  const at: any = lowered['properties'];
  expect(parts?.isValid('/properties/\ud800', at['\ud800'], 1)).toBe(false);
  expect(parts?.isValid('/properties/c', at.c, 'x')).toBe(true);
});
