// Ajv's errors about a request in the words of the product: a pointer, what is wrong and what would have been taken.
import type { ErrorObject } from 'ajv/dist/2020.js';
import { invalidMember, refused, type Refusal, type Violation } from '../domain/errors.js';
import { isJsonObject, type JsonValue } from '../domain/json.js';
import { formatPointer } from '../domain/pointer.js';

/** What Ajv attaches with `verbose`: the keyword's value and the schema around it. Ours, so JSON. */
interface Verbose {
  readonly schema: JsonValue | undefined;
  readonly parent: JsonValue | undefined;
}

function verboseOf(error: ErrorObject): Verbose {
  // Parsing: with `verbose` Ajv gives parts of the schemas in `ports/api`, which are JSON.
  const { schema, parentSchema } = error as unknown as { schema?: JsonValue; parentSchema?: JsonValue };
  return { schema, parent: parentSchema };
}

function paramOf(error: ErrorObject, name: string): string {
  const params: Readonly<Record<string, unknown>> = error.params;
  const value = params[name];
  return typeof value === 'string' ? value : '';
}

function propertiesOf({ parent }: Verbose): Readonly<Record<string, JsonValue>> {
  const properties = isJsonObject(parent) ? parent['properties'] : undefined;
  return isJsonObject(properties) ? properties : {};
}

function missing(error: ErrorObject, prefix: string): Violation {
  const name = paramOf(error, 'missingProperty');
  const rule = propertiesOf(verboseOf(error))[name] ?? {};
  return {
    pointer: `${prefix}${error.instancePath}${formatPointer([name])}`,
    keyword: 'required',
    message: 'is missing',
    expected: isJsonObject(rule) && Object.keys(rule).length === 0 ? 'any JSON value' : rule,
  };
}

function unknownMember(error: ErrorObject, prefix: string): Violation {
  const name = paramOf(error, 'additionalProperty');
  return {
    pointer: `${prefix}${error.instancePath}${formatPointer([name])}`,
    keyword: 'additionalProperties',
    message: 'is not known here',
    expected: Object.keys(propertiesOf(verboseOf(error))),
  };
}

/** Errors within one `anyOf` say the same thing several times; this keeps the branch that was meant, or names all types. */
function collapse(errors: readonly ErrorObject[]): { error: ErrorObject; types: string[] }[] {
  const kept: { error: ErrorObject; types: string[] }[] = [];
  const isBranch = (error: ErrorObject) => /\/anyOf\/\d+\//.test(error.schemaPath);
  for (const error of errors) {
    if (isBranch(error) && error.keyword === 'type') continue;
    if (error.keyword !== 'anyOf') {
      kept.push({ error, types: [] });
      continue;
    }
    const branches = errors.filter(
      (other) => isBranch(other) && other.instancePath.startsWith(error.instancePath),
    );
    if (branches.every((branch) => branch.keyword === 'type')) {
      kept.push({ error, types: branches.map((branch) => paramOf(branch, 'type')) });
    }
  }
  return kept;
}

function violationOf({ error, types }: { error: ErrorObject; types: string[] }, prefix: string): Violation {
  if (error.keyword === 'required') return missing(error, prefix);
  if (error.keyword === 'additionalProperties') return unknownMember(error, prefix);
  const pointer = `${prefix}${error.instancePath}`;
  if (types.length > 0) {
    return { pointer, keyword: 'type', message: `must be ${types.join(' or ')}`, expected: types };
  }
  const { schema } = verboseOf(error);
  const message =
    error.keyword === 'enum'
      ? `must be one of ${Array.isArray(schema) ? schema.join(', ') : 'the listed values'}`
      : (error.message ?? 'is not of the expected form');
  return { pointer, keyword: error.keyword, message, expected: schema ?? {} };
}

/**
 * The refusal of a request that its schema does not take.
 *
 * @param prefix - Where the checked value stands: `` for the body, `/query`, `/path`.
 */
export function invalidRequest(
  errors: readonly ErrorObject[],
  prefix: string,
  violationsMax: number,
): Refusal {
  const violations = collapse(errors.slice(0, 10 * violationsMax))
    .slice(0, violationsMax)
    .map((kept) => violationOf(kept, prefix));
  const [first] = violations;
  if (first === undefined) return invalidMember(prefix, 'is not of the expected form', {}).refusal;
  const place = first.pointer === '' ? 'The body' : first.pointer;
  const more = violations.length > 1 ? ` (and ${violations.length - 1} more)` : '';
  return refused('invalid_request', `${place}: ${first.message}${more}`, { errors: violations }).refusal;
}
