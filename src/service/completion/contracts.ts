// Validates documents against the contracts of children.
import type { DocumentView } from '../../domain/transactions/decision-context.js';
import { damagedFailure, RecordDamagedError } from '../../domain/damage/damage.js';
import { ok, type Result, type Violation } from '../../domain/errors.js';
import { after, type MaybePromise } from '../../lib/maybe-promise.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json/json.js';
import { valueAt } from '../../domain/json/pointer.js';
import type { Completion, Contract } from '../../domain/records/records.js';
import type { AdmittedSchema, SchemaEngine } from '../../ports/schema-engine.js';
import type { DocumentTexts } from '../documents/document-texts.js';

export class Contracts {
  constructor(
    private readonly engine: SchemaEngine,
    private readonly texts: DocumentTexts,
  ) {}

  /** The violations of a contract; none if the contract holds or there is none. */
  violations(contract: Contract | null, document: JsonObject): MaybePromise<Result<readonly Violation[]>> {
    if (contract === null) return ok([]);
    const value = valueAt(document, contract.pointer);
    if (value === undefined) {
      return ok([
        {
          pointer: contract.pointer,
          keyword: 'contract',
          message: 'there is nothing at this place yet',
          expected: contract.schema,
        },
      ]);
    }
    const schema = { hash: contract.schemaHash, schema: contract.schema };
    return after(this.#validate(schema, value), (found) =>
      found.ok
        ? ok(found.value.map((one) => ({ ...one, pointer: `${contract.pointer}${one.pointer}` })))
        : found,
    );
  }

  /** A contract that cannot be applied is a failure, like one that is too expensive to check. */
  #validate(schema: AdmittedSchema, value: JsonValue): MaybePromise<Result<readonly Violation[]>> {
    try {
      const found = this.engine.validate(schema, value, this.#sizeOf(value));
      return found instanceof Promise ? found.catch(refusedIfDamaged) : found;
    } catch (error) {
      return refusedIfDamaged(error);
    }
  }

  #sizeOf(value: JsonValue): number {
    return isJsonObject(value) ? this.texts.bytes(value) : JSON.stringify(value).length;
  }

  /** The violations of a completion's contract. One that is too expensive to check counts as broken. */
  contractViolations(
    { settings }: Completion,
    { document }: DocumentView,
  ): MaybePromise<readonly Violation[]> {
    const { contract } = settings;
    return after(this.violations(contract, document), (found) =>
      found.ok ? found.value : [asViolation(contract, found.failure.detail)],
    );
  }
}

function refusedIfDamaged(error: unknown): Result<never> {
  if (error instanceof RecordDamagedError) return damagedFailure(error.damage);
  throw error;
}

function asViolation(contract: Contract | null, message: string): Violation {
  return {
    pointer: contract?.pointer ?? '',
    keyword: 'contract',
    message,
    expected: contract?.schema ?? null,
  };
}
