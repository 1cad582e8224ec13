// Validates a new version of a document, and lets violations stay that a migration allowed.
import { ok, type Result, type Violation } from '../../../domain/errors.js';
import type { JsonObject } from '../../../domain/json/json.js';
import type { ChangedLocations } from '../../../domain/json/changed-locations.js';
import type { Limits } from '../../../domain/limits.js';
import { refusedViolations } from '../../../domain/states/lenient-violations.js';
import type { Migration } from '../../../domain/states/write.js';
import type { AdmittedSchema, SchemaEngine } from '../../../ports/schema-engine.js';
import { after, type MaybePromise } from '../../../lib/maybe-promise.js';
import { invalidDocument, transitionFailure } from './document-failures.js';
import type { DocumentTexts } from '../../documents/document-texts.js';

/** The document before the change, and the schema of its state. */
export interface DocumentBase {
  readonly document: JsonObject;
  /** For a write that archives: the document without the archived values, for the rules of change. */
  readonly ruledFrom?: JsonObject | undefined;
  /** The schema that the document must satisfy. */
  readonly schema: AdmittedSchema;
  /** True if violations of the document before may stay. */
  readonly lenient?: boolean;
  /** Set if the change moves the state to `schema` from another version. */
  readonly migration?: Migration;
}

interface Parts {
  readonly engine: SchemaEngine;
  readonly texts: DocumentTexts;
  readonly limits: Limits;
}

/**
 * Validates a document against its schema, and the change against the rules of change.
 *
 * @returns Violations that the write leaves in place: none, unless the state is lenient. Or `validation_failed`,
 *   `transition_refused`, checked in this order.
 */
export function validateDocument(
  parts: Parts,
  base: DocumentBase,
  document: JsonObject,
  bytes: number,
  locations: ChangedLocations | null,
): MaybePromise<Result<readonly Violation[]>> {
  const change = locations === null ? undefined : { before: base.document, locations };
  return after(parts.engine.validate(base.schema, document, bytes, change), (found) => {
    if (!found.ok) return found;
    // A list that is full may have left some out.
    const mayStay = base.lenient === true && found.value.length < parts.limits.violationsMax;
    if (!mayStay || found.value.length === 0) return checkChange(parts, base, document, found.value, []);
    return after(
      parts.engine.validate(base.schema, base.document, parts.texts.bytes(base.document)),
      (known) => (known.ok ? checkChange(parts, base, document, found.value, known.value) : known),
    );
  });
}

/** Violations of a document that does not change: none, unless the state is lenient. */
export function standingViolations(
  { engine, texts }: Parts,
  base: DocumentBase,
): MaybePromise<Result<readonly Violation[]>> {
  if (base.lenient !== true) return NOTHING;
  return engine.validate(base.schema, base.document, texts.bytes(base.document));
}

const NOTHING = ok<readonly Violation[]>([]);

/** @param known - Violations of the document before, which may stay. */
function checkChange(
  { engine, limits }: Parts,
  base: DocumentBase,
  document: JsonObject,
  violations: readonly Violation[],
  known: readonly Violation[],
): Result<readonly Violation[]> {
  const refused = refusedViolations(violations, known, base.document, document);
  if (refused.length > 0) return invalidDocument(refused);
  const changed = engine.checkChange(base.schema, base.ruledFrom ?? base.document, document);
  // Identities that a document from before the migration gives twice.
  const given = base.migration === undefined ? [] : engine.checkChange(base.schema, undefined, document);
  const against = given.length === 0 ? changed : [...changed, ...given];
  return against.length > 0 ? transitionFailure(against.slice(0, limits.violationsMax)) : ok(violations);
}
