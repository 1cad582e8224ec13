// Translates Ajv's errors into violations: the location, what was expected, and a sentence that an agent can act on.
import type { ErrorObject } from 'ajv';
import type { Violation } from '../../domain/errors.js';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../domain/json/json.js';
import { formatPointer } from '../../domain/json/pointer.js';
import { bounded, clip, excerpt, EXPECTED_BYTES_MAX, name, plain } from '../../document/excerpt.js';
import { textSize } from '../../domain/json/text-size.js';

/**
 * Translates Ajv's errors.
 *
 * @param violationsMax - Most violations to return. If there are more, errors inside branches of `anyOf` and
 * `oneOf`, which only explain why a branch failed, are omitted first.
 * @param original - Maps a subschema that Ajv was given to the registered one.
 */
export function violationsOf(
  errors: readonly ErrorObject[],
  violationsMax: number,
  original: (schema: unknown) => JsonObject | boolean | undefined = () => undefined,
): readonly Violation[] {
  const inBranch = ({ schemaPath }: ErrorObject) => /\/(anyOf|oneOf)\/\d+\//.test(schemaPath);
  const reported =
    errors.length <= violationsMax
      ? errors
      : [...errors.filter((error) => !inBranch(error)), ...errors.filter(inBranch)].slice(0, violationsMax);
  return reported.map((error) => violationOf(asWritten(error, original)));
}

/** The error with registered subschemas in place of those that Ajv was given. */
function asWritten(
  error: ErrorObject,
  original: (schema: unknown) => JsonObject | boolean | undefined,
): ErrorObject {
  const parentSchema = original(error.parentSchema);
  if (parentSchema === undefined || typeof parentSchema === 'boolean') return error;
  const schema: unknown = typeof error.schema === 'object' ? parentSchema[error.keyword] : undefined;
  return { ...error, parentSchema, schema: schema ?? error.schema };
}

function violationOf(error: ErrorObject): Violation {
  const { keyword } = error;
  const described = describe(error);
  const pointer = clip(error.instancePath, EXPECTED_BYTES_MAX) + (described.under ?? '');
  return { pointer, keyword, message: described.message, expected: bounded(described.expected) };
}

interface Description {
  readonly message: string;
  readonly expected: JsonValue;
  /** Pointer of the fault relative to the location that Ajv reports. */
  readonly under?: string;
}

function describe(error: ErrorObject): Description {
  const { keyword } = error;
  const params: JsonValue = json(error.params);
  const param = (name: string): JsonValue => (isJsonObject(params) ? (params[name] ?? null) : null);
  const value =
    error.propertyName === undefined ? excerpt(json(error.data)) : `the name ${name(error.propertyName)}`;
  const rule: JsonValue = { [keyword]: json(error.schema) };
  switch (keyword) {
    case 'required':
      return {
        message: `the member ${name(param('missingProperty'))} is missing`,
        expected: { required: param('missingProperty'), ...memberRule(error, param('missingProperty')) },
      };
    case 'dependencies':
    case 'dependentRequired': {
      const missing = param('missingProperty');
      const because = name(param('property'));
      return {
        message: `the member ${name(missing)} is missing: it must be there when ${because} is`,
        expected: { required: missing },
      };
    }
    case 'additionalProperties':
    case 'unevaluatedProperties': {
      const member = param(keyword === 'additionalProperties' ? 'additionalProperty' : 'unevaluatedProperty');
      const names = isJsonObject(json(error.parentSchema)) ? memberNames(json(error.parentSchema)) : [];
      const allowed = names.length === 0 ? '' : `; allowed are ${clip(names.map(name).join(', '), 400)}`;
      return {
        message: `the member ${name(member)} is not allowed here${allowed}`,
        expected: { properties: names },
        under: formatPointer([clip(plain(member), EXPECTED_BYTES_MAX)]),
      };
    }
    case 'unevaluatedItems': {
      const index = param('unevaluatedItem');
      return {
        message: `the item ${plain(index)} is not allowed here`,
        expected: rule,
        under: formatPointer([plain(index)]),
      };
    }
    case 'propertyNames':
      return {
        message: `the member name ${name(param('propertyName'))} is not allowed`,
        expected: rule,
        under: formatPointer([clip(plain(param('propertyName')), EXPECTED_BYTES_MAX)]),
      };
    case 'type':
      return {
        message: `must be ${typeWords(param('type'))}, not ${value}`,
        expected: { type: param('type') },
      };
    case 'enum': {
      const allowed = bounded(param('allowedValues'));
      const words = isJsonArray(allowed) ? allowed.map((each) => excerpt(each)).join(', ') : '';
      return { message: `must be one of ${clip(words, 400)}; it is ${value}`, expected: { enum: allowed } };
    }
    case 'const':
      return {
        message: `must be ${excerpt(param('allowedValue'))}, not ${value}`,
        expected: { const: param('allowedValue') },
      };
    case 'pattern':
      return {
        message: `must match the pattern ${clip(plain(param('pattern')), 200)}; it is ${value}`,
        expected: { pattern: param('pattern') },
      };
    case 'format':
      return describeFormat(plain(param('format')), value);
    case 'false schema':
      return { message: 'nothing is allowed here', expected: false };
    case 'oneOf': {
      const passing = param('passingSchemas');
      const count = isJsonArray(passing) ? `${passing.length} or more match` : 'none matches';
      return {
        message: `must match exactly one of the alternatives of oneOf; ${count}`,
        expected: { oneOf: 1 },
      };
    }
    case 'anyOf':
      return { message: 'must match at least one of the alternatives of anyOf', expected: { anyOf: 1 } };
    case 'uniqueItems':
      return {
        message: `the items ${plain(param('i'))} and ${plain(param('j'))} are equal; all must differ`,
        expected: { uniqueItems: true },
      };
    default:
      return {
        message: `${sentence(keyword, param('limit'))}; it is ${value}`,
        expected: limitOf(error, rule),
      };
  }
}

/** The member's subschema, if the schema that failed declares the member and the subschema is small. */
function memberRule(error: ErrorObject, member: JsonValue): { readonly schema?: JsonValue } {
  const parent = json(error.parentSchema);
  const properties = isJsonObject(parent) ? parent['properties'] : undefined;
  const schema =
    isJsonObject(properties) && typeof member === 'string' && Object.hasOwn(properties, member)
      ? properties[member]
      : undefined;
  return schema === undefined || textSize(schema, 300) > 300 ? {} : { schema };
}

function memberNames(schema: JsonValue): string[] {
  const properties = isJsonObject(schema) ? schema['properties'] : undefined;
  return isJsonObject(properties) ? Object.keys(properties) : [];
}

function describeFormat(format: string, value: string): Description {
  const dialect = format === 'regex' ? ' (ECMA-262, with the flag u)' : '';
  return { message: `must have the format ${format}${dialect}; it is ${value}`, expected: { format } };
}

const SENTENCES: Readonly<Record<string, string>> = {
  minimum: 'must be at least %',
  maximum: 'must be at most %',
  exclusiveMinimum: 'must be more than %',
  exclusiveMaximum: 'must be less than %',
  minLength: 'must have at least % characters',
  maxLength: 'must have at most % characters',
  minItems: 'must have at least % items',
  maxItems: 'must have at most % items',
  additionalItems: 'must have at most % items',
  items: 'must have at most % items',
  minProperties: 'must have at least % members',
  maxProperties: 'must have at most % members',
};

function sentence(keyword: string, limit: JsonValue): string {
  const words = SENTENCES[keyword];
  return words === undefined || limit === null
    ? `does not satisfy ${JSON.stringify(keyword)}`
    : words.replace('%', plain(limit));
}

function limitOf(error: ErrorObject, rule: JsonValue): JsonValue {
  const schema = json(error.schema);
  return typeof schema === 'object' && schema !== null && textSize(schema, 300) > 300 ? error.keyword : rule;
}

function typeWords(types: JsonValue): string {
  return isJsonArray(types) ? types.map(plain).join(' or ') : plain(types);
}

/** Ajv types these values as `unknown` or `any`. All of them are parts of the schema or the document. */
function json(value: unknown): JsonValue {
  return (value ?? null) as JsonValue;
}
