// The HTTP layer's use of Ajv: each schema of a route is compiled once, when it is first needed. Documents are
// not validated here: in `ports/api` they are "any JSON", and the service validates them against their schema.
import { Ajv2020, type AnySchemaObject, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { Static, TSchema } from 'typebox';
import { ok, invalidMember, type Result } from '../../../domain/errors.js';
import { invalidRequest } from './violations.js';

/**
 * Up to this body size, an answer lists all faults; above it only the first, because the list could be as long
 * as the body.
 */
const LISTED_BODY_BYTES_MAX = 64 * 1024;

/** Path and query members, by name. A member that is given twice is an array. */
export type TextMembers = Readonly<Record<string, string | readonly string[]>>;

export interface Compiler {
  /** Validates a body. `bytes` is its size. */
  body<S extends TSchema>(schema: S): (value: unknown, bytes: number) => Result<Static<S>>;
  /**
   * Validates texts and converts them to numbers and booleans where the schema has these. `area` is `path` or
   * `query`.
   */
  text<S extends TSchema>(schema: S, area: string): (members: TextMembers | null) => Result<Static<S>>;
}

/** Names of the members that are integers, or may be. */
function integersOf(schema: TSchema): readonly string[] {
  const properties: Readonly<Record<string, TSchema>> =
    'properties' in schema ? (schema.properties as Record<string, TSchema>) : {}; // parsing: TypeBox has it so
  const isInteger = (one: TSchema): boolean =>
    ('type' in one && one.type === 'integer') ||
    ('anyOf' in one && Array.isArray(one.anyOf) && one.anyOf.some((part: TSchema) => isInteger(part)));
  return Object.keys(properties).filter((name) => {
    const property = properties[name];
    return property !== undefined && isInteger(property);
  });
}

/** True for a number in hexadecimal, or with an exponent, a fraction or spaces, which Ajv would accept. */
function isOddNumber(text: TextMembers[string] | undefined): boolean {
  return typeof text === 'string' && !/^-?[0-9]+$/.test(text) && text !== '' && !Number.isNaN(Number(text));
}

/**
 * The integers with more digits than doubles reach, as the largest double. Ajv would make them `Infinity`, which it holds
 * to no bound.
 */
function pastDoubles(members: TextMembers, integers: readonly string[]): Readonly<Record<string, number>> {
  const past = integers.filter((name) => Math.abs(Number(members[name])) === Infinity);
  return Object.fromEntries(past.map((name) => [name, Math.sign(Number(members[name])) * Number.MAX_VALUE]));
}

/** @param violationsMax - Maximum number of faults in an answer. */
export function createCompiler(violationsMax: number): Compiler {
  const common = {
    strict: true,
    allowUnionTypes: true,
    verbose: true,
    addUsedSchema: false,
    // A test checks the schemas of all routes. Compiling the meta-schema would take half of the first request's time.
    meta: false,
    validateSchema: false,
    // Optimized code takes twice as long to compile, and a small body is checked as fast without it.
    code: { optimize: false },
  } as const;
  const quick = new Ajv2020(common);
  const thorough = new Ajv2020({ ...common, allErrors: true });
  const coercing = new Ajv2020({ ...common, allErrors: true, coerceTypes: true, useDefaults: true });
  for (const ajv of [quick, thorough, coercing]) formats.default(ajv, ['date-time']);
  /** The same object for a schema every time: by that Ajv knows what it has compiled, and routes share schemas. */
  const plainSchemas = new WeakMap<TSchema, AnySchemaObject>();
  function forAjv(schema: TSchema): AnySchemaObject {
    const plain = plainSchemas.get(schema) ?? { ...schema };
    plainSchemas.set(schema, plain);
    return plain;
  }

  const compile = <S extends TSchema>(ajv: Ajv2020, schema: S): ValidateFunction<Static<S>> =>
    ajv.compile<Static<S>>(forAjv(schema));

  function failure(check: { errors?: ValidateFunction['errors'] }, prefix: string) {
    return { ok: false, failure: invalidRequest(check.errors ?? [], prefix, violationsMax) } as const;
  }

  return {
    body(schema) {
      type Check = ValidateFunction<Static<typeof schema>>;
      let isValid: Check | null = null;
      let listsAll: Check | null = null;
      return (value, bytes) => {
        isValid ??= compile(quick, schema);
        if (isValid(value)) return ok(value);
        if (bytes > LISTED_BODY_BYTES_MAX) return failure(isValid, '');
        listsAll ??= compile(thorough, schema);
        listsAll(value);
        return failure(listsAll, '');
      };
    },
    text(schema, area) {
      let isValid: ValidateFunction<Static<typeof schema>> | null = null;
      let whenEmpty: Result<Static<typeof schema>> | null = null;
      const integers = integersOf(schema);
      return (members) => {
        if (members === null && whenEmpty !== null) return whenEmpty;
        isValid ??= compile(coercing, schema);
        if (members === null) {
          const nothing: unknown = {};
          whenEmpty = isValid(nothing) ? ok(nothing) : failure(isValid, `/${area}`);
          return whenEmpty;
        }
        const odd = integers.find((name) => isOddNumber(members[name]));
        if (odd !== undefined) {
          return invalidMember(`/${area}/${odd}`, 'must be an integer in decimal digits', 'integer');
        }
        const value: unknown = { ...members, ...pastDoubles(members, integers) };
        return isValid(value) ? ok(value) : failure(isValid, `/${area}`);
      };
    },
  };
}
