// Routes of workflow records: each write adds or changes one entry of the record in a state.
import { Type, type Static, type TSchema } from 'typebox';
import type { ErrorCode, Result } from '../../domain/errors.js';
import * as api from '../../ports/api/index.js';
import type { WorkflowService } from '../../ports/workflow-service.js';
import { answered } from '../replies/reply.js';
import { warnedReply } from '../replies/size-warning.js';
import { endpoint } from '../endpoint.js';
import { ById, type Route, type RouteSpec } from '../route.js';
import { WRITE_ERRORS } from './shared/write.js';

const OfEntry = Type.Object({ id: api.Name, entry_id: api.EntryId }, api.closed);

const OfArchive = Type.Object({ id: api.Name, archive_id: api.EntryId }, api.closed);

type Spec<B> = Pick<RouteSpec<TSchema, TSchema>, 'method' | 'operationId' | 'summary'> & {
  readonly path: string;
  readonly body: B;
};

type Written = Promise<Result<api.WorkflowWritten>>;

/** The same for each write: the OpenAPI document then has their problems once. */
const ERRORS: readonly ErrorCode[] = [
  ...WRITE_ERRORS,
  'patch_failed',
  'workflow_required',
  'workflow_entry_not_found',
];

/** What all writes have in common. */
function common({ method, path, operationId, summary }: Spec<TSchema>) {
  return {
    method,
    path: `/workflow-states/{id}/workflow/${path}`,
    operationId,
    summary,
    tag: 'Workflow',
    answers: { 200: { description: 'The version that says it', schema: api.WorkflowWritten } },
    errors: ERRORS,
  };
}

function ofRecord<B extends TSchema>(
  spec: Spec<B>,
  write: (workflow: WorkflowService, stateId: string, body: Static<B>) => Written,
): Route {
  return endpoint({ ...common(spec), params: ById }).json(spec.body, async ({ service, params }, body) =>
    warnedReply(await write(service.workflow, params.id, body)),
  );
}

function ofEntry<B extends TSchema>(
  spec: Spec<B>,
  write: (workflow: WorkflowService, stateId: string, entryId: string, body: Static<B>) => Written,
): Route {
  return endpoint({ ...common(spec), params: OfEntry }).json(spec.body, async ({ service, params }, body) =>
    warnedReply(await write(service.workflow, params.id, params.entry_id, body)),
  );
}

export const workflowRoutes: readonly Route[] = [
  endpoint({
    method: 'GET',
    path: '/workflow-states/{id}/workflow',
    operationId: 'getWorkflow',
    summary: 'What an orchestrator has to know to go on',
    tag: 'Workflow',
    params: ById,
    answers: { 200: { description: 'The workflow record, in short', schema: api.WorkflowView } },
    errors: ['state_not_found', 'workflow_required'],
  }).answer(async ({ service, params }) => answered(200, await service.workflow.show(params.id))),
  ofRecord(
    {
      method: 'POST',
      path: 'invocations',
      operationId: 'startInvocation',
      summary: 'Record that an agent starts',
      body: api.InvocationStart,
    },
    (workflow, id, body) => workflow.startInvocation(id, body),
  ),
  ofEntry(
    {
      method: 'POST',
      path: 'invocations/{entry_id}/completion',
      operationId: 'completeInvocation',
      summary: 'Record how an agent ended',
      body: api.InvocationComplete,
    },
    (workflow, id, entryId, body) => workflow.completeInvocation(id, entryId, body),
  ),
  ofRecord(
    {
      method: 'POST',
      path: 'decisions',
      operationId: 'addDecision',
      summary: 'Record a decision',
      body: api.DecisionAdd,
    },
    (workflow, id, body) => workflow.addDecision(id, body),
  ),
  ofEntry(
    {
      method: 'POST',
      path: 'decisions/{entry_id}/approvals',
      operationId: 'approveDecision',
      summary: 'Record that an agent approves a decision',
      body: api.DecisionVote,
    },
    (workflow, id, entryId, body) => workflow.approveDecision(id, entryId, body),
  ),
  ofEntry(
    {
      method: 'POST',
      path: 'decisions/{entry_id}/rejections',
      operationId: 'rejectDecision',
      summary: 'Record that an agent rejects a decision',
      body: api.DecisionVote,
    },
    (workflow, id, entryId, body) => workflow.rejectDecision(id, entryId, body),
  ),
  ofRecord(
    {
      method: 'POST',
      path: 'verdicts',
      operationId: 'addVerdict',
      summary: 'Record the verdict of an agent',
      body: api.VerdictAdd,
    },
    (workflow, id, body) => workflow.addVerdict(id, body),
  ),
  ofRecord(
    {
      method: 'POST',
      path: 'handoffs',
      operationId: 'handOff',
      summary: 'Record that an agent hands its work to another one',
      body: api.HandoffAdd,
    },
    (workflow, id, body) => workflow.handOff(id, body),
  ),
  ofRecord(
    {
      method: 'PUT',
      path: 'phase',
      operationId: 'setPhase',
      summary: 'Set the phase of the workflow',
      body: api.PhaseSet,
    },
    (workflow, id, body) => workflow.setPhase(id, body),
  ),
  ofRecord(
    {
      method: 'PUT',
      path: 'mode',
      operationId: 'setMode',
      summary: 'Set the mode of the workflow',
      body: api.ModeSet,
    },
    (workflow, id, body) => workflow.setMode(id, body),
  ),
  ofRecord(
    {
      method: 'POST',
      path: 'evidence',
      operationId: 'addEvidence',
      summary: 'Record evidence of the start or the end protocol',
      body: api.EvidenceAdd,
    },
    (workflow, id, body) => workflow.addEvidence(id, body),
  ),
  ofRecord(
    {
      method: 'POST',
      path: 'compact',
      operationId: 'compactWorkflow',
      summary: 'Move ended invocations to an archive',
      body: api.CompactRecord,
    },
    (workflow, id, body) => workflow.compact(id, body),
  ),
  endpoint({
    method: 'GET',
    path: '/workflow-states/{id}/workflow/archives/{archive_id}',
    operationId: 'getWorkflowArchive',
    summary: 'Read invocations that were moved to an archive',
    tag: 'Workflow',
    params: OfArchive,
    answers: { 200: { description: 'The invocations', schema: api.WorkflowArchive } },
    errors: ['state_not_found', 'workflow_required', 'workflow_entry_not_found'],
  }).answer(async ({ service, params }) =>
    answered(200, await service.workflow.archive(params.id, params.archive_id)),
  ),
];
