// What the service needs of JSON Schema. Implemented by `schema/`; says nothing of Ajv or threads.
import type { Outcome, Violation } from '../domain/errors.js';
import type { JsonObject, JsonValue } from '../domain/json/json.js';
import type { ExampleOf } from '../domain/schemas/example.js';
import type { RuledOut } from '../domain/schemas/room.js';

/** A schema that was admitted. `hash` is the SHA-256 (hex) of its canonical form (RFC 8785) and names it in caches. */
export interface AdmittedSchema {
  readonly hash: string;
  readonly schema: JsonObject;
}

/** What can be said of two schemas: unknown is where neither can be shown. */
export type CompatibilityVerdict = 'compatible' | 'incompatible' | 'unknown';

/** A rule that stands in the way of a schema that is to accept all that another one accepts. */
export interface SchemaDifference {
  /** Place of the rule in the schema that was to be the wider one. */
  readonly pointer: string;
  /** Its keyword. */
  readonly rule: string;
  readonly message: string;
}

/** Whether one schema accepts all that another one accepts. */
export interface Containment {
  readonly verdict: CompatibilityVerdict;
  /** None where they are compatible. */
  readonly differences: readonly SchemaDifference[];
}

/** How a write is put; `revert` is a `replace` by another name in the history. */
export type WriteForm = 'replace' | 'json_patch' | 'merge_patch' | 'ops' | 'revert' | 'migrate';

/** Work on large documents, all of them as JSON texts. */
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
      /** Says which items have a key. */
      readonly schema: JsonObject;
      readonly overwrite: boolean;
    }
  | { readonly kind: 'diff'; readonly from: string; readonly to: string };

/** What came of it: a document with the canonical patch that leads to it, conflicts, or a patch alone. */
export type DocumentWorked =
  | { readonly document: string; readonly patch: string; readonly keepsShape: boolean }
  | { readonly conflicts: { readonly listed: readonly JsonObject[]; readonly total: number } }
  | { readonly patch: string };

export interface SchemaEngine {
  /**
   * Does what takes long with large documents, in another thread under a deadline.
   *
   * @returns What came of it; what the work itself refuses; or `limit_exceeded` (`documentWorkMs`).
   */
  work(work: DocumentWork): Promise<Outcome<DocumentWorked>>;

  /**
   * Checks a schema that comes from outside, off the main thread and under a deadline.
   *
   * @param schema - Anything that was parsed from JSON.
   * @param use - `document`: the top level has to describe an object; `value`: any schema (a contract, a condition).
   * @returns The admitted schema; or `invalid_schema`, `schema_too_complex`, `limit_exceeded`.
   */
  admit(schema: JsonValue, use: 'document' | 'value'): Promise<Outcome<AdmittedSchema>>;

  /**
   * Holds a document against an admitted schema. Answers at once where the work is known to be small, else from
   * another thread under a deadline, so that the event loop is never held for long.
   *
   * @param bytes - Size of the document as JSON text; what the estimate of the work starts from.
   * @returns The violations, bounded in number, none where the document is valid; or `schema_too_complex`
   *   where the deadline passed.
   */
  validate(
    schema: AdmittedSchema,
    document: JsonValue,
    bytes: number,
  ): Outcome<readonly Violation[]> | Promise<Outcome<readonly Violation[]>>;

  /**
   * Holds a change of a document against the schema's rules of change (`x-immutable` and its kin). Synchronous and
   * linear in the places that have rules; a schema without any costs nothing. Every write asks this after `validate`.
   *
   * @param before - The document that is there; `undefined` for the first of a state.
   * @returns The violations, bounded in number; none where the change keeps the rules.
   */
  checkChange(
    schema: AdmittedSchema,
    before: JsonObject | undefined,
    after: JsonObject,
  ): readonly Violation[];

  /**
   * The `x-key` of the array at a place: the member that identifies its items.
   *
   * @param pointer - Place in a document; items on the way may be named by any index.
   * @returns `null` where the items are told apart by position, and where there is no array.
   */
  itemKeyAt(schema: AdmittedSchema, pointer: string): string | null;

  /**
   * Whether no document of an admitted schema can ever have a value at a place that satisfies a further schema.
   * Synchronous and bounded in steps. Only says so where it is certain: what is too costly to tell counts as possible.
   *
   * @returns Where the schema closes; `null` where it may be possible.
   */
  readonly ruledOut: RuledOut;

  /**
   * A small write that puts an example at one of some places: applied to the document, it satisfies the schema, its
   * rules and a contract. Synchronous, and bounded in steps, tries and bytes.
   *
   * @returns `null` where none was found, or where the document is too large to be looked at here.
   */
  readonly exampleOf: ExampleOf;

  /**
   * Whether every document that is valid under one admitted schema is valid under another one. From another thread,
   * bounded in steps and time. `compatible` is only said where it is so; rules of change do not count.
   */
  contains(wider: AdmittedSchema, narrower: AdmittedSchema): Promise<Containment>;

  /** Ends the threads. */
  close(): Promise<void>;
}
