// The part of admission that needs Ajv: meta-schema, patterns, compilation, trials. Runs in the worker, where
// a deadline can end it.
import { ok, type Result, type Violation } from '../../domain/errors.js';
import type { JsonObject } from '../../domain/json/json.js';
import type { Limits } from '../../domain/limits.js';
import { formatPointer } from '../../domain/json/pointer.js';
import { compileSchema, createMetaValidator, type CompiledSchema } from '../ajv/ajv.js';
import { draftOf, SCHEMA_URIS, type Draft } from '../lowering/draft.js';
import { outlineOf, type Subschema } from '../lowering/outline.js';
import { PATTERN_DIALECT, patternProblem } from '../patterns/pattern.js';
import { runValidator } from '../ajv/run-validator.js';
import { invalidSchema } from './static-admission.js';
import { trialDocuments } from './trial.js';
import { violationsOf } from '../ajv/violations.js';

/** A validator of schemas for each draft, made when it is first needed. */
export class MetaValidators {
  readonly #made = new Map<Draft, ReturnType<typeof createMetaValidator>>();

  of(draft: Draft): ReturnType<typeof createMetaValidator> {
    const known = this.#made.get(draft) ?? createMetaValidator(draft);
    this.#made.set(draft, known);
    return known;
  }
}

/**
 * Checks a schema that passed `admitStatically` against its meta-schema, compiles it and tests it.
 *
 * @param compiled - Called between compilation and trials, which have separate deadlines.
 * @returns An empty list; or `invalid_schema`, or the failure of a trial.
 */
export function admitInWorker(
  schema: JsonObject,
  limits: Limits,
  metaValidators: MetaValidators,
  compiled: () => void,
): Result<readonly Violation[]> {
  const draft = draftOf(schema) ?? '2020-12';
  const outline = outlineOf(schema);
  const patterns = outline.flatMap(patternViolations);
  if (patterns.length > 0) return invalidSchema(patterns.slice(0, limits.violationsMax));
  const meta = metaValidators.of(draft);
  if (meta.validateSchema({ ...schema, $schema: SCHEMA_URIS[draft] }) !== true) {
    return invalidSchema(violationsOf(meta.errors ?? [], limits.violationsMax));
  }
  const validate = compile(schema);
  if ('pointer' in validate) return invalidSchema([validate]);
  compiled();
  for (const document of trialDocuments(schema)) {
    const tried = runValidator(validate, document, 1);
    if (!tried.ok) return tried;
  }
  return ok([]);
}

function patternViolations({ schema, pointer }: Subschema): Violation[] {
  if (typeof schema === 'boolean') return [];
  const { pattern, patternProperties } = schema;
  const entries: [string, string][] = typeof pattern === 'string' ? [['/pattern', pattern]] : [];
  if (typeof patternProperties === 'object' && patternProperties !== null) {
    for (const name of Object.keys(patternProperties)) {
      entries.push([formatPointer(['patternProperties', name]), name]);
    }
  }
  return entries.flatMap(([at, text]) => {
    const problem = patternProblem(text);
    if (problem === null) return [];
    const message = `the pattern cannot be used: ${problem.slice(0, 200)} (${PATTERN_DIALECT})`;
    return [{ pointer: pointer + at, keyword: 'pattern', message, expected: PATTERN_DIALECT }];
  });
}

/** Compiles the schema. An error of Ajv is a fault of the schema that the meta-schema cannot detect. */
function compile(schema: JsonObject): CompiledSchema | Violation {
  try {
    return compileSchema(schema);
  } catch (error) {
    if (!(error instanceof Error) || error instanceof RangeError) throw error;
    const path = /at path "#([^"]*)"/.exec(error.message)?.[1] ?? '';
    const expected = 'a schema that Ajv compiles';
    return { pointer: path, keyword: 'strict', message: error.message.slice(0, 500), expected };
  }
}
