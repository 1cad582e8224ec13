// Finds the first example write that is proven valid: it is applied and checked against the contract, the
// schema and its rules.
import { jsonEqual, type JsonObject, type JsonValue } from '../../domain/json/json.js';
import { changedLocations, type ChangedLocations } from '../../domain/json/changed-locations.js';
import type { Limits } from '../../domain/limits.js';
import { isAtOrUnder, valueAt } from '../../domain/json/pointer.js';
import type { ExampleTerms, ExampleWrite } from '../../domain/transactions/schema-answers.js';
import type { AdmittedSchema, DocumentChange } from '../../ports/schema-engine.js';
import { holds } from '../compatibility/evaluate.js';
import { Budget, Side } from '../compatibility/side.js';
import { applyPatch } from '../../document/json-patch.js';
import { sparselyAdded } from '../../document/sparsely-added.js';

import { exampleWrites, type PossibleIn } from './index.js';
import { checkTransitions, type RulePlan } from '../rules/index.js';
import { textSize } from '../../domain/json/text-size.js';

/** What the engine knows of the schemas. */
interface ExampleSchemas {
  readonly schema: AdmittedSchema;
  readonly entry: PossibleIn & { readonly rules: () => RulePlan };
  readonly contract: PossibleIn | null;
  /**
   * Validates synchronously; `null` if that may take too long.
   *
   * @param write - The write that makes the value, if it is a whole document.
   */
  readonly isValid: (
    schema: AdmittedSchema,
    value: JsonValue,
    bytes: number,
    write?: DocumentChange,
  ) => boolean | null;
  /**
   * True if a change certainly keeps the document valid.
   *
   * @param sparse - The document after it, without the members that it leaves alone.
   */
  readonly staysValid: (sparse: JsonObject, change: DocumentChange) => boolean;
}

type Bounds = Pick<Limits, 'exampleStepsMax' | 'exampleBytesMax' | 'exampleCandidatesMax'>;

/** @see SchemaEngine.exampleOf */
export function findExample(
  { schema, entry, contract: ofContract, isValid, staysValid }: ExampleSchemas,
  terms: ExampleTerms,
  bounds: Bounds,
): ExampleWrite | null {
  const { contract, document, documentBytes } = terms;
  const keepsContract = (after: JsonObject, bytes: number) => {
    if (contract === null || ofContract === null) return true;
    const value = valueAt(after, contract.pointer);
    if (value === undefined) return false;
    const agreed = { hash: contract.schemaHash, schema: contract.schema };
    return isValid(agreed, value, bytes) ?? isSmallAndValid(ofContract, value, bytes, bounds);
  };
  /** True if the write is proven without a copy of the document's large objects. Only for new members. */
  const surelyHolds = ({ operation }: ExampleWrite, locations: ChangedLocations, bytes: number) => {
    if (entry.rules() !== null || operation.op !== 'add') return false;
    if (contract !== null && !isAtOrUnder(contract.pointer, operation.path)) return false;
    const sparse = sparselyAdded(document, operation.path, operation.value);
    return (
      sparse !== null && staysValid(sparse, { before: document, locations }) && keepsContract(sparse, bytes)
    );
  };
  const wouldHold = (candidate: ExampleWrite) => {
    const { operation } = candidate;
    const bytes = documentBytes + textSize(operation.path) + textSize(operation.value);
    const locations = changedLocations([operation]);
    if (locations !== null && surelyHolds(candidate, locations, bytes)) return true;
    const after = applied(document, operation);
    if (after === null || jsonEqual(after, document) || !keepsContract(after, bytes)) return false;
    const write = locations === null ? undefined : { before: document, locations };
    return (
      (isValid(schema, after, bytes, write) ?? isSmallAndValid(entry, after, bytes, bounds)) &&
      checkTransitions(entry.rules(), document, after, 1).length === 0
    );
  };
  let looked = 0;
  for (const write of exampleWrites(entry, ofContract, terms, bounds.exampleStepsMax)) {
    if (looked === bounds.exampleCandidatesMax) return null;
    looked += 1;
    if (textSize(write.operation.value) <= bounds.exampleBytesMax && wouldHold(write)) return write;
  }
  return null;
}

/** The check for schemas that take quadratic time in the document, or are costly to compile. */
function isSmallAndValid(
  schema: PossibleIn,
  value: JsonValue,
  bytes: number,
  { exampleBytesMax, exampleStepsMax }: Bounds,
): boolean {
  if (bytes > 2 * exampleBytesMax) return false;
  return holds(new Side(schema.graph(), new Budget(exampleStepsMax)), 0, value) === true;
}

/** The document after an operation; `null` if it cannot be applied. */
function applied(document: JsonObject, operation: ExampleWrite['operation']): JsonObject | null {
  try {
    return applyPatch(document, [operation]);
  } catch {
    return null;
  }
}
