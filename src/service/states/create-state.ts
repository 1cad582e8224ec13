// Use case: create the workflow state of a tree.
import { mayReachTree, mayUse } from '../../domain/access/access.js';
import { ok, invalidMember, fail, type Result } from '../../domain/errors.js';
import type { UnitOfWork } from '../../domain/transactions/unit-of-work.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json/json.js';
import type { Session, StateHead, WorkflowSchema } from '../../domain/records/records.js';
import { createSession, findSession, noSession } from '../../domain/sessions/create.js';
import { createState } from '../../domain/states/create.js';
import { firstMode } from '../../domain/workflow/modes.js';
import {
  declaredMembers,
  declaresWorkflow,
  withRecord,
  WORKFLOW_SCHEMA,
} from '../../domain/workflow/workflow.js';
import type * as api from '../../ports/api/index.js';
import { canonicalJson } from '../../document/index.js';
import { completionSettings } from '../completion/completion-settings.js';
import type { Store } from '../../ports/storage/store.js';
import type { AdmittedSchema, SchemaEngine } from '../../ports/schema-engine.js';
import type { Clock, IdSource } from '../../ports/runtime.js';
import type { Limits } from '../../domain/limits.js';
import type { Documents } from '../documents/documents.js';
import type { DocumentTexts } from '../documents/document-texts.js';
import type { TreeTransactions } from '../transactions/tree-transactions.js';
import type { AgentRegistry } from '../agents/agent-registry.js';
import { workflowModes } from '../agents/workflow-modes.js';
import type { Caller } from '../caller.js';
import { mapped, andThen } from '../results.js';
import { checkFirstDocument } from '../writes/prepare-write.js';
import { registerUnderName, type RegisterSchemaParts } from '../schemas/register-schema.js';
import { noSchema } from '../schemas/schema-service.js';
import { stateEnvelope } from '../views.js';
import { writerOf } from '../writes/writer-of.js';

export interface CreateStateParts extends RegisterSchemaParts {
  readonly store: Store;
  readonly engine: SchemaEngine;
  readonly ids: IdSource;
  readonly clock: Clock;
  readonly workflowSchema: () => JsonObject;
  readonly agents: AgentRegistry;
  readonly limits: Limits;
  readonly documents: Documents;
  readonly texts: DocumentTexts;
  readonly transactions: TreeTransactions;
}

/** @see StateService.create */
export async function createWorkflowState(
  caller: Caller<CreateStateParts>,
  body: api.StateCreate,
): Promise<Result<api.StateEnvelope>> {
  const { context, actor } = caller;
  const may = mayUse(actor, 'orchestrate');
  if (!may.ok) return may;
  if (body.root_session_id !== undefined && body.root_session_name !== undefined) {
    return invalidMember(
      '/root_session_name',
      'name the root once',
      'either root_session_id or root_session_name',
    );
  }
  const root =
    body.root_session_id ?? body.root_session_name ?? (actor.kind === 'session' ? actor.sessionId : null);
  return andThen(schemaNamed(context, body), (schema) => {
    const admitted = { hash: schema.hash, schema: schema.jsonSchema };
    return andThen(firstDocument(context, admitted, body.initial_data), (document) =>
      root === null ? onNewRoot(caller, schema, document) : onRoot(caller, schema, document, root),
    );
  });
}

/** The version that is named, or the newest. The schema of workflow records is registered on first use. */
async function schemaNamed(
  context: CreateStateParts,
  { schema_name: name, schema_version: version }: api.StateCreate,
): Promise<Result<WorkflowSchema>> {
  const schema = await context.store.read.schema(name, version);
  if (schema !== null) return ok(schema);
  const isKnown = name !== WORKFLOW_SCHEMA || (await context.store.read.schema(name)) !== null;
  if (isKnown || (version ?? 1) !== 1) return noSchema(name, version);
  const json = context.workflowSchema();
  const body = { name, json_schema: json, description: 'The record of an orchestrator; built in.' };
  return andThen(context.engine.admit(json, 'document'), async (admitted) =>
    mapped(await registerUnderName(context, body, admitted, null), (registered) => registered.schema),
  );
}

/** The document as it was given; if its schema requires a workflow record that it lacks, with an empty one. */
async function firstDocument(
  context: CreateStateParts,
  admitted: AdmittedSchema,
  given: JsonValue,
): Promise<Result<JsonObject>> {
  const checked = await checkFirstDocument(context, admitted, given);
  if (checked.ok || checked.failure.error !== 'validation_failed') return checked;
  if (!declaresWorkflow(admitted.schema) || !isJsonObject(given)) return checked;
  const at = new Date(context.clock.now()).toISOString();
  return andThen(workflowModes(context.agents, admitted.schema), (modes) => {
    const begins = { current_mode: firstMode(modes), ...given };
    return checkFirstDocument(context, admitted, withRecord(begins, at, declaredMembers(admitted.schema)));
  });
}

async function onRoot(
  caller: Caller<CreateStateParts>,
  schema: WorkflowSchema,
  document: JsonObject,
  root: string,
) {
  const { context, actor } = caller;
  const session = await context.store.read.session(root);
  if (session === null) return noSession(root);
  const reach = mayReachTree(actor, session.rootSessionId, () => noSession(root));
  if (!reach.ok) return reach;
  if (actor.kind === 'session' && actor.sessionId !== session.sessionId) {
    return fail('forbidden', 'A session creates a state only for itself.', {
      root_session_id: session.rootSessionId,
    });
  }
  const result = await context.transactions.decide(
    session.rootSessionId,
    [{ load: 'aggregateNamed', idOrName: root }],
    (unit) => {
      const found = findSession(unit, root);
      return found === null ? noSession(root) : created(unit, found, caller, schema, document);
    },
  );
  return answer(caller, result, schema, document);
}

/** No root was named: creates an external session that represents the calling program. */
async function onNewRoot(caller: Caller<CreateStateParts>, schema: WorkflowSchema, document: JsonObject) {
  const { context } = caller;
  const sessionId = context.ids.newId('ses');
  const settings = await completionSettings(caller.context, undefined);
  if (!settings.ok) return settings;
  const command = {
    sessionId,
    isNewId: true,
    sessionName: null,
    parent: null,
    external: true,
    agentName: null,
    projectDir: null,
    callback: false,
    delivery: null,
    settings: settings.value,
    demands: { hostname: null, executorType: null, tags: [] },
  };
  const result = await context.transactions.decide(sessionId, [], (unit) => {
    const session = createSession(unit, command);
    return session.ok ? created(unit, session.value, caller, schema, document) : session;
  });
  return answer(caller, result, schema, document);
}

function created(
  unit: UnitOfWork,
  root: Session,
  { context, actor }: Caller<CreateStateParts>,
  schema: WorkflowSchema,
  document: JsonObject,
) {
  const command = {
    stateId: unit.context.newId('wfstate'),
    schema,
    text: context.texts.text(document),
    patchText: canonicalJson([{ op: 'add', path: '', value: document }]),
    writer: writerOf(actor),
  };
  const head = createState(unit, root, command);
  return head.ok ? ok({ head: head.value, rootName: root.sessionName }) : head;
}

function answer(
  { context }: Caller<CreateStateParts>,
  result: Result<{ head: StateHead; rootName: string }>,
  schema: WorkflowSchema,
  document: JsonObject,
): Result<api.StateEnvelope> {
  if (result.ok) context.documents.keep(result.value.head, document);
  return mapped(result, ({ head, rootName }) => stateEnvelope(head, schema, rootName, document));
}
