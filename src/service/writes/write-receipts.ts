// The idempotency record of a write, and the result of the write from it. The record has what is not in the history.
import { ok, fail, type Failed, type Result, type Violation } from '../../domain/errors.js';
import { damaged } from '../../domain/damage/damage.js';
import {
  isCount,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../domain/json/json.js';
import { noState } from '../../domain/states/write.js';
import { replay, type IdempotencyTerms } from '../../domain/transactions/idempotency.js';
import type { WorkflowSchema } from '../../domain/records/records.js';
import { afterOk, type MaybePromise } from '../../lib/maybe-promise.js';
import type { Store } from '../../ports/storage/store.js';
import { compacted } from '../documents/compacted.js';
import type { Documents } from '../documents/documents.js';
import type { SchemaCache } from '../schemas/schema-cache.js';
import type { IdempotencyStore } from '../transactions/idempotency-store.js';
import type { WriteResult } from './prepare-write.js';

interface HistoryParts {
  readonly store: Store;
  readonly documents: Documents;
  readonly schemas: SchemaCache;
}

/** The stored part of the result. The rest is in the history of the state that was written. */
interface StoredWrite {
  readonly stateId: string;
  readonly version: number;
  readonly updatedAt: number;
  readonly updatedBy: string | null;
  readonly changed: boolean;
  readonly warnings: readonly Violation[];
  readonly merged?: boolean;
  readonly entryId?: string;
}

export function storedWrite({
  head,
  changed,
  warnings,
  merged,
  entryId,
}: Omit<WriteResult, 'document' | 'schema'>): StoredWrite {
  return {
    stateId: head.stateId,
    version: head.version,
    updatedAt: head.updatedAt,
    updatedBy: head.updatedBy,
    changed,
    warnings,
    ...(merged === undefined ? {} : { merged }),
    ...(entryId === undefined ? {} : { entryId }),
  };
}

function isStoredWrite(stored: JsonValue): boolean {
  if (!isJsonObject(stored)) return false;
  const { stateId, version, updatedAt, warnings } = stored;
  return typeof stateId === 'string' && isCount(version) && isCount(updatedAt) && isJsonArray(warnings);
}

/** The result of a write that was already committed under this record; `null` if there is none. */
export async function earlierWrite(
  parts: HistoryParts,
  once: IdempotencyTerms,
): Promise<Result<WriteResult> | null> {
  const receipt = await parts.store.read.receipt(once);
  if (receipt === null) return null;
  return afterOk(replay(receipt, once.fingerprint), (stored) => resultOf(parts, stored, once.receiptId));
}

/**
 * Writes once for a request with an idempotency key. If the request has written, nothing is checked again.
 *
 * @param work - Checks, and writes with the record `write_state`.
 */
export function writeOnce<T extends WriteResult>(
  parts: HistoryParts & { readonly receipts: IdempotencyStore | null },
  dryRun: boolean | undefined,
  work: () => MaybePromise<Result<T>>,
): MaybePromise<Result<T | WriteResult>> {
  const { receipts } = parts;
  if (receipts === null || dryRun === true) return work();
  return receipts.once<T | WriteResult>('write_state', work, (stored) =>
    resultOf(parts, stored, receipts.of('write_state').receiptId),
  );
}

/** @throws RecordDamagedError - The record holds no write. */
async function resultOf(
  parts: HistoryParts,
  stored: JsonValue,
  receiptId: string,
): Promise<Result<WriteResult>> {
  if (!isStoredWrite(stored)) throw damaged('receipt', receiptId, 'is no stored write');
  const { changed, warnings, merged, entryId, ...facts } = stored as unknown as StoredWrite;
  const { stateId, version } = facts;
  const head = await parts.store.read.state(stateId);
  if (head === null) return writtenButGone(version, noState(stateId));
  const schemaId = (await parts.store.read.schemaIdAt(stateId, version)) ?? head.schemaId;
  const past = await versionAfter(parts, { stateId, version, schemaId });
  if (!past.ok) return past;
  return ok({ head: { ...head, ...facts, schemaId }, ...past.value, changed, warnings, merged, entryId });
}

/**
 * The version of a state that a request has left.
 *
 * @returns The document with its schema; or `version_compacted` or `state_not_found` if they are gone.
 */
export async function versionAfter(
  parts: HistoryParts,
  { stateId, version, schemaId }: { stateId: string; version: number; schemaId: string },
): Promise<Result<{ document: JsonObject; schema: WorkflowSchema }>> {
  const document = await parts.documents.past(stateId, version);
  const schema = await parts.schemas.byId(schemaId);
  if (document !== null && schema !== null) return ok({ document, schema });
  if ((await parts.store.read.state(stateId)) === null) return writtenButGone(version, noState(stateId));
  const failure = await compacted(parts, stateId, version);
  if (failure === null) throw new Error(`version ${String(version)} of ${stateId} cannot be rebuilt`);
  return writtenButGone(version, failure);
}

/** The failure of a repeated request that was executed, but whose answer is lost. */
function writtenButGone(version: number, { failure }: Failed): Failed {
  const { error, detail, members } = failure;
  return fail(
    error,
    `The request was carried out before, and left version ${String(version)} of the state. Its answer cannot be given again: ${detail}`,
    members,
  );
}
