// Remembers which documents were found valid, so that a document that follows one of them is validated only where it
// changed. Documents are never changed in place.
import type { JsonObject } from '../../domain/json/json.js';
import type { Limits } from '../../domain/limits.js';
import type { AdmittedSchema, DocumentChange } from '../../ports/schema-engine.js';
import { bytesWithin } from '../admission/profile.js';
import type { SchemaEntry } from '../schema-entries.js';
import { StaysValid } from './stays-valid.js';

/** Below this size, validating the whole document costs no more. */
const BYTES_MIN = 2048;

export class ValidDocuments {
  /** The hash of the schema that each document satisfies. An entry ends with its document. */
  readonly #hashes = new WeakMap<JsonObject, string>();

  constructor(private readonly limits: Pick<Limits, 'inlineValidationStepsMax'>) {}

  /** True if a document of this size is worth remembering. */
  isKept(bytes: number): boolean {
    return bytes >= BYTES_MIN;
  }

  /** The document satisfies the schema. */
  note({ hash }: AdmittedSchema, document: JsonObject): void {
    this.#hashes.set(document, hash);
  }

  /**
   * True if the document certainly satisfies the schema, because the one before did. False says nothing.
   *
   * @param isSparse - True if the objects around the changed locations hold nothing but these locations.
   */
  stays(
    schema: AdmittedSchema,
    known: SchemaEntry,
    document: JsonObject,
    change: DocumentChange,
    isSparse = false,
  ): boolean {
    const { profile } = known;
    if (this.#hashes.get(change.before) !== schema.hash) return false;
    if (profile === null || profile.quadratic || profile.costlyToCompile) return false;
    const { locations } = change;
    const { inlineValidationStepsMax: stepsMax } = this.limits;
    const bytesMax = bytesWithin(profile, stepsMax);
    try {
      const { lowered, parts } = known.validator();
      if (parts === null) return false;
      const proof = new StaysValid({ lowered, parts }, bytesMax, stepsMax, isSparse);
      return proof.check(change.before, document, locations);
    } catch (error) {
      // The stack is too small: the validator reports it.
      if (error instanceof RangeError) return false;
      throw error;
    }
  }
}
