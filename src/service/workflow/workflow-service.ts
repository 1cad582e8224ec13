// Use cases of workflow records. Each call becomes one command, which is written like any other write of the state.
import { ok, type Result } from '../../domain/errors.js';
import type { Limits } from '../../domain/limits.js';
import type { MaybePromise } from '../../lib/maybe-promise.js';
import type { StateHead, WorkflowSchema } from '../../domain/records/records.js';
import { noState } from '../../domain/states/write.js';
import type { WorkflowCommand } from '../../domain/workflow/commands.js';
import { noArchive } from '../../domain/workflow/archive.js';
import { declaresWorkflow, noWorkflow } from '../../domain/workflow/workflow.js';
import type * as api from '../../ports/api/index.js';
import type { AdmittedSchema } from '../../ports/schema-engine.js';
import type { Clock, IdSource } from '../../ports/runtime.js';
import type { WorkflowService } from '../../ports/workflow-service.js';
import type { AgentRegistry } from '../agents/agent-registry.js';
import { workflowModes } from '../agents/workflow-modes.js';
import type { Caller } from '../caller.js';
import { documentAt } from '../documents/state-versions.js';
import { andThen, mapped } from '../results.js';
import { mayHave } from '../schemas/may-have.js';
import type { SchemaCache } from '../schemas/schema-cache.js';
import { reachState } from '../states/reach-state.js';
import type { StateFactsCache } from '../states/state-facts.js';
import { time } from '../views.js';
import { writeOnce } from '../writes/write-receipts.js';
import { writeState, type WriteStateParts } from '../writes/write-state.js';
import { archiveView, workflowView } from './workflow-view.js';

export interface WorkflowServiceParts extends WriteStateParts {
  readonly agents: AgentRegistry;
  readonly facts: StateFactsCache;
  readonly schemas: SchemaCache;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly limits: Limits;
}

interface Workflow {
  readonly head: StateHead;
  readonly schema: WorkflowSchema;
}

export function workflowService(caller: Caller<WorkflowServiceParts>): WorkflowService {
  const { context, actor } = caller;

  const writeFor = (
    stateId: string,
    commandFor: (at: string, schema: AdmittedSchema) => MaybePromise<Result<WorkflowCommand>>,
    entryId?: string,
  ): Promise<Result<api.WorkflowWritten>> => {
    const work = () =>
      andThen(reachWorkflow(caller, 'orchestrate', stateId), ({ head, schema }) => {
        const admitted = { hash: schema.hash, schema: schema.jsonSchema };
        return andThen(commandFor(time(context.clock.now()), admitted), (payload) =>
          writeState(caller, head, { stateId, form: 'workflow', payload, options: {}, entryId }),
        );
      });
    return andThen(writeOnce(context, false, work), ({ head, changed, warnings, entryId: entry }) => {
      const written: api.WorkflowWritten = { state_id: head.stateId, version: head.version, changed };
      if (entry !== undefined) written.entry_id = entry;
      if (warnings.length > 0) written.warnings = [...warnings];
      return ok(written);
    });
  };

  const write = (stateId: string, command: (at: string) => WorkflowCommand, entryId?: string) =>
    writeFor(stateId, (at) => ok(command(at)), entryId);

  const vote =
    (operation: 'approve_decision' | 'reject_decision'): WorkflowService['approveDecision'] =>
    (stateId, id, { agent }) =>
      write(stateId, (at) => ({ operation, at, id, agent }), id);

  return {
    show: (stateId) =>
      andThen(reachWorkflow(caller, 'read', stateId), ({ head, schema }) =>
        // No read of the document: the view leaves most of it out.
        andThen(documentAt(caller, head), async ({ document }) => {
          const modes = await workflowModes(context.agents, schema.jsonSchema);
          return ok(workflowView(head, modes.ok ? modes.value : null, document));
        }),
      ),
    startInvocation(stateId, body) {
      const id = body.invocation_id ?? context.ids.newId('inv');
      return write(
        stateId,
        (at) => ({
          operation: 'start_invocation',
          at,
          invocation_id: id,
          agent: body.agent,
          prompt: body.prompt,
          context: body.context ?? {},
          artifacts: body.artifacts ?? [],
          handoff_from: body.handoff_from ?? null,
          handoff_reason: body.handoff_reason ?? '',
        }),
        id,
      );
    },
    completeInvocation: (stateId, id, body) =>
      write(
        stateId,
        (at) => ({
          operation: 'complete_invocation',
          at,
          invocation_id: id,
          status: body.status,
          summary: body.summary,
          artifacts: body.artifacts ?? [],
          recommendations: body.recommendations ?? [],
          blockers: body.blockers ?? [],
        }),
        id,
      ),
    addDecision(stateId, { id: named, ...body }) {
      const id = named ?? context.ids.newId('dec');
      return write(stateId, (at) => ({ operation: 'add_decision', at, id, ...body }), id);
    },
    approveDecision: vote('approve_decision'),
    rejectDecision: vote('reject_decision'),
    addVerdict: (stateId, { conditions, blockers, ...body }) =>
      write(stateId, (at) => ({
        operation: 'add_verdict',
        at,
        ...body,
        conditions: conditions ?? null,
        blockers: blockers ?? null,
      })),
    handOff: (stateId, { artifacts, preserved_context, ...body }) =>
      write(stateId, (at) => ({
        operation: 'hand_off',
        at,
        ...body,
        artifacts: artifacts ?? [],
        preserved_context: preserved_context ?? null,
      })),
    setPhase: (stateId, { phase }) => write(stateId, (at) => ({ operation: 'set_phase', at, phase })),
    setMode: (stateId, { mode, reason }) =>
      writeFor(stateId, async (at, schema) =>
        mapped(await workflowModes(context.agents, schema.schema), (modes) => ({
          operation: 'set_mode',
          at,
          mode,
          reason: reason ?? '',
          entered_by: actor.kind === 'session' ? actor.sessionId : null,
          modes,
          keeps_history: mayHave(context.engine, schema, 'mode_history'),
        })),
      ),
    addEvidence: (stateId, { protocol, evidence, complete }) =>
      write(stateId, (at) => ({
        operation: 'add_evidence',
        at,
        protocol,
        evidence,
        complete: complete ?? false,
      })),
    async compact(stateId, { keep }) {
      const archiveId = context.ids.newId('arc');
      const keptMax = keep ?? context.limits.endedInvocationsKeptMax;
      const compact = (at: string) => ({
        operation: 'compact' as const,
        at,
        archive_id: archiveId,
        keep: keptMax,
      });
      return mapped(await write(stateId, compact, archiveId), ({ entry_id: archived, ...written }) =>
        written.changed && archived !== undefined ? { ...written, entry_id: archived } : written,
      );
    },
    archive: (stateId, archiveId) =>
      andThen(reachWorkflow(caller, 'read', stateId), async () => {
        const archive = await context.store.read.archive(archiveId);
        return archive?.stateId === stateId ? ok(archiveView(archive, context.limits)) : noArchive(archiveId);
      }),
  };
}

/** A state on a workflow schema, if the caller has the right and may access its tree. */
async function reachWorkflow(
  caller: Caller<WorkflowServiceParts>,
  right: 'read' | 'orchestrate',
  stateId: string,
): Promise<Result<Workflow>> {
  return andThen(reachState(caller, right, stateId), async (head) => {
    const schema = await caller.context.schemas.byId(head.schemaId);
    if (schema === null) return noState(stateId);
    return declaresWorkflow(schema.jsonSchema) ? ok({ head, schema }) : noWorkflow(schema);
  });
}
