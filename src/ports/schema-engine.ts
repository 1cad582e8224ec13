// JSON Schema and work on large documents, as the service uses them. `schema/` implements it. Nothing here
// mentions Ajv or threads.
import type { Failure, Result, Violation } from '../domain/errors.js';
import type { JsonObject, JsonValue } from '../domain/json/json.js';
import type { ChangedLocations } from '../domain/json/changed-locations.js';
import type { ExampleOf, RuledOut } from '../domain/transactions/schema-answers.js';

/** The system gives no thread for the work. It says nothing about the schema or the document: a retry may succeed. */
export class NoThreadError extends Error {
  override readonly name = 'NoThreadError';
}

/** Converts the error into the failure that callers get; `null` for any other error. */
export function threadFailure(error: unknown): Failure | null {
  if (!(error instanceof NoThreadError)) return null;
  return { error: 'overloaded', detail: `${error.message}. Try again later.`, members: {} };
}

/**
 * A schema that passed admission. `hash` is the SHA-256 (hex) of its canonical form (RFC 8785); caches use it
 * as key.
 */
export interface AdmittedSchema {
  readonly hash: string;
  readonly schema: JsonObject;
}

/** The result of a comparison of two schemas. `unknown`: neither compatibility nor incompatibility is proven. */
export type CompatibilityResult = 'compatible' | 'incompatible' | 'unknown';

/** A rule that keeps the wider schema from accepting everything that the narrower one accepts. */
export interface SchemaDifference {
  /** JSON Pointer to the rule in the wider schema. */
  readonly pointer: string;
  /** The rule's keyword. */
  readonly rule: string;
  readonly message: string;
}

/** Whether one schema accepts everything that another one accepts. */
export interface Containment {
  readonly verdict: CompatibilityResult;
  /** Empty if compatible. */
  readonly differences: readonly SchemaDifference[];
}

/** The form of a write. `revert` is a `replace` with another name in the history. */
export type WriteForm = 'replace' | 'json_patch' | 'merge_patch' | 'ops' | 'revert' | 'migrate' | 'workflow';

/** Work on large documents. All documents are JSON texts. */
export type DocumentWork =
  | {
      readonly kind: 'apply';
      readonly form: WriteForm;
      readonly document: string;
      readonly payload: string;
    }
  | {
      readonly kind: 'merge';
      readonly base: string;
      readonly current: string;
      readonly yours: string;
      /** Defines which arrays have an item key. */
      readonly schema: JsonObject;
      readonly overwrite: boolean;
    }
  | { readonly kind: 'diff'; readonly from: string; readonly to: string };

/** The result of `DocumentWork`: a document with the canonical patch that produces it, conflicts, or only a patch. */
export type DocumentWorked =
  | { readonly document: string; readonly patch: string; readonly keepsShape: boolean }
  | { readonly conflicts: { readonly listed: readonly JsonObject[]; readonly total: number } }
  | { readonly patch: string };

/** How a document came from one before it. */
export interface DocumentChange {
  readonly before: JsonObject;
  /** Where the document may differ from it. */
  readonly locations: ChangedLocations;
}

export interface SchemaEngine {
  /** The estimated memory of compiled schemas. */
  readonly cacheBytes: number;

  /**
   * Performs expensive work on large documents in another thread, under a deadline.
   *
   * @returns The result; a failure of the work itself; or `limit_exceeded` (`documentWorkMs`).
   */
  work(work: DocumentWork): Promise<Result<DocumentWorked>>;

  /**
   * Checks an untrusted schema off the main thread, under a deadline.
   *
   * @param schema - Any parsed JSON value.
   * @param use - `document`: the top level must describe an object. `value`: any schema (a contract, a condition).
   * @returns The admitted schema; or `invalid_schema`, `schema_too_complex`, `limit_exceeded`.
   */
  admit(schema: JsonValue, use: 'document' | 'value'): Promise<Result<AdmittedSchema>>;

  /**
   * Validates a document against an admitted schema. Runs on the calling thread if the estimated work is
   * small, else in another thread under a deadline. This bounds how long the event loop is blocked.
   *
   * @param bytes - Size of the document as JSON text. The work estimate starts from it.
   * @param change - The change that led to the document. If the document before is known to be valid, only what the
   * change affects may be validated. The result is the same.
   * @returns A bounded number of violations, none if the document is valid; or `schema_too_complex` if the
   * deadline passed.
   */
  validate(
    schema: AdmittedSchema,
    document: JsonValue,
    bytes: number,
    change?: DocumentChange,
  ): Result<readonly Violation[]> | Promise<Result<readonly Violation[]>>;

  /**
   * Checks a change of a document against the schema's rules of change (`x-immutable` and related keywords).
   * Synchronous, and linear in the number of locations with rules; free for a schema without rules. Every
   * write calls it after `validate`.
   *
   * @param before - The current document; `undefined` for the first version of a state.
   * @returns A bounded number of violations, none if the change keeps the rules.
   */
  checkChange(
    schema: AdmittedSchema,
    before: JsonObject | undefined,
    after: JsonObject,
  ): readonly Violation[];

  /**
   * The `x-key` of the array at a location: the member that identifies its items.
   *
   * @param pointer - Location in a document. Array items on the way may have any index.
   * @returns `null` if items are identified by position, or if there is no array.
   */
  itemKeyAt(schema: AdmittedSchema, pointer: string): string | null;

  /**
   * Proves that no document of an admitted schema can have a value at a location that satisfies a further
   * schema. Synchronous and bounded in steps. It never reports a possible value as impossible: what exceeds
   * the bound counts as possible.
   *
   * @returns The rule that excludes the value; `null` if a value may be possible.
   */
  readonly ruledOut: RuledOut;

  /**
   * Finds a small write that puts an example at one of several locations. Applied to the document, it satisfies the
   * schema, its rules of change and a contract. Synchronous; bounded in steps, candidates and bytes.
   *
   * @returns `null` if none was found, or if the document is too large for this check.
   */
  readonly exampleOf: ExampleOf;

  /**
   * Checks whether every document valid under `narrower` is valid under `wider`. Runs in another thread,
   * bounded in steps and time. `compatible` is always proven. Rules of change are ignored.
   */
  contains(wider: AdmittedSchema, narrower: AdmittedSchema): Promise<Containment>;

  /** Ends the threads. */
  close(): Promise<void>;
}
