// Errors below an `anyOf`. Ajv reports what is wrong with each branch; this selects the branch that the caller meant.
import type { Violation } from '../../../domain/errors.js';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../domain/json/json.js';
import { formatPointer, isAtOrUnder } from '../../../domain/json/pointer.js';
import { propertiesOf, type KeywordError } from '../../../domain/schemas/violation.js';

/** An error about a request: the parts of the schemas in `ports/api` and of the input are JSON. */
export interface RequestError extends KeywordError {
  readonly schema?: JsonValue;
  readonly parentSchema?: JsonValue;
  readonly data?: JsonValue;
}

/** An error of Ajv. `violation` is the violation for a union of which no branch was meant. */
export interface Fault {
  readonly error: RequestError;
  readonly violation: Violation | null;
}

/** The member that identifies a branch, and its values for each branch. */
interface Tag {
  readonly name: string;
  readonly values: readonly (readonly JsonValue[])[];
}

/** Keywords that a value at the union's own location violates if another branch was meant. */
const OTHER_KIND = new Set(['type', 'const', 'enum', 'minimum']);

/** Returns the faults in Ajv's order, in which a union's error follows those of its branches. */
export function faultsOf(errors: readonly RequestError[]): Fault[] {
  const faults: Fault[] = [];
  for (const error of errors) {
    const inside: Fault[] = [];
    if (error.keyword === 'anyOf') {
      for (
        let last = faults.at(-1);
        last !== undefined && isWithin(last.error, error);
        last = faults.at(-1)
      ) {
        inside.push(last);
        faults.pop();
      }
    }
    if (inside.length === 0) faults.push({ error, violation: null });
    else for (const fault of meant(error, inside.reverse())) faults.push(fault);
  }
  return faults;
}

function isWithin(error: RequestError, union: RequestError): boolean {
  return (
    error.schemaPath.startsWith(`${union.schemaPath}/`) && isAtOrUnder(error.instancePath, union.instancePath)
  );
}

/** The faults of the branch that was meant; or one fault that says what the branches accept. */
function meant(union: RequestError, inside: readonly Fault[]): readonly Fault[] {
  const { schema, data } = union;
  const branches = isJsonArray(schema) ? schema.filter(isJsonObject) : [];
  const branchOf = ({ error }: Fault) => Number.parseInt(error.schemaPath.slice(union.schemaPath.length + 1));
  const tag = isJsonObject(data) ? tagOf(branches) : null;
  if (tag !== null && isJsonObject(data)) {
    const value = data[tag.name];
    const index = tag.values.findIndex((values) => value !== undefined && values.includes(value));
    return index < 0
      ? [{ error: union, violation: noTag(union, tag) }]
      : inside.filter((fault) => branchOf(fault) === index);
  }
  const isOtherKind = ({ error }: Fault) =>
    error.instancePath === union.instancePath && OTHER_KIND.has(error.keyword);
  const others = new Set(inside.filter(isOtherKind).map(branchOf));
  const ofSameKind = inside.filter((fault) => !others.has(branchOf(fault)));
  return ofSameKind.length > 0 ? ofSameKind : [{ error: union, violation: noKind(union, branches, inside) }];
}

function tagOf(branches: readonly JsonObject[]): Tag | null {
  for (const name of Object.keys(propertiesOf(branches[0]))) {
    const values = branches.map((branch) => constantsOf(propertiesOf(branch)[name]));
    if (values.every((constants) => constants.length > 0)) return { name, values };
  }
  return null;
}

function constantsOf(rule: JsonValue | undefined): readonly JsonValue[] {
  if (!isJsonObject(rule)) return [];
  const { const: constant, enum: constants } = rule;
  if (constant !== undefined) return [constant];
  return isJsonArray(constants) ? constants : [];
}

function noTag({ instancePath }: RequestError, { name, values }: Tag): Violation {
  const tags = values.flat();
  return {
    pointer: instancePath + formatPointer([name]),
    keyword: 'enum',
    message: `must be one of ${tags.map((tag) => JSON.stringify(tag)).join(', ')}`,
    expected: tags,
  };
}

function noKind(
  { instancePath: pointer }: RequestError,
  branches: readonly JsonObject[],
  inside: readonly Fault[],
): Violation {
  const words = [...new Set([...branches.flatMap(typesOf), ...branches.flatMap(constantWords)])];
  const last = words.pop() ?? 'of another form';
  const message = `must be ${words.length === 0 ? last : `${words.join(', ')} or ${last}`}`;
  return inside.every(({ error }) => error.keyword === 'type')
    ? { pointer, keyword: 'type', message, expected: [...new Set(branches.map(({ type }) => type ?? null))] }
    : { pointer, keyword: 'anyOf', message, expected: branches };
}

/** The type of a branch that accepts more than constants, in words. */
function typesOf(branch: JsonObject): readonly string[] {
  const { type, minimum } = branch;
  if (typeof type !== 'string' || constantWords(branch).length > 0) return [];
  const article = /^[aio]/.test(type) ? 'an' : 'a';
  return [`${article} ${type}${typeof minimum === 'number' ? ` >= ${minimum}` : ''}`];
}

function constantWords(branch: JsonObject): readonly string[] {
  return branch['type'] === 'null' ? ['null'] : constantsOf(branch).map((one) => JSON.stringify(one));
}
