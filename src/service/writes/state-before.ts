// The state before a batch of writes, with what its writes are checked against.
import { missing } from '../../domain/damage/damage.js';
import type { JsonObject } from '../../domain/json/json.js';
import type { StateHead, WorkflowSchema } from '../../domain/records/records.js';
import type { MaybePromise } from '../../lib/maybe-promise.js';
import type { Store } from '../../ports/storage/store.js';
import type { ContractsOfTree, OpenContracts } from '../completion/open-contracts.js';
import type { Documents } from '../documents/documents.js';
import type { SchemaCache } from '../schemas/schema-cache.js';

export interface Before {
  readonly head: StateHead;
  readonly schema: WorkflowSchema;
  readonly document: JsonObject;
  readonly open: ContractsOfTree;
}

interface Parts {
  readonly store: Store;
  readonly documents: Documents;
  readonly schemas: SchemaCache;
  readonly openContracts: OpenContracts;
}

/**
 * The present state, at once if it is cached.
 *
 * @param mustBeCurrent - The head has to be the one that the database has now.
 * @returns `null` if the state is gone.
 */
export function stateBefore(
  parts: Parts,
  stateId: string,
  mustBeCurrent: boolean,
): MaybePromise<Before | null> {
  const { store, documents, schemas, openContracts } = parts;
  const head = store.cachedHead(stateId) ?? (mustBeCurrent ? undefined : store.lastSeenHead(stateId));
  if (head === undefined) return load(parts, stateId, null);
  const schema = schemas.cached(head.schemaId);
  const document = documents.cached(head);
  const open = openContracts.cached(head.rootSessionId);
  const isCached = schema !== undefined && document !== undefined && open !== undefined;
  return isCached ? { head, schema, document, open } : load(parts, stateId, head);
}

async function load(
  { store, documents, schemas, openContracts }: Parts,
  stateId: string,
  known: StateHead | null,
): Promise<Before | null> {
  const head = known ?? (await store.read.state(stateId));
  if (head === null) return null;
  const schema = await schemas.byId(head.schemaId);
  const document = await documents.at(head);
  // The state was deleted meanwhile, or a record is damaged.
  if (schema === null || document === null) {
    if ((await store.read.state(stateId)) === null) return null;
    throw schema === null ? missing('schema', head.schemaId) : missing('snapshot', stateId);
  }
  const open = openContracts.cached(head.rootSessionId) ?? (await openContracts.of(head.rootSessionId));
  return { head, schema, document, open };
}
