// The possible values of a location if they are few, and whether a given value is possible.
import { isJsonArray, jsonEqual, type JsonValue } from '../../domain/json/json.js';
import { holds } from '../compatibility/evaluate.js';
import { typeOf } from '../compatibility/side.js';
import { schemaOf, typesIn, type Case } from './cases.js';

const BOOLEANS: readonly JsonValue[] = [false, true];

/** The values that `enum` and `const`, or the types, leave; `null` if they are not few. */
export function valuesIn(spots: Case): readonly JsonValue[] | null {
  const lists: (readonly JsonValue[])[] = spots.flatMap((spot) => {
    const { enum: listed, const: only } = schemaOf(spot);
    return [...(isJsonArray(listed) ? [listed] : []), ...(only === undefined ? [] : [[only]])];
  });
  const types = typesIn(spots);
  const [first, ...more] = lists;
  if (first === undefined) return fewOf(types);
  return first.filter(
    (value) =>
      types.includes(typeOf(value)) && more.every((list) => list.some((one) => jsonEqual(one, value))),
  );
}

function fewOf(types: readonly string[]): readonly JsonValue[] | null {
  if (!types.every((type) => type === 'null' || type === 'boolean')) return null;
  return types.flatMap((type) => (type === 'null' ? [null] : BOOLEANS));
}

/** False if a value is certainly invalid. */
export function mayBe(spots: Case, value: JsonValue): boolean {
  return spots.every(({ side, index }) => holds(side, index, value) !== false);
}
