// Translates Ajv's errors about a request into violations: a pointer, what is wrong, and what is expected.
import type { ErrorObject } from 'ajv/dist/2020.js';
import { invalidMember, fail, type Failure, type Violation } from '../../../domain/errors.js';
import { isJsonArray, isJsonObject, type JsonValue } from '../../../domain/json/json.js';
import { formatPointer } from '../../../domain/json/pointer.js';
import { JSON_TYPES } from '../../../ports/api/index.js';
import { faultsOf, propertiesOf, type Fault, type SchemaError } from './union-faults.js';

function paramOf(error: SchemaError, name: string): string {
  const value = error.params[name];
  return typeof value === 'string' ? value : '';
}

/** What a rule accepts, in words, if its schema does not show that; `null` for any other rule. */
function inWords(rule: JsonValue): JsonValue {
  if (!isJsonObject(rule)) return null;
  const { type, description } = rule;
  if (isJsonArray(type) && type.length === JSON_TYPES.length) return 'any JSON value';
  return type === undefined && rule['title'] !== undefined ? (description ?? null) : null;
}

function missing(error: SchemaError, prefix: string): Violation {
  const name = paramOf(error, 'missingProperty');
  const rule = propertiesOf(error.parentSchema)[name] ?? {};
  return {
    pointer: `${prefix}${error.instancePath}${formatPointer([name])}`,
    keyword: 'required',
    message: 'is missing',
    expected: inWords(rule) ?? rule,
  };
}

function unknownMember(error: SchemaError, prefix: string): Violation {
  const name = paramOf(error, 'additionalProperty');
  return {
    pointer: `${prefix}${error.instancePath}${formatPointer([name])}`,
    keyword: 'additionalProperties',
    message: 'is not known here',
    expected: Object.keys(propertiesOf(error.parentSchema)),
  };
}

function violationOf({ error, violation }: Fault, prefix: string): Violation {
  if (violation !== null) return { ...violation, pointer: prefix + violation.pointer };
  if (error.keyword === 'required') return missing(error, prefix);
  if (error.keyword === 'additionalProperties') return unknownMember(error, prefix);
  return {
    pointer: `${prefix}${error.instancePath}`,
    keyword: error.keyword,
    message: messageOf(error),
    expected: error.schema ?? {},
  };
}

function messageOf({ keyword, schema, parentSchema, message }: SchemaError): string {
  if (keyword === 'enum') {
    return `must be one of ${Array.isArray(schema) ? schema.join(', ') : 'the listed values'}`;
  }
  const description = isJsonObject(parentSchema) ? parentSchema['description'] : undefined;
  // A pattern is hard to read for a caller that missed it.
  if (keyword === 'pattern' && typeof description === 'string') return `is not of the form: ${description}`;
  return message ?? 'is not of the expected form';
}

/**
 * The failure of a request that violates its schema.
 *
 * @param prefix - Location of the checked value: `` for the body, `/query`, `/path`.
 */
export function invalidRequest(
  errors: readonly ErrorObject[],
  prefix: string,
  violationsMax: number,
): Failure {
  // Parsing: with `verbose`, Ajv returns parts of the schemas in `ports/api` and of the input, which are JSON.
  const violations = faultsOf(errors as readonly unknown[] as readonly SchemaError[])
    .slice(0, violationsMax)
    .map((fault) => violationOf(fault, prefix));
  const [first] = violations;
  if (first === undefined) return invalidMember(prefix, 'is not of the expected form', {}).failure;
  const location = first.pointer === '' ? 'The body' : first.pointer;
  const more = violations.length > 1 ? ` (and ${violations.length - 1} more)` : '';
  return fail('invalid_request', `${location}: ${first.message}${more}`, { errors: violations }).failure;
}
