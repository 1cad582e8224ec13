// Use case: create the workflow state of a tree.
import { mayUse, reachRecord } from '../../domain/access/access.js';
import { ok, invalidMember, fail, type Result } from '../../domain/errors.js';
import type { UnitOfWork } from '../../domain/transactions/unit-of-work.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json/json.js';
import type { Session, StateHead, WorkflowSchema } from '../../domain/records/records.js';
import { createSession, findSession, noSession } from '../../domain/sessions/create.js';
import { createState } from '../../domain/states/create.js';
import { firstMode } from '../../domain/workflow/modes.js';
import { declaredMembers, declaresWorkflow, withRecord } from '../../domain/workflow/workflow.js';
import type * as api from '../../ports/api/index.js';
import { canonicalJson } from '../../document/index.js';
import { completionSettings } from '../completion/completion-settings.js';
import type { Store } from '../../ports/storage/store.js';
import type { AdmittedSchema } from '../../ports/schema-engine.js';
import type { Clock, IdSource } from '../../ports/runtime.js';
import type { Limits } from '../../domain/limits.js';
import type { Documents } from '../documents/documents.js';
import type { DocumentTexts } from '../documents/document-texts.js';
import type { MaybePromise } from '../../lib/maybe-promise.js';
import type { SchemaCache } from '../schemas/schema-cache.js';
import type { Decisions } from '../transactions/tree-transactions.js';
import { versionAfter } from '../writes/write-receipts.js';
import type { AgentRegistry } from '../agents/agent-registry.js';
import { workflowModes } from '../agents/workflow-modes.js';
import type { Caller } from '../caller.js';
import { mapped, andThen } from '../results.js';
import { checkFirstDocument } from '../writes/document-checks.js';
import { mayHave } from '../schemas/may-have.js';
import { builtIn, registerBuiltIn, type BuiltInParts } from '../schemas/built-in.js';
import { noSchema } from '../schemas/schema-service.js';
import { stateEnvelope, time } from '../views.js';
import { writerOf } from '../writes/write-state.js';

export interface CreateStateParts extends BuiltInParts {
  readonly store: Store;
  readonly ids: IdSource;
  readonly clock: Clock;
  readonly agents: AgentRegistry;
  readonly limits: Limits;
  readonly documents: Documents;
  readonly texts: DocumentTexts;
  readonly schemas: SchemaCache;
}

/** The result of the decision that creates a state. */
interface Created {
  readonly head: StateHead;
  readonly rootName: string;
}

/** A state that a request is about to create. */
interface NewState {
  readonly stateId: string;
  readonly schema: WorkflowSchema;
  readonly document: JsonObject;
}

interface Creator extends Caller<CreateStateParts> {
  readonly decisions: Decisions;
  /** Called before the decision. */
  readonly begin: (next: NewState) => void;
}

/**
 * @param find - What to create, with the checks that come before. Not called if the request has created its state.
 * @see StateService.create
 */
export async function createWorkflowState(
  caller: Caller<CreateStateParts>,
  find: () => MaybePromise<Result<api.StateCreate>>,
): Promise<Result<api.StateEnvelope>> {
  const { context } = caller;
  const begun: NewState[] = [];
  const created = await context.transactions.effect('create_state', (decisions) => {
    const creator = { ...caller, decisions, begin: (next: NewState) => void begun.push(next) };
    return andThen(find(), (body) => create(creator, body));
  });
  return andThen(created, async ({ head, rootName }) => {
    const own = begun.find(({ stateId }) => stateId === head.stateId);
    if (own !== undefined) context.documents.cache(head, own.document);
    // An earlier attempt of the request has created the state, perhaps with other content than this one would.
    return mapped(own === undefined ? await versionAfter(context, head) : ok(own), ({ schema, document }) =>
      stateEnvelope(head, schema, rootName, document),
    );
  });
}

async function create(caller: Creator, body: api.StateCreate): Promise<Result<Created>> {
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
    return andThen(firstDocument(context, admitted, body.initial_data), (document) => {
      const next = { stateId: context.ids.newId('wfstate'), schema, document };
      caller.begin(next);
      return root === null ? onNewRoot(caller, next) : onRoot(caller, next, root);
    });
  });
}

/** The version that is named, or the newest. Built-in schemas are registered on first use. */
async function schemaNamed(
  context: CreateStateParts,
  { schema_name: name, schema_version: version }: api.StateCreate,
): Promise<Result<WorkflowSchema>> {
  const schema = await context.store.read.schema(name, version);
  if (schema !== null) return ok(schema);
  const own = builtIn(context, name);
  const isKnown = own === null || (await context.store.read.schema(name)) !== null;
  if (isKnown || (version ?? 1) !== 1) return noSchema(name, version);
  return registerBuiltIn(context, own);
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
  const at = time(context.clock.now());
  return andThen(workflowModes(context.agents, admitted.schema), (modes) => {
    const begins = { current_mode: firstMode(modes), ...given };
    const lacking = declaredMembers(admitted.schema).filter((name) =>
      mayHave(context.engine, admitted, name),
    );
    return checkFirstDocument(context, admitted, withRecord(begins, at, lacking));
  });
}

async function onRoot(caller: Creator, next: NewState, root: string): Promise<Result<Created>> {
  const { context, actor } = caller;
  const reached = reachRecord(actor, await context.store.read.session(root), () => noSession(root));
  if (!reached.ok) return reached;
  const session = reached.value;
  if (actor.kind === 'session' && actor.sessionId !== session.sessionId) {
    return fail('forbidden', 'A session creates a state only for itself.', {
      root_session_id: session.rootSessionId,
    });
  }
  return caller.decisions.decide(
    session.rootSessionId,
    [{ load: 'aggregateNamed', idOrName: root }],
    (unit) => {
      const found = findSession(unit, root);
      return found === null ? noSession(root) : created(unit, found, caller, next);
    },
  );
}

/** No root was named: creates an external session that represents the calling program. */
async function onNewRoot(caller: Creator, next: NewState): Promise<Result<Created>> {
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
  return caller.decisions.decide(sessionId, [], (unit) => {
    const session = createSession(unit, command);
    return session.ok ? created(unit, session.value, caller, next) : session;
  });
}

function created(
  unit: UnitOfWork,
  root: Session,
  { context, actor }: Creator,
  { stateId, schema, document }: NewState,
): Result<Created> {
  const command = {
    stateId,
    schema,
    text: context.texts.text(document),
    patchText: canonicalJson([{ op: 'add', path: '', value: document }]),
    writer: writerOf(actor),
  };
  const head = createState(unit, root, command);
  return head.ok ? ok({ head: head.value, rootName: root.sessionName }) : head;
}
