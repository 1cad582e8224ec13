// From what a caller sent to a write that can be committed: identity and scope, version, apply, validate. No version
// is made here, and nothing is written.
import { ok, type Result, type Violation } from '../../domain/errors.js';
import { changedLocations, differAt, type ChangedLocations } from '../../domain/json/changed-locations.js';
import { jsonEqual, isJsonObject, type JsonObject, type JsonValue } from '../../domain/json/json.js';
import { valueAt } from '../../domain/json/pointer.js';
import { valueHash } from '../../domain/json/value-hash.js';
import type { Limits } from '../../domain/limits.js';
import type { Patch } from '../../domain/json/patch.js';
import type { IdempotencyTerms } from '../../domain/transactions/idempotency.js';
import type { EventKind, StateHead, WorkflowSchema } from '../../domain/records/records.js';
import { checkVersion } from '../../domain/states/expected-version.js';
import { checkStateSize } from '../../domain/states/size.js';
import type { PreparedWrite, ContractChange, Writer, WriterTerms } from '../../domain/states/write.js';
import { archivingOf, type Archiving } from '../../domain/workflow/archive.js';
import { after, afterOk, type MaybePromise } from '../../lib/maybe-promise.js';
import type { SchemaEngine, WriteForm } from '../../ports/schema-engine.js';
import type { WriteOptions } from '../../ports/service.js';
import { canonicalPatch, checkDocument, type Patched } from '../../document/index.js';
import type { AgentRegistry } from '../agents/agent-registry.js';
import type { KeyConditions } from '../../domain/keys/conditions.js';
import type { checkConditions } from './key-conditions.js';
import type { Contracts } from '../completion/contracts.js';
import { applyTo } from '../documents/document-work.js';
import type { ContractsOfTree, OpenContracts } from '../completion/open-contracts.js';
import {
  checkMode,
  checkRecord,
  checkScope,
  standingViolations,
  validateDocument,
  type DocumentBase,
} from './document-checks.js';
import { withArchived } from '../documents/archived-invocations.js';
import { mergeInto, type Merging } from './merge-write.js';
import type { DocumentTexts } from '../documents/document-texts.js';

/** A write as it came in. */
export interface WriteCommand {
  readonly form: WriteForm;
  readonly payload: JsonValue;
  readonly options: WriteOptions;
  readonly writer: Writer;
  /** If the write names a base: the write applied to it, or the failure. */
  readonly merging?: Result<Merging>;
  /** Of a request with an idempotency key. */
  readonly once?: IdempotencyTerms | undefined;
  /** The entry of a workflow record that the write makes or changes. */
  readonly entryId?: string | undefined;
  /** The kind in the history, if it differs from the form. */
  readonly kind?: EventKind | undefined;
  /** The conditions of the write on keys. */
  readonly conditions?: KeyConditions | undefined;
}

/** What the write is applied to. */
export interface Base extends DocumentBase {
  readonly version: number;
  readonly rootSessionId: string;
  /** Open contracts of the tree. */
  readonly open?: ContractsOfTree;
  /** The invocation of the workflow record with this id that is in an archive. */
  readonly archived?: (id: string) => MaybePromise<JsonObject | undefined>;
  /** Checks the conditions of a write on keys. */
  readonly keysFor?: (conditions: KeyConditions) => ReturnType<typeof checkConditions>;
}

export interface Applied {
  readonly document: JsonObject;
  /** `null` if the write changes nothing. */
  readonly prepared: PreparedWrite | null;
  /** Violations of the schema that the write left in place. */
  readonly warnings: readonly Violation[];
  /** For a write without a change: violations of the writer's contract. */
  readonly stillWrong?: readonly Violation[];
}

/** The result of a write. */
export interface WriteResult {
  readonly head: StateHead;
  readonly schema: WorkflowSchema;
  readonly document: JsonObject;
  readonly changed: boolean;
  /** Violations that the write left in place, see `validateDocument`. */
  readonly warnings: readonly Violation[];
  /** Whether changes of others were merged in; only of a write with an idempotency key that named its base. */
  readonly merged?: boolean | undefined;
  /** As the write named it. */
  readonly entryId?: string | undefined;
  /** The document before the write; absent if the result comes from the history. */
  readonly before?: JsonObject;
}

const NO_CONTRACT = ok<readonly Violation[]>([]);
const NO_CHANGES: readonly ContractChange[] = [];

export interface PrepareWriteParts {
  readonly engine: SchemaEngine;
  readonly agents: AgentRegistry;
  readonly texts: DocumentTexts;
  readonly contracts: Contracts;
  readonly openContracts: OpenContracts;
  readonly limits: Limits;
}

/**
 * @returns The document after the write; or, checked in this order: `version_conflict` and `key_not_found`,
 *   `patch_failed` and the limits of patches or `merge_conflict`, `limit_exceeded`, `write_scope_violation`,
 *   `forbidden` and `mode_refused`, `validation_failed`, `transition_refused`, `workflow_entry_exists`.
 */
export function prepareWrite(
  parts: PrepareWriteParts,
  base: Base,
  command: WriteCommand,
  terms: WriterTerms | null,
): MaybePromise<Result<Applied>> {
  const conflict = checkVersion(base.version, command.options, base.document);
  if (conflict !== null) return conflict;
  if (command.conditions === undefined) return applyAndCheck(parts, base, command, terms);
  return after(
    base.keysFor?.(command.conditions),
    (unmet) => unmet ?? applyAndCheck(parts, base, command, terms),
  );
}

function applyAndCheck(
  parts: PrepareWriteParts,
  base: Base,
  command: WriteCommand,
  terms: WriterTerms | null,
): MaybePromise<Result<Applied>> {
  return afterOk(applyCommand(parts, base, command), (patched) =>
    check(parts, base, command, terms, patched),
  );
}

function check(
  parts: PrepareWriteParts,
  base: Base,
  command: WriteCommand,
  terms: WriterTerms | null,
  patched: Patched,
): MaybePromise<Result<Applied>> {
  const { document: value, patch, keepsShape } = patched;
  const shape = keepsShape && isJsonObject(value) ? ok(value) : checkDocument(value, parts.limits);
  if (!shape.ok) return shape;
  const document = shape.value;
  const locations = changedLocations(patch);
  if (base.migration === undefined && !isChanged(base.document, document, locations)) {
    return unchanged(parts, base, terms);
  }
  const outside = checkScope(base.document, document, patch, terms);
  if (outside !== null) return outside;
  return afterOk(checkMode(parts, base, document, command.writer.sessionId), () =>
    checkContent(parts, base, command, terms, patched, document, locations),
  );
}

function checkContent(
  parts: PrepareWriteParts,
  base: Base,
  command: WriteCommand,
  terms: WriterTerms | null,
  { patch, patchText }: Patched,
  document: JsonObject,
  locations: ChangedLocations | null,
): MaybePromise<Result<Applied>> {
  const { text, bytes } = parts.texts.derived(
    document,
    base.document,
    isOfCopy(base, command) ? locations : null,
  );
  const sized = checkStateSize(bytes, parts.limits);
  if (!sized.ok) return sized;
  const archiving = archivingOf(base.document, command);
  const ruled = archiving === null ? base : { ...base, ruledFrom: archiving.ruledFrom };
  return afterOk(validateDocument(parts, ruled, document, bytes, locations), (warnings) =>
    afterOk(checkRecord(base, document, command), () =>
      holdContracts(parts, base, command, terms, {
        archiving,
        document,
        text,
        patch,
        patchText,
        warnings,
      }),
    ),
  );
}

/** True if the write is applied to a copy of the document as it is. */
function isOfCopy({ version }: Base, { form, merging }: WriteCommand): boolean {
  const isPatch = form === 'json_patch' || form === 'ops' || form === 'workflow';
  return isPatch && (merging === undefined || (merging.ok && isOnPresent(version, merging.value)));
}

function isOnPresent(version: number, { base }: Merging): boolean {
  return base.version === version && base.document === base.origin;
}

function isChanged(before: JsonObject, after: JsonObject, locations: ChangedLocations | null): boolean {
  return locations === null ? !jsonEqual(before, after) : differAt(before, after, locations);
}

/** A write that changes nothing succeeds, whatever the schema or a contract says. Lenient violations remain. */
function unchanged(
  parts: PrepareWriteParts,
  base: Base,
  terms: WriterTerms | null,
): MaybePromise<Result<Applied>> {
  const { document } = base;
  return after(standingViolations(parts, base), (standing) =>
    after(ownContract(parts, terms, document), (found) => {
      const same = { document, prepared: null, warnings: standing.ok ? standing.value : [] };
      return ok(found.ok ? { ...same, stillWrong: found.value } : same);
    }),
  );
}

function ownContract({ contracts }: PrepareWriteParts, terms: WriterTerms | null, document: JsonObject) {
  const agreed = terms?.settings.contract ?? null;
  return agreed === null ? NO_CONTRACT : contracts.violations(agreed, document);
}

/** A document that may be written, with the patch that leads to it. */
interface ValidDocument {
  readonly archiving: Archiving | null;
  readonly document: JsonObject;
  readonly text: string;
  readonly patch: Patch;
  /** Its canonical text, if it is known already. */
  readonly patchText: string | undefined;
  readonly warnings: readonly Violation[];
}

function holdContracts(
  parts: PrepareWriteParts,
  base: Base,
  command: WriteCommand,
  terms: WriterTerms | null,
  valid: ValidDocument,
): MaybePromise<Result<Applied>> {
  const { document, patch } = valid;
  return after(ownContract(parts, terms, document), (contract): MaybePromise<Result<Applied>> => {
    if (!contract.ok) return contract;
    const { open } = base;
    const contractChanges =
      open === undefined
        ? NO_CHANGES
        : parts.openContracts.contractChanges(open, command.writer.sessionId, patch, base.document, document);
    return after(contractChanges, (others) =>
      ok(appliedOf(base, command, terms, valid, contract.value, others)),
    );
  });
}

function appliedOf(
  base: Base,
  command: WriteCommand,
  terms: WriterTerms | null,
  { archiving, document, text, patch, patchText, warnings }: ValidDocument,
  contractViolations: readonly Violation[],
  contractChanges: readonly ContractChange[],
): Applied {
  return {
    document,
    warnings,
    prepared: {
      kind: command.kind ?? command.form,
      writer: command.writer,
      terms,
      patch,
      patchText: patchText ?? canonicalPatch(patch),
      changesAt: (pointer) => !jsonEqual(valueAt(base.document, pointer), valueAt(document, pointer)),
      valueHashAt: (pointer) => valueHash(valueAt(document, pointer)),
      text,
      contractViolations,
      contractChanges,
      lenient: warnings.length > 0,
      migration: base.migration,
      archive: archiving?.archive,
    },
  };
}

/** A write based on the current version is applied unchanged. The history stores it as sent. */
function applyCommand(
  parts: PrepareWriteParts,
  base: Base,
  { form, payload, merging }: WriteCommand,
): MaybePromise<Result<Patched>> {
  const { version, document, schema } = base;
  if (form === 'workflow')
    return after(withArchived(base, payload), (whole) => applyTo(parts, document, form, whole));
  if (merging === undefined) return applyTo(parts, document, form, payload);
  if (!merging.ok) return merging;
  if (isOnPresent(version, merging.value)) return applyTo(parts, document, form, payload);
  return mergeInto(parts, { version, document, schema }, merging.value);
}
