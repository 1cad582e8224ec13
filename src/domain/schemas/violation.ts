// Translates an error of Ajv into a violation: the location, what was expected, and a sentence that an agent can act on. The
// same for documents and for requests.
import type { Violation } from '../errors.js';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../json/json.js';
import { formatPointer } from '../json/pointer.js';
import { bounded, clip, excerpt, EXPECTED_BYTES_MAX, name, plain } from '../json/quoted.js';
import { textSize } from '../json/text-size.js';

/** An error of Ajv with `verbose`. */
export interface KeywordError {
  readonly keyword: string;
  /** Location of the keyword in the whole schema, as a URI fragment. */
  readonly schemaPath: string;
  /** Location of the value, as a JSON Pointer. */
  readonly instancePath: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The name, if `propertyNames` refused one. */
  readonly propertyName?: string;
  /** The keyword's value, the schema around it, and the value that was checked. */
  readonly schema?: unknown;
  readonly parentSchema?: unknown;
  readonly data?: unknown;
}

/**
 * @param of - In a document, a missing member is reported at the object that lacks it, and values are quoted. In a request,
 *   it is reported at the location that it would have; and values are not quoted, since a request may hold secrets.
 */
export function violationOf(error: KeywordError, of: 'document' | 'request' = 'document'): Violation {
  const { keyword } = error;
  const described = describe(error, of === 'document');
  const under = keyword === 'required' && of === 'document' ? '' : (described.under ?? '');
  const pointer = clip(error.instancePath, EXPECTED_BYTES_MAX) + under;
  return { pointer, keyword, message: described.message, expected: bounded(described.expected) };
}

interface Description {
  readonly message: string;
  readonly expected: JsonValue;
  /** Pointer of the fault relative to the location that Ajv reports. */
  readonly under?: string;
}

function describe(error: KeywordError, quotes: boolean): Description {
  const { keyword } = error;
  const params: JsonValue = json(error.params);
  const param = (name: string): JsonValue => (isJsonObject(params) ? (params[name] ?? null) : null);
  const value =
    error.propertyName === undefined ? excerpt(json(error.data)) : `the name ${name(error.propertyName)}`;
  const not = quotes ? `, not ${value}` : '';
  const itIs = quotes ? `; it is ${value}` : '';
  const rule: JsonValue = { [keyword]: json(error.schema) };
  switch (keyword) {
    case 'required': {
      const missing = param('missingProperty');
      return {
        message: `the member ${name(missing)} is missing`,
        expected: { required: missing, ...memberRule(error, missing) },
        under: formatPointer([clip(plain(missing), EXPECTED_BYTES_MAX)]),
      };
    }
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
      const names = Object.keys(propertiesOf(json(error.parentSchema)));
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
        message: `must be ${typeWords(param('type'))}${not}`,
        expected: { type: param('type') },
      };
    case 'enum': {
      const allowed = bounded(param('allowedValues'));
      const words = isJsonArray(allowed) ? allowed.map((each) => excerpt(each)).join(', ') : '';
      return { message: `must be one of ${clip(words, 400)}${itIs}`, expected: { enum: allowed } };
    }
    case 'const':
      return {
        message: `must be ${excerpt(param('allowedValue'))}${not}`,
        expected: { const: param('allowedValue') },
      };
    case 'pattern':
      return {
        message: `must match the pattern ${clip(plain(param('pattern')), 200)}${itIs}`,
        expected: { pattern: param('pattern') },
      };
    case 'format':
      return describeFormat(plain(param('format')), itIs);
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
        message: `${sentence(keyword, param('limit'))}${itIs}`,
        expected: limitOf(error, rule),
      };
  }
}

/** The member's subschema, if the schema that failed declares the member and the subschema is small. */
function memberRule(error: KeywordError, member: JsonValue): { readonly schema?: JsonValue } {
  const properties = propertiesOf(json(error.parentSchema));
  const schema =
    typeof member === 'string' && Object.hasOwn(properties, member) ? properties[member] : undefined;
  return schema === undefined || textSize(schema, 300) > 300 ? {} : { schema };
}

/** The `properties` of a schema; empty if it has none. */
export function propertiesOf(schema: JsonValue | undefined): JsonObject {
  const properties = isJsonObject(schema) ? schema['properties'] : undefined;
  return isJsonObject(properties) ? properties : {};
}

function describeFormat(format: string, itIs: string): Description {
  const dialect = format === 'regex' ? ' (ECMA-262, with the flag u)' : '';
  return { message: `must have the format ${format}${dialect}${itIs}`, expected: { format } };
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

function limitOf(error: KeywordError, rule: JsonValue): JsonValue {
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
