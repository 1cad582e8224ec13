// Use case: move a state to another version of its schema. The migration waits in the queue of its tree.
import { checkVersion } from '../../domain/states/expected-version.js';
import { sizeWarnings } from '../../domain/states/size.js';
import { deciding } from '../../domain/decisions/decide.js';
import { STALE } from '../../domain/transactions/decision-context.js';
import type { UnitOfWork } from '../../domain/transactions/unit-of-work.js';
import { ok, fail, type Result } from '../../domain/errors.js';
import type { LoadRequest } from '../../domain/transactions/loaded-records.js';
import { loadReceipt, receiptOf, type IdempotencyTerms } from '../../domain/transactions/idempotency.js';
import type { StateHead, WorkflowSchema } from '../../domain/records/records.js';
import { checkOpenTerms } from '../../domain/sessions/terms.js';
import { commitWrites, noState, type Writer } from '../../domain/states/write.js';
import type * as api from '../../ports/api/index.js';
import type { WriteOptions } from '../../ports/service.js';
import type { Store } from '../../ports/storage/store.js';
import type { SchemaEngine } from '../../ports/schema-engine.js';
import type { Limits } from '../../domain/limits.js';
import type { Documents } from '../documents/documents.js';
import type { DocumentTexts } from '../documents/document-texts.js';
import type { AgentRegistry } from '../agents/agent-registry.js';
import type { Contracts } from '../completion/contracts.js';
import type { SchemaCache } from '../schemas/schema-cache.js';
import type { OpenContracts } from '../completion/open-contracts.js';
import type { TreeTransactions } from '../transactions/tree-transactions.js';
import type { IdempotencyStore } from '../transactions/idempotency-store.js';
import type { Caller } from '../caller.js';
import { prepareWrite, type WriteResult } from '../writes/prepare-write.js';
import { noSchema } from '../schemas/schema-service.js';
import type { StateFacts } from './state-facts.js';
import { earlierWrite, storedWrite } from '../writes/write-receipts.js';
import type { KnownRecords } from '../known-records.js';
import { writerOf } from '../writes/write-state.js';

export interface MigrateStateParts {
  readonly known: KnownRecords;
  readonly store: Store;
  readonly engine: SchemaEngine;
  readonly agents: AgentRegistry;
  readonly limits: Limits;
  readonly documents: Documents;
  readonly texts: DocumentTexts;
  readonly contracts: Contracts;
  readonly schemas: SchemaCache;
  readonly openContracts: OpenContracts;
  readonly transactions: TreeTransactions;
  /** The idempotency record of the present request; `null` if the request has no idempotency key. */
  readonly receipts: IdempotencyStore | null;
}

/** @see StateService.migrate */
export async function migrateState(
  { context, actor }: Caller<MigrateStateParts>,
  stateId: string,
  facts: StateFacts,
  body: api.StateMigrate,
  options: WriteOptions,
): Promise<Result<WriteResult>> {
  if (actor.kind === 'session' && actor.sessionId !== facts.rootSessionId) {
    return fail('forbidden', 'Only the root of the tree, or an operator, may migrate its workflow state.', {
      root_session_id: facts.rootSessionId,
    });
  }
  const once = options.dryRun === true ? undefined : context.receipts?.of('write_state');
  const asked = { stateId, body, options, writer: writerOf(actor), once };
  const { transactions, limits } = context;
  const migrate = async () => {
    for (let tries = 0; tries < limits.preparationsMax; tries += 1) {
      const result = await attempt(context, asked);
      if (result !== STALE) return result;
    }
    throw new Error(`the migration of ${stateId} cannot be committed: it is stale every time`);
  };
  const { rootSessionId } = facts;
  return transactions.repairing(rootSessionId, () => transactions.queue.run(rootSessionId, migrate));
}

interface Asked {
  readonly stateId: string;
  readonly body: api.StateMigrate;
  readonly options: WriteOptions;
  readonly writer: Writer;
  readonly once: IdempotencyTerms | undefined;
}

async function attempt(
  context: MigrateStateParts,
  { stateId, body, options, writer, once }: Asked,
): Promise<Result<WriteResult> | typeof STALE> {
  const { store, documents, schemas, transactions } = context;
  const head = await store.read.state(stateId);
  const present = head === null ? null : await schemas.byId(head.schemaId);
  const document = head === null ? null : await documents.at(head);
  if (head === null || present === null || document === null) return noState(stateId);
  const before = once === undefined ? null : await earlierWrite(context, once);
  if (before !== null) return before;
  const target = await store.read.schema(present.name, body.schema_version);
  if (target === null) return noSchema(present.name, body.schema_version);
  // Before the open contracts: a caller on another version cannot judge what they say.
  const conflict = checkVersion(head.version, options, document);
  if (conflict !== null) return conflict;
  const moves = target.schemaId !== head.schemaId;
  if (moves && body.allow_existing !== true) {
    const openTerms = await checkOpenTermsOfTree(context, head.rootSessionId, target);
    if (!openTerms.ok) return openTerms;
  }
  const open = await context.openContracts.of(head.rootSessionId);
  const base = {
    version: head.version,
    rootSessionId: head.rootSessionId,
    document,
    schema: { hash: target.hash, schema: target.jsonSchema },
    ...(moves ? { migration: { fromSchemaId: head.schemaId, toSchemaId: target.schemaId } } : {}),
    open,
    lenient: moves ? body.allow_existing === true : head.lenient,
  };
  const command = {
    form: 'migrate' as const,
    payload: body.operations === undefined ? [] : body.operations,
    options,
    writer,
  };
  const applied = await prepareWrite(context, base, command, await context.known.terms(writer.sessionId));
  if (!applied.ok) return applied;
  const { prepared, document: after } = applied.value;
  const warnings = [...applied.value.warnings, ...sizeWarnings(context.texts.bytes(after), context.limits)];
  const answer = (now: StateHead): Result<WriteResult> =>
    ok({ head: now, schema: target, document: after, changed: prepared !== null, warnings });
  if (options.dryRun === true && prepared !== null) {
    return answer({ ...head, schemaId: target.schemaId, version: head.version + 1 });
  }
  if (prepared === null && once === undefined) return answer(head);
  const loads: LoadRequest[] = [
    { load: 'state', stateId },
    { load: 'schemaVersion', name: target.name, version: target.version },
    ...(once === undefined ? [] : [loadReceipt(once)]),
    ...(writer.sessionId === null ? [] : [{ load: 'aggregate', sessionId: writer.sessionId } as const]),
  ];
  const rule = (unit: UnitOfWork) => {
    if (context.openContracts.cached(head.rootSessionId) !== open) unit.stale();
    if (once !== undefined && unit.records.receipts.has(once.receiptId)) unit.stale();
    if (!isThere(unit, target)) return noSchema(target.name, target.version);
    // What it completes is released by a later decision, with the document as the migration leaves it.
    unit.touched.leaveCompletionsOf(head.rootSessionId);
    const steps = prepared === null ? [] : [{ write: prepared }];
    const written = commitWrites(unit, stateId, head, steps);
    if (once !== undefined && written.ok) {
      const value = storedWrite({ head: written.value.head, changed: prepared !== null, warnings });
      unit.append('receipt', receiptOf(once, value, unit.now));
    }
    return written;
  };
  const result = await store.transact(loads, deciding(transactions.context(), rule, loads));
  if (result === STALE || !result.ok) return result;
  documents.cache(result.value.head, after);
  return answer(result.value.head);
}

/** Checks that the target schema does not rule out the open contracts and write scopes of the tree. */
async function checkOpenTermsOfTree(
  { store, engine }: MigrateStateParts,
  rootSessionId: string,
  target: WorkflowSchema,
): Promise<Result<null>> {
  const children = (await store.read.openCompletions(rootSessionId)).filter(
    ({ sessionId }) => sessionId !== rootSessionId,
  );
  const open = await Promise.all(
    children.map(async (completion) => ({
      completion,
      sessionName: (await store.read.session(completion.sessionId))?.sessionName ?? completion.sessionId,
    })),
  );
  const { name, hash, jsonSchema } = target;
  return checkOpenTerms(open, { name, hash, schema: jsonSchema }, engine.ruledOut);
}

/** The target version may have been deleted since it was read, because no state used it. */
function isThere(unit: UnitOfWork, target: WorkflowSchema): boolean {
  return unit.records.schemas.has(target.schemaId);
}
