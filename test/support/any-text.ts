// Random texts of any UTF-16 code units, lone surrogates among them. fast-check's strings of any code point first make a
// table of a million.
import fc from 'fast-check';

export function anyText(length: { minLength?: number; maxLength?: number } = {}): fc.Arbitrary<string> {
  return fc.array(fc.integer({ min: 0, max: 0xff_ff }), length).map((units) => String.fromCharCode(...units));
}
