// The violations of a request against its schema, in a failure that says how many there are.
import type { ErrorObject } from 'ajv/dist/2020.js';
import { invalidMember, fail, type Failure, type Violation } from '../../../domain/errors.js';
import { isJsonArray, isJsonObject, type JsonValue } from '../../../domain/json/json.js';
import { propertiesOf, violationOf } from '../../../domain/schemas/violation.js';
import { JSON_TYPES } from '../../../ports/api/index.js';
import { faultsOf, type Fault, type RequestError } from './union-faults.js';

function violationIn({ error, violation }: Fault, prefix: string): Violation {
  const found = violation ?? { ...violationOf(error, 'request'), ...ofRule(error) };
  return { ...found, pointer: prefix + found.pointer };
}

/** What the schemas of requests say better: they are our own, and short. */
function ofRule({ keyword, schema, parentSchema, params }: RequestError): Partial<Violation> {
  const members = propertiesOf(parentSchema);
  if (keyword === 'required') return { expected: inWords(members[String(params['missingProperty'])] ?? {}) };
  if (keyword === 'additionalProperties') return { expected: Object.keys(members) };
  const expected = schema ?? {};
  const description = isJsonObject(parentSchema) ? parentSchema['description'] : undefined;
  // A pattern is hard to read for a caller that missed it.
  return keyword === 'pattern' && typeof description === 'string'
    ? { expected, message: `is not of the form: ${description}` }
    : { expected };
}

/** What a rule accepts: in words, if its schema does not show that. */
function inWords(rule: JsonValue): JsonValue {
  if (!isJsonObject(rule)) return rule;
  const { type, description, title } = rule;
  if (isJsonArray(type) && type.length === JSON_TYPES.length) return 'any JSON value';
  return (type === undefined && title !== undefined ? description : undefined) ?? rule;
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
  const violations = faultsOf(errors as readonly unknown[] as readonly RequestError[])
    .slice(0, violationsMax)
    .map((fault) => violationIn(fault, prefix));
  const [first] = violations;
  if (first === undefined) return invalidMember(prefix, 'is not of the expected form', {}).failure;
  const location = first.pointer === '' ? 'The body' : first.pointer;
  const more = violations.length > 1 ? ` (and ${violations.length - 1} more)` : '';
  return fail('invalid_request', `${location}: ${first.message}${more}`, { errors: violations }).failure;
}
