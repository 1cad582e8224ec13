// What can be recorded in a workflow record. Each command is complete: ids and times are in it, so that it can be applied
// again to another version of the document with the same result.
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.js';
import type { Mode } from './modes.js';
import type { DecisionType, Ending, Phase, VerdictDecision } from './workflow.js';

/** An agent starts. A hand-off that waits for it is consumed. */
export type StartInvocation = {
  readonly operation: 'start_invocation';
  readonly at: string;
  readonly invocation_id: string;
  readonly agent: string;
  readonly prompt: string;
  readonly context: JsonObject;
  readonly artifacts: readonly string[];
  readonly handoff_from: string | null;
  readonly handoff_reason: string;
  /** The invocation with this id, if it is in an archive. The write path adds it. */
  readonly archived?: JsonObject;
};

/** An agent ends. */
export type CompleteInvocation = {
  readonly operation: 'complete_invocation';
  readonly at: string;
  readonly invocation_id: string;
  readonly status: Ending;
  readonly summary: string;
  readonly artifacts: readonly string[];
  readonly recommendations: readonly string[];
  readonly blockers: readonly string[];
  /** As in `StartInvocation`. */
  readonly archived?: JsonObject;
};

export type AddDecision = {
  readonly operation: 'add_decision';
  readonly at: string;
  readonly id: string;
  readonly type: DecisionType;
  readonly description: string;
  readonly rationale: string;
  readonly decided_by: string;
};

/** An agent approves or rejects a decision. Its latest decision counts. */
export type VoteOnDecision = {
  readonly operation: 'approve_decision' | 'reject_decision';
  readonly at: string;
  readonly id: string;
  readonly agent: string;
};

export type AddVerdict = {
  readonly operation: 'add_verdict';
  readonly at: string;
  readonly agent: string;
  readonly decision: VerdictDecision;
  readonly confidence: number;
  readonly reasoning: string;
  readonly conditions: readonly string[] | null;
  readonly blockers: readonly string[] | null;
};

export type HandOff = {
  readonly operation: 'hand_off';
  readonly at: string;
  readonly from_agent: string;
  readonly to_agent: string;
  readonly reason: string;
  readonly context: string;
  readonly artifacts: readonly string[];
  readonly preserved_context: JsonObject | null;
};

export type SetPhase = { readonly operation: 'set_phase'; readonly at: string; readonly phase: Phase };

export type SetMode = {
  readonly operation: 'set_mode';
  readonly at: string;
  readonly mode: string;
  readonly reason: string;
  /** The session that sets it; `null` for the operator. */
  readonly entered_by: string | null;
  /** The modes that the schema defines; empty if it defines none. */
  readonly modes: readonly Mode[];
  /** False if the schema takes no `mode_history`. */
  readonly keeps_history: boolean;
};

export type AddEvidence = {
  readonly operation: 'add_evidence';
  readonly at: string;
  readonly protocol: 'start' | 'end';
  readonly evidence: Readonly<Record<string, string>>;
  /** True if the protocol is done with it. */
  readonly complete: boolean;
};

/** Ended invocations move to an archive, but for the newest `keep`. */
export type Compact = {
  readonly operation: 'compact';
  readonly at: string;
  readonly archive_id: string;
  readonly keep: number;
};

export type WorkflowCommand =
  | StartInvocation
  | CompleteInvocation
  | AddDecision
  | VoteOnDecision
  | AddVerdict
  | HandOff
  | SetPhase
  | SetMode
  | AddEvidence
  | Compact;

/** The command that the service has put together; it passes through the write queue as JSON. */
export function commandFrom(payload: JsonValue): WorkflowCommand {
  if (!isJsonObject(payload) || typeof payload['operation'] !== 'string') {
    throw new Error('a write of the workflow record holds no command');
  }
  return payload as WorkflowCommand;
}
