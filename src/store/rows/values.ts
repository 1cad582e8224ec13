// Values as databases return them: the required form of each kind, and the stand-in for a damaged one. Knows no
// database.
import { isCount, isJsonArray, isJsonObject, type JsonValue } from '../../domain/json/json.js';
import { isHttpUrl } from '../../domain/webhooks/http-url.js';

/** The required form of a JSON column's value. */
export interface JsonForm {
  /** Completes "its metadata …" in errors. */
  readonly otherwise: string;
  readonly fits: (value: JsonValue) => boolean;
  /** The database value that replaces a damaged one when its record is set aside. */
  readonly neutral: string | null;
}

export const ANY_JSON: JsonForm = { otherwise: 'is not JSON', fits: () => true, neutral: null };
export const JSON_OBJECT: JsonForm = {
  otherwise: 'is not a JSON object',
  fits: (value) => isJsonObject(value),
  neutral: '{}',
};
export const JSON_ARRAY: JsonForm = {
  otherwise: 'is not a JSON array',
  fits: (value) => isJsonArray(value),
  neutral: '[]',
};
export const JSON_OBJECTS: JsonForm = {
  otherwise: 'is not a JSON array of objects',
  fits: (value) => isJsonArray(value) && value.every((item) => isJsonObject(item)),
  neutral: '[]',
};
export const TEXT_LIST: JsonForm = {
  otherwise: 'is not a JSON array of strings',
  fits: (value) => isJsonArray(value) && value.every((item) => typeof item === 'string'),
  neutral: '[]',
};

/** Stands in a row for a stored value that its column cannot have. Never leaves the store. */
export class DamagedValue {
  constructor(
    /** The column's name in the database. */
    readonly column: string,
    readonly what: string,
    readonly neutral: string | null,
  ) {}
}

/** Completes "its late …" in errors. */
export const NO_FLAG = 'is neither 0 nor 1';

/** Parses JSON text. A text that is not JSON, or has another form, becomes a `DamagedValue`. */
export function parseJson(column: string, form: JsonForm, text: unknown): unknown {
  if (text === null) return null;
  if (typeof text !== 'string') return new DamagedValue(column, 'is not JSON text', form.neutral);
  try {
    const value = JSON.parse(text) as JsonValue;
    return form.fits(value) ? value : new DamagedValue(column, form.otherwise, form.neutral);
  } catch {
    return new DamagedValue(column, 'is not JSON', form.neutral);
  }
}

/** Returns one of the words. Any other value becomes a `DamagedValue`. */
export function parseWord(
  column: string,
  words: Readonly<Record<string, true>>,
  neutral: string | null,
  value: unknown,
): unknown {
  return value === null || (typeof value === 'string' && Object.hasOwn(words, value))
    ? value
    : new DamagedValue(column, `is none of ${Object.keys(words).join(', ')}`, neutral);
}

/** Replaces a URL that cannot be called. The name is in no DNS, so nothing is ever sent to it. */
const NO_URL = 'https://damaged.invalid/';

/** Returns the text of a URL that can be called. Any other value becomes a `DamagedValue`. */
export function parseUrl(column: string, value: unknown): unknown {
  return typeof value === 'string' && isHttpUrl(value)
    ? value
    : new DamagedValue(column, 'is no URL of http or https', NO_URL);
}

/** What a column of each kind holds, and what is said of any other value. */
const KINDS = {
  text: { what: 'is no text', fits: (value: unknown) => typeof value === 'string' },
  count: { what: 'is no whole number, zero or more', fits: isCount },
  revision: {
    what: 'is no whole number, one or more',
    fits: (value: unknown) => isCount(value) && value >= 1,
  },
  time: { what: 'is no time', fits: isTime },
};

/** Returns a value of the kind. Any other value becomes a `DamagedValue`. */
export function parseKind(column: string, kind: keyof typeof KINDS, value: unknown): unknown {
  return KINDS[kind].fits(value) ? value : new DamagedValue(column, KINDS[kind].what, null);
}

/** The latest time of a `Date`, in milliseconds. */
export const LAST_MS = 8.64e15;

/** True for a valid value of a `time` column. */
export function isTime(value: unknown): value is number {
  return isCount(value) && value <= LAST_MS;
}
