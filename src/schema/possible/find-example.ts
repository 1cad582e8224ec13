// Finds the first example write that is proven valid: it is applied and checked against the contract, the
// schema and its rules.
import { jsonEqual, type JsonObject, type JsonValue } from '../../domain/json/json.js';
import type { Limits } from '../../domain/limits.js';
import { valueAt } from '../../domain/json/pointer.js';
import type { ExampleTerms, ExampleWrite } from '../../domain/schemas/example.js';
import type { AdmittedSchema } from '../../ports/schema-engine.js';
import { holds } from '../compatibility/evaluate.js';
import { Budget, Side } from '../compatibility/side.js';
import { applyPatch } from '../../document/json-patch.js';
import { exampleWrites } from './index.js';
import { checkTransitions, compileRules, Places } from '../rules/index.js';
import { textSize } from '../../domain/json/text-size.js';

/** Validates synchronously; `null` if that may take too long. */
type IsValid = (schema: AdmittedSchema, value: JsonValue, bytes: number) => boolean | null;

type Bounds = Pick<Limits, 'exampleStepsMax' | 'exampleBytesMax' | 'exampleCandidatesMax'>;

/** @see SchemaEngine.exampleOf */
export function findExample(
  places: Places,
  schema: AdmittedSchema,
  terms: ExampleTerms,
  bounds: Bounds,
  isValid: IsValid,
): ExampleWrite | null {
  const { contract, document, documentBytes } = terms;
  const rules = compileRules(schema.schema);
  const isSurelyValid = (of: AdmittedSchema, value: JsonValue, bytes: number) =>
    isValid(of, value, bytes) ?? isSmallAndValid(of, value, bytes, bounds);
  const wouldHold = ({ operation }: ExampleWrite) => {
    const after = applied(document, operation);
    if (after === null || jsonEqual(after, document)) return false;
    const bytes = documentBytes + textSize(operation.path) + textSize(operation.value);
    if (contract !== null) {
      const value = valueAt(after, contract.pointer);
      const agreed = { hash: contract.schemaHash, schema: contract.schema };
      if (value === undefined || !isSurelyValid(agreed, value, bytes)) return false;
    }
    return isSurelyValid(schema, after, bytes) && checkTransitions(rules, document, after, 1).length === 0;
  };
  let looked = 0;
  for (const write of exampleWrites(places, terms, bounds.exampleStepsMax)) {
    if (looked === bounds.exampleCandidatesMax) return null;
    looked += 1;
    if (textSize(write.operation.value) <= bounds.exampleBytesMax && wouldHold(write)) return write;
  }
  return null;
}

/** The check for schemas that take quadratic time in the document, or are costly to compile. */
function isSmallAndValid(
  { schema }: AdmittedSchema,
  value: JsonValue,
  bytes: number,
  { exampleBytesMax, exampleStepsMax }: Bounds,
): boolean {
  if (bytes > 2 * exampleBytesMax) return false;
  return holds(new Side(new Places(schema), new Budget(exampleStepsMax)), 0, value) === true;
}

/** The document after an operation; `null` if it cannot be applied. */
function applied(document: JsonObject, operation: ExampleWrite['operation']): JsonObject | null {
  try {
    return applyPatch(document, [operation]);
  } catch {
    return null;
  }
}
