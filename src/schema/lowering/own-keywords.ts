// The keywords that Countersign adds to JSON Schema: their names and the form of their values.
// rules/fitness.ts checks whether a rule fits its location.
import { modeFaults, MODES_FORM } from '../../domain/workflow/modes.js';
import { isJsonArray, isJsonObject, type JsonValue } from '../../domain/json/json.js';

interface OwnKeyword {
  readonly expected: string;
  readonly accepts: (value: JsonValue) => boolean;
  /** True if it says something of the whole document, and so stands at the top only. */
  readonly ofWhole?: true;
}

const flag: OwnKeyword = { expected: 'a boolean', accepts: (value) => typeof value === 'boolean' };

/** Each own keyword with the required form of its value. */
export const OWN_KEYWORDS: Readonly<Record<string, OwnKeyword>> = {
  'x-immutable': flag,
  'x-append-only': flag,
  'x-monotonic': flag,
  'x-transitions': {
    expected: 'an object of arrays: for each old value the values that may follow',
    accepts: (value) => isJsonObject(value) && Object.values(value).every(isJsonArray),
  },
  'x-key': {
    expected: 'a string: the member that identifies an item',
    accepts: (value) => typeof value === 'string',
  },
  modes: {
    expected: MODES_FORM,
    accepts: (value) => modeFaults(value).length === 0,
    ofWhole: true,
  },
};
