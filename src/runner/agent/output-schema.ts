// Output schemas that make a client return exactly a contract's value, for runs without the state tools. Pure.
import type { OutputForm } from '../../agent-clients/runs/agent-cli.js';
import { DEFAULT_LIMITS } from '../../domain/limits.js';
import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownMember,
} from '../../domain/json/json.js';
import { isDeeperThan } from '../../domain/json/scan.js';
import { parsed } from '../../agent-clients/runs/json-text.js';

/** An output schema for one run. */
export interface EnforcedOutput {
  readonly schema: JsonObject;
  /** Appended to the prompt, because the prompt mentions tools that are not there. */
  readonly note: string;
  /** The contract's value from the client's output; `undefined` if it is absent or nested too deep. */
  readonly valueIn: (output: JsonValue | undefined) => JsonValue | undefined;
}

/** A contract: the pointer of its location, and the schema of the value there. */
export interface ContractTerms {
  readonly pointer: string;
  readonly schema: JsonObject;
}

/** @returns The output schema for the contract; `null` if it is too large for a command line. */
export function enforceOutput(contract: ContractTerms, form: OutputForm): EnforcedOutput | null {
  const enforced = enforcedForm(contract.schema, form);
  if (JSON.stringify(enforced.schema).length > DEFAULT_LIMITS.agentOutputSchemaBytesMax) return null;
  const where = contract.pointer === '' ? 'as the whole document' : `at ${contract.pointer}`;
  return {
    schema: enforced.schema,
    note: `In this run you have no tool to write with, and need none: your final answer is held to a JSON Schema, and the coordinator records what you give there for you, ${where}. Give the result itself${enforced.how}, and nothing else.`,
    valueIn(output) {
      const value = output === undefined ? undefined : enforced.read(output);
      return value === undefined || isDeeperThan(value, DEFAULT_LIMITS.documentDepthMax) ? undefined : value;
    },
  };
}

function enforcedForm(schema: JsonObject, form: OutputForm) {
  const plain = without(schema, '#');
  if (form === 'strict' && !isStrict(plain)) {
    const text = {
      type: 'string',
      description: `JSON text of a value that satisfies: ${JSON.stringify(schema)}`,
    };
    return {
      schema: wrapped('value_as_json', text),
      how: ' as JSON text in value_as_json',
      read: (output: JsonValue) => parsed(ownMember(output, 'value_as_json')),
    };
  }
  if (plain['type'] === 'object' && plain['$ref'] === undefined) {
    return { schema: plain, how: '', read: (output: JsonValue) => output };
  }
  return {
    schema: wrapped('value', without(schema, '#/properties/value')),
    how: ' in the member value',
    read: (output: JsonValue) => ownMember(output, 'value'),
  };
}

function wrapped(name: string, schema: JsonObject): JsonObject {
  return { type: 'object', properties: { [name]: schema }, required: [name], additionalProperties: false };
}

const VALUES: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples']);
const MAPS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
]);

/** Removes our own keywords (`x-…`), `$schema` and `$id`, and rebases references to the schema's new location. */
function without(schema: JsonObject, root: string): JsonObject {
  const entries = Object.entries(schema).flatMap(([keyword, value]): [string, JsonValue][] => {
    if (keyword === '$schema' || keyword === '$id' || keyword.startsWith('x-')) return [];
    if (keyword === '$ref' && typeof value === 'string' && value.startsWith('#')) {
      return [[keyword, `${root}${value.slice(1)}`]];
    }
    if (VALUES.has(keyword)) return [[keyword, value]];
    if (MAPS.has(keyword) && isJsonObject(value)) {
      const inner = Object.entries(value).map(([name, one]) => [name, deeper(one, root)]);
      return [[keyword, Object.fromEntries(inner)]];
    }
    return [[keyword, deeper(value, root)]];
  });
  return Object.fromEntries(entries);
}

function deeper(value: JsonValue, root: string): JsonValue {
  if (isJsonArray(value)) return value.map((one) => deeper(one, root));
  return isJsonObject(value) ? without(value, root) : value;
}

/** Keywords allowed in a strict output schema; the model's API rejects others. */
const STRICT: ReadonlySet<string> = new Set([
  'type',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'enum',
  'const',
  'description',
  'title',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
]);

function isStrict(schema: JsonValue | undefined, depth = 0): boolean {
  if (!isJsonObject(schema) || typeof schema['type'] !== 'string') return false;
  if (!Object.keys(schema).every((keyword) => STRICT.has(keyword))) return false;
  if (schema['type'] === 'array') return isStrict(schema['items'], depth + 1);
  if (schema['type'] !== 'object') return depth > 0;
  const { properties, required, additionalProperties } = schema;
  if (!isJsonObject(properties) || !isJsonArray(required) || additionalProperties !== false) return false;
  const names = Object.keys(properties);
  return (
    names.length > 0 &&
    names.every((name) => required.includes(name) && isStrict(properties[name], depth + 1))
  );
}
