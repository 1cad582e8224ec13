// The stored answer of a write with an idempotency key, and the replay of its result from it.
import { ok, type Result, type Violation } from '../../domain/errors.js';
import type { Once } from '../../domain/transactions/idempotency.js';
import { replay } from '../../domain/transactions/idempotency.js';
import type { StateHead } from '../../domain/records/records.js';
import type { Store } from '../../ports/storage/store.js';
import { compacted } from '../documents/compacted.js';
import type { Documents } from '../documents/documents.js';
import type { SchemaCache } from '../schemas/schema-cache.js';
import type { WriteResult } from './prepare-write.js';

interface Parts {
  readonly store: Store;
  readonly documents: Documents;
  readonly schemas: SchemaCache;
}

/** The stored part of the result. The rest is in the history. */
interface WrittenOnce {
  readonly version: number;
  readonly updatedAt: number;
  readonly updatedBy: string | null;
  readonly changed: boolean;
  readonly warnings: readonly Violation[];
}

export function writtenOnce({
  head,
  changed,
  warnings,
}: Omit<WriteResult, 'document' | 'schema'>): WrittenOnce {
  return { version: head.version, updatedAt: head.updatedAt, updatedBy: head.updatedBy, changed, warnings };
}

/** The result of a write that was already committed under this record; `null` if there is none. */
export async function writtenBefore(
  parts: Parts,
  head: StateHead,
  once: Once,
): Promise<Result<WriteResult> | null> {
  const receipt = await parts.store.read.receipt(once.receiptId);
  if (receipt === null) return null;
  const redeemed = replay(receipt, once.fingerprint);
  if (!redeemed.ok) return redeemed;
  const { changed, warnings, ...facts } = redeemed.value as unknown as WrittenOnce;
  const document = await parts.documents.past(head.stateId, facts.version);
  const schemaId = (await parts.store.read.schemaIdAt(head.stateId, facts.version)) ?? head.schemaId;
  const schema = await parts.schemas.byId(schemaId);
  if (document === null || schema === null) {
    const gone = await compacted(parts, head.stateId, facts.version);
    if (gone === null)
      throw new Error(`version ${String(facts.version)} of ${head.stateId} cannot be rebuilt`);
    return gone;
  }
  return ok({ head: { ...head, ...facts, schemaId }, schema, document, changed, warnings });
}
