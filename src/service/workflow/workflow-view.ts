// What an orchestrator has to know to go on, from the workflow record of a document.
import type { JsonObject } from '../../domain/json/json.js';
import type { StateHead, WorkflowSchema } from '../../domain/records/records.js';
import { firstMode, modesOf, nextModes } from '../../domain/workflow/modes.js';
import { verdictSummary } from '../../domain/workflow/verdicts.js';
import { listOf, recordOf, textOf, textsOf, withRecord } from '../../domain/workflow/workflow.js';
import type * as api from '../../ports/api/index.js';

/** Ended invocations that are shown. */
const ENDED_MAX = 3;

export function workflowView(
  head: StateHead,
  schema: WorkflowSchema,
  document: JsonObject,
): api.WorkflowView {
  const updatedAt = new Date(head.updatedAt).toISOString();
  const whole = withRecord(document, updatedAt);
  const record = recordOf(whole);
  const history = listOf(whole, 'agent_history');
  const modes = modesOf(schema.jsonSchema);
  const mode = textOf(document, 'current_mode') ?? firstMode(modes);
  const next = nextModes(modes, mode);
  const verdicts = verdictSummary(whole);
  return {
    state_id: head.stateId,
    version: head.version,
    updated_at: updatedAt,
    mode,
    next_modes: next === null ? null : [...next],
    phase: textOf(record, 'workflow_phase') ?? '',
    active_agent: textOf(record, 'active_agent'),
    active_feature: textOf(whole, 'active_feature'),
    active_task: textOf(whole, 'active_task'),
    protocol_start_complete: whole['protocol_start_complete'] === true,
    protocol_end_complete: whole['protocol_end_complete'] === true,
    invocations: {
      in_progress: history.filter(({ status }) => status === 'in_progress'),
      last_ended: history.filter(({ status }) => status !== 'in_progress').slice(-ENDED_MAX),
      archived: listOf(whole, 'compaction_history').reduce(
        (sum, { count }) => sum + (typeof count === 'number' ? count : 0),
        0,
      ),
    },
    pending_handoffs: [...listOf(whole, 'pending_handoffs')],
    open_decisions: listOf(whole, 'decisions').filter(
      (one) => textsOf(one, 'approved_by').length === 0 || textsOf(one, 'rejected_by').length > 0,
    ),
    verdicts: {
      clear: verdicts.clear,
      approved_by: [...verdicts.approved_by],
      blocked_by: verdicts.blocked_by.map(({ conditions, blockers, ...one }) => ({
        ...one,
        conditions: [...conditions],
        blockers: [...blockers],
      })),
    },
  };
}
