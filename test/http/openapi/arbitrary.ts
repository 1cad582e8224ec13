// Values that satisfy a schema of the OpenAPI document, and values close to them that do not.
import fc from 'fast-check';
import { faultsOf, resolved } from './conformity.js';

const JSON_VALUES = fc.jsonValue({ maxDepth: 2 });
const TEXTS = fc.oneof(fc.string({ maxLength: 20 }), fc.string({ unit: 'grapheme', maxLength: 8 }));

function texts({ pattern, format, minLength = 0, maxLength = 64 }: any): fc.Arbitrary<string> {
  if (format === 'date-time') {
    return fc
      .date({ min: new Date('1970-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
      .map((date) => date.toISOString());
  }
  const isFit = (text: string) => {
    const { length } = Array.from(text);
    return length >= minLength && length <= maxLength;
  };
  if (pattern === undefined) return TEXTS.filter(isFit);
  const form = new RegExp(pattern, 'u');
  // Looking ahead is more than the generator of texts can do.
  if (String(pattern).includes('(?!')) return TEXTS.filter((text) => isFit(text) && form.test(text));
  return fc.stringMatching(form).filter(isFit);
}

function objects({ properties = {}, required = [], additionalProperties }: any): fc.Arbitrary<unknown> {
  const members = Object.fromEntries(
    Object.entries(properties).map(([name, one]) => [name, arbitraryOf(one)]),
  );
  const requiredKeys = required.filter((name: string) => Object.hasOwn(properties, name));
  const record = fc.record(members, { requiredKeys, noNullPrototype: true });
  if (Object.keys(properties).length > 0 || additionalProperties === false) return record;
  const values = typeof additionalProperties === 'object' ? arbitraryOf(additionalProperties) : JSON_VALUES;
  return fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), values, { maxKeys: 3, noNullPrototype: true });
}

/** Values that satisfy a schema. */
export function arbitraryOf(schema: any): fc.Arbitrary<any> {
  const form = resolved(schema);
  if (form.const !== undefined) return fc.constant(form.const);
  if (form.enum !== undefined) return fc.constantFrom(...form.enum);
  const forms = form.anyOf ?? form.oneOf;
  if (forms !== undefined) return fc.oneof(...forms.map(arbitraryOf));
  if (Array.isArray(form.type)) {
    return form.type.length > 2
      ? JSON_VALUES
      : fc.oneof(...form.type.map((type: string) => arbitraryOf({ type })));
  }
  switch (form.type) {
    case 'string':
      return texts(form);
    case 'integer':
      return fc.integer({ min: form.minimum ?? -1000, max: Math.min(form.maximum ?? 1000, 1_000_000) });
    case 'number':
      return fc.double({ min: form.minimum ?? -1e6, max: form.maximum ?? 1e6, noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array': {
      const bounds = { minLength: form.minItems ?? 0, maxLength: Math.min(form.maxItems ?? 4, 4) };
      return form.uniqueItems === true
        ? fc.uniqueArray(arbitraryOf(form.items), bounds)
        : fc.array(arbitraryOf(form.items ?? {}), bounds);
    }
    case 'object':
      return objects(form);
    default:
      return JSON_VALUES;
  }
}

const WRONG = fc.constantFrom<unknown>(null, true, -1, 0.5, '', 'wrong', [], [[]], {}, { a: 1 }, 1e300);

/** Values next to those of a schema that it does not take. */
export function brokenOf(schema: any): fc.Arbitrary<unknown> {
  return fc
    .tuple(arbitraryOf(schema), WRONG, fc.nat(), fc.constantFrom('replace', 'remove', 'add', 'whole'))
    .map(([value, wrong, at, how]) => {
      if (how === 'whole' || typeof value !== 'object' || value === null || Array.isArray(value))
        return wrong;
      const names = Object.keys(value);
      const name = names[at % Math.max(names.length, 1)];
      if (how === 'add') return { ...value, not_a_member: wrong };
      if (name === undefined) return wrong;
      if (how === 'replace') return { ...value, [name]: wrong };
      return Object.fromEntries(Object.entries(value).filter(([one]) => one !== name));
    })
    .filter((value) => faultsOf(schema, value).length > 0);
}
