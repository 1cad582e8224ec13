// What the checks of a database need and report.
import type { JsonObject } from '../../domain/json/json.js';

/** A broken invariant that `countersign doctor` reports. */
export interface Finding {
  readonly check: string;
  readonly subject: string;
  readonly detail: string;
}

/**
 * Applies a patch (JSON text) to a document; to `null` for the first version.
 *
 * @throws Error - The patch cannot be applied.
 */
type ApplyPatchText = (document: JsonObject | null, patchText: string) => JsonObject;

/** Functions that the audit needs from outside the store. */
export interface AuditWork {
  readonly apply: ApplyPatchText;
  /** The hash that identifies a schema's content. */
  readonly hashOf: (schema: JsonObject) => string;
}
