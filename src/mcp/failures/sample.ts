// Builds a value that satisfies the expected schema of a violation. A hint, not a guarantee.
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../domain/json/json.js';

const DEPTH_MAX = 4;

const OF_TYPE: Readonly<Record<string, JsonValue>> = {
  string: 'text',
  number: 1,
  integer: 1,
  boolean: true,
  null: null,
  array: [],
  object: {},
};

const OF_FORMAT: Readonly<Record<string, string>> = {
  'date-time': '2026-01-31T12:00:00Z',
  date: '2026-01-31',
  time: '12:00:00Z',
  email: 'name@example.org',
  uri: 'https://example.org/',
  uuid: '3f0c2b9e-8f5a-4c55-9d0e-6a1b7c2d3e4f',
};

/** @returns A value for the schema; `undefined` if none is easily built. */
export function sampleOf(schema: JsonValue | undefined, depth = 0): JsonValue | undefined {
  if (!isJsonObject(schema) || depth > DEPTH_MAX) return undefined;
  for (const known of ['const', 'default'] as const) if (schema[known] !== undefined) return schema[known];
  for (const list of ['enum', 'examples'] as const) {
    const values = schema[list];
    if (isJsonArray(values) && values[0] !== undefined) return values[0];
  }
  const type = isJsonArray(schema['type']) ? schema['type'][0] : schema['type'];
  const format = schema['format'];
  if (typeof format === 'string') return OF_FORMAT[format];
  if (schema['pattern'] !== undefined) return undefined;
  if (type === 'object' || schema['properties'] !== undefined) return objectOf(schema, depth);
  if (type === 'string')
    return 'text'.padEnd(numberAt(schema, 'minLength') ?? 4, 't').slice(0, numberAt(schema, 'maxLength'));
  if (type === 'array') return arrayOf(schema, depth);
  const number = numberAt(schema, 'minimum') ?? numberAt(schema, 'maximum');
  if (number !== undefined) return number;
  return typeof type === 'string' ? OF_TYPE[type] : undefined;
}

function objectOf(schema: JsonObject, depth: number): JsonObject | undefined {
  const { required, properties } = schema;
  const made: Record<string, JsonValue> = {};
  for (const name of isJsonArray(required) ? required : []) {
    if (typeof name !== 'string') return undefined;
    const value = sampleOf(isJsonObject(properties) ? properties[name] : undefined, depth + 1);
    if (value === undefined) return undefined;
    made[name] = value;
  }
  return made;
}

function arrayOf(schema: JsonObject, depth: number): JsonValue | undefined {
  const items = numberAt(schema, 'minItems') ?? 0;
  if (items === 0) return [];
  const item = sampleOf(schema['items'], depth + 1);
  return item === undefined ? undefined : Array.from({ length: Math.min(items, 3) }, () => item);
}

function numberAt(schema: JsonObject, name: string): number | undefined {
  const value = schema[name];
  return typeof value === 'number' ? value : undefined;
}
