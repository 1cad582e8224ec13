// Validates documents against the contracts of children.
import type { DocumentView, ContractResult } from '../../domain/transactions/decision-context.js';
import { damagedFailure, RecordDamagedError } from '../../domain/damage/damage.js';
import { ok, type Result, type Violation } from '../../domain/errors.js';
import { after, type MaybePromise } from '../../lib/maybe-promise.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json/json.js';
import type { Limits } from '../../domain/limits.js';
import { mayChange } from '../../domain/json/patch-locations.js';
import { valueAt } from '../../domain/json/pointer.js';
import type { Completion, Contract } from '../../domain/records/records.js';
import type { AdmittedSchema, SchemaEngine } from '../../ports/schema-engine.js';
import type { Store } from '../../ports/storage/store.js';
import { patchOf } from '../documents/patch-of.js';
import type { DocumentTexts } from '../documents/document-texts.js';

export class Contracts {
  constructor(
    private readonly engine: SchemaEngine,
    private readonly store: Store,
    private readonly limits: Limits,
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

  /**
   * The violations of a completion's contract, and who broke it. A contract that is too expensive to check
   * counts as broken.
   */
  contractResult(completion: Completion, view: DocumentView): MaybePromise<ContractResult> {
    const { contract } = completion.settings;
    return after(this.violations(contract, view.document), (found): MaybePromise<ContractResult> => {
      const violations = found.ok ? found.value : [asViolation(contract, found.failure.detail)];
      if (violations.length === 0 || contract === null) return { violations, brokenBy: null };
      return this.culprit(completion, contract, view).then((brokenBy) => ({ violations, brokenBy }));
    });
  }

  /** `null` also if the history, or the session that broke it, cannot be read: the contract is broken all the same. */
  private async culprit(
    completion: Completion,
    contract: Contract,
    view: DocumentView,
  ): Promise<string | null> {
    try {
      return await this.#breakingSession(completion, contract, view);
    } catch (error) {
      if (error instanceof RecordDamagedError) return null;
      throw error;
    }
  }

  async #breakingSession(
    completion: Completion,
    contract: Contract,
    view: DocumentView,
  ): Promise<string | null> {
    const since = completion.lastWriteVersion ?? 0;
    const { events } = await this.store.read.events(
      view.stateId,
      since,
      this.limits.culpritEventsMax,
      this.limits.eventBytesPerPageMax,
    );
    const breaking = events.findLast(
      (event) => event.sessionId !== completion.sessionId && mayChange(patchOf(event), contract.pointer),
    );
    if (breaking === undefined) return null;
    if (breaking.sessionId === null) return 'the operator';
    return (await this.store.read.session(breaking.sessionId))?.sessionName ?? breaking.sessionId;
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
