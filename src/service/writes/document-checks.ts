// Checks the document that a write would leave: write scope, workflow mode, schema and rules of change; and the
// failures with the locations that they found. The shape of a document is checked in `document/document.ts`.
import { ok, fail, type Result, type Violation } from '../../domain/errors.js';
import type { JsonObject, JsonValue } from '../../domain/json/json.js';
import type { ChangedLocations } from '../../domain/json/changed-locations.js';
import type { Patch } from '../../domain/json/patch.js';
import type { Limits } from '../../domain/limits.js';
import { refusedViolations } from '../../domain/states/lenient-violations.js';
import type { FailedWrite, Migration, Writer, WriterTerms } from '../../domain/states/write.js';
import { mayWriteMode, writesMode, type ModeBefore } from '../../domain/workflow/modes.js';
import { exists } from '../../domain/workflow/operations.js';
import { addedToArchived, mayWriteRecord, writesRecord } from '../../domain/workflow/record-writes.js';
import { checkWriteScope } from '../../domain/writes/write-scope.js';
import type { AdmittedSchema, SchemaEngine, WriteForm } from '../../ports/schema-engine.js';
import { after, type MaybePromise } from '../../lib/maybe-promise.js';
import { findChange } from '../../document/index.js';
import type { AgentRegistry } from '../agents/agent-registry.js';
import { workflowModes } from '../agents/workflow-modes.js';
import { mayHave } from '../schemas/may-have.js';
import type { DocumentTexts } from '../documents/document-texts.js';
import { checkShapeAndSize } from '../documents/shape-and-size.js';
import { andThen } from '../results.js';

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

/** Finds the invocation of a workflow record with an id that is in an archive. */
type Archived = ((id: string) => MaybePromise<JsonObject | undefined>) | undefined;

const UNCHANGED = ok(null);
const NOTHING = ok<readonly Violation[]>([]);

/** @returns `write_scope_violation`; `null` if the write keeps to the scope of its session. */
export function checkScope(before: JsonObject, after: JsonObject, patch: Patch, terms: WriterTerms | null) {
  const scope = terms?.settings.writeScope ?? null;
  const firstChange = (counts: (pointer: string) => boolean) => findChange(before, after, counts);
  return checkWriteScope(scope, { before, after, patch, firstChange });
}

/**
 * Whether the write may change the mode of a workflow. Reads the modes only if it does.
 *
 * @returns Nothing; or `forbidden`, `mode_refused`, or `agent_broken` if the modes cannot be known.
 */
export function checkMode(
  { agents, engine }: { readonly agents: AgentRegistry; readonly engine: SchemaEngine },
  before: ModeBefore & DocumentBase,
  after: JsonObject,
  sessionId: string | null,
): MaybePromise<Result<null>> {
  if (!writesMode(before, after, sessionId)) return UNCHANGED;
  const keepsHistory = mayHave(engine, before.schema, 'mode_history');
  return andThen(workflowModes(agents, before.schema.schema), (modes) =>
    mayWriteMode(before, after, sessionId, modes, keepsHistory),
  );
}

/**
 * Whether the write may change what a workflow record says of invocations and archives.
 *
 * @returns Nothing; or `transition_refused`, or `workflow_entry_exists` for an invocation that an archive has.
 */
export function checkRecord(
  { document, schema, archived }: DocumentBase & { readonly archived?: Archived },
  next: JsonObject,
  { form, writer }: { readonly form: WriteForm; readonly writer: Writer },
): MaybePromise<Result<null>> {
  if (form === 'workflow' || writer.sessionId === null) return UNCHANGED;
  if (!writesRecord(document, next, schema.schema)) return UNCHANGED;
  const may = mayWriteRecord(document, next);
  return may.ok ? noneArchived(archived, addedToArchived(document, next)) : may;
}

/** @param added - Looked for one after the other: a write adds few. */
function noneArchived(archived: Archived, [id, ...others]: readonly string[]): MaybePromise<Result<null>> {
  if (id === undefined) return UNCHANGED;
  return after(archived?.(id), (found) =>
    found === undefined ? noneArchived(archived, others) : exists('invocation', id),
  );
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

/** Violations of a document that does not change: none, unless the state is lenient. */
export function standingViolations(
  { engine, texts }: Parts,
  base: DocumentBase,
): MaybePromise<Result<readonly Violation[]>> {
  if (base.lenient !== true) return NOTHING;
  return engine.validate(base.schema, base.document, texts.bytes(base.document));
}

/**
 * Checks the first document of a state.
 *
 * @returns The document; or `limit_exceeded`, `validation_failed`, `transition_refused`.
 */
export async function checkFirstDocument(
  parts: Parts,
  schema: AdmittedSchema,
  data: JsonValue,
): Promise<Result<JsonObject>> {
  const sized = checkShapeAndSize(parts, data);
  if (!sized.ok) return sized;
  const document = sized.value;
  const found = await parts.engine.validate(schema, document, parts.texts.bytes(document));
  if (!found.ok) return found;
  if (found.value.length > 0) return invalidDocument(found.value);
  const against = parts.engine.checkChange(schema, undefined, document);
  return against.length > 0 ? transitionFailure(against) : sized;
}

/** The failure for a document that violates its schema. */
function invalidDocument(violations: readonly Violation[]) {
  return fail('validation_failed', detailOf(violations), { errors: violations });
}

/** The failure for a valid document that must not follow the present one. */
function transitionFailure(violations: readonly Violation[]) {
  return fail('transition_refused', detailOf(violations), { errors: violations });
}

function detailOf(violations: readonly Violation[]): string {
  const [first] = violations;
  const more = violations.length > 1 ? ` (and ${String(violations.length - 1)} more)` : '';
  const where = first === undefined || first.pointer === '' ? 'The document' : first.pointer;
  return `${where}: ${first?.message ?? 'invalid'}${more}. Nothing was written.`;
}

/** The violations of a refused write, for the session's next prompt. */
export function violationsOf(result: Result<unknown>): readonly Violation[] {
  if (result.ok) return [];
  const { members, detail, error } = result.failure;
  const errors = members['errors'];
  if (Array.isArray(errors)) return errors as readonly Violation[];
  const pointer = typeof members['pointer'] === 'string' ? members['pointer'] : '';
  return [{ pointer, keyword: error, message: detail, expected: null }];
}

/** The failed write for the session's next prompt; nothing if the writer is no session. */
export function failureOf(
  { sessionId, runId }: Writer,
  violations: readonly Violation[],
): FailedWrite | undefined {
  return sessionId === null ? undefined : { sessionId, runId, violations };
}
