// The workflow record of an orchestrator: each call is one write of the state, or a read.
import type { Result } from '../domain/errors.js';
import type * as api from './api/index.js';

type Written = Promise<Result<api.WorkflowWritten>>;

/**
 * Workflow records. The state must be on a workflow schema (`workflow_required`).
 *
 * @example
 * await service.workflow.setPhase(stateId, { phase: 'validation' });
 */
export interface WorkflowService {
  /** What an orchestrator has to know to go on: what runs, what is pending, what is decided. */
  show(stateId: string): Promise<Result<api.WorkflowView>>;
  /** Records that an agent starts. The oldest hand-off to it is consumed. */
  startInvocation(stateId: string, body: api.InvocationStart): Written;
  completeInvocation(stateId: string, invocationId: string, body: api.InvocationComplete): Written;
  addDecision(stateId: string, body: api.DecisionAdd): Written;
  /** An earlier rejection by the same agent is taken back. */
  approveDecision(stateId: string, decisionId: string, body: api.DecisionVote): Written;
  /** An earlier approval by the same agent is taken back. */
  rejectDecision(stateId: string, decisionId: string, body: api.DecisionVote): Written;
  addVerdict(stateId: string, body: api.VerdictAdd): Written;
  handOff(stateId: string, body: api.HandoffAdd): Written;
  setPhase(stateId: string, body: api.PhaseSet): Written;
  /** Only the operator and the root may enter the mode `disabled`. */
  setMode(stateId: string, body: api.ModeSet): Written;
  /** Adds evidence of the start or the end protocol, and says whether that protocol is done. */
  addEvidence(stateId: string, body: api.EvidenceAdd): Written;
  /** Moves ended invocations to an archive. It happens by itself when a record has too many. */
  compact(stateId: string, body: api.CompactRecord): Written;
  /** Invocations that were moved out of the record; or `workflow_entry_not_found`. */
  archive(stateId: string, archiveId: string): Promise<Result<api.WorkflowArchive>>;
}
