// What an orchestrator has to know to go on, from the workflow record of a document.
import type { JsonObject } from '../../domain/json/json.js';
import { textMember, textsMember } from '../../domain/json/members.js';
import type { Limits } from '../../domain/limits.js';
import type { StateHead, WorkflowArchive } from '../../domain/records/records.js';
import { endedInvocations } from '../../domain/workflow/archive.js';
import { modeOf, nextModes, type Mode } from '../../domain/workflow/modes.js';
import { verdictSummary } from '../../domain/workflow/verdicts.js';
import { listOf, recordOf, withRecord } from '../../domain/workflow/workflow.js';
import type * as api from '../../ports/api/index.js';
import { time } from '../views.js';

/** Ended invocations that are shown. */
const ENDED_MAX = 3;

/** The latest time of a `Date`. */
const LAST_MS = 8.64e15;

/** Archives that are shown. */
const ARCHIVES_MAX = 10;

/** @param modes - `null` if they cannot be known now: then none can be entered. */
export function workflowView(
  head: StateHead,
  modes: readonly Mode[] | null,
  document: JsonObject,
): api.WorkflowView {
  const updatedAt = time(head.updatedAt);
  const whole = withRecord(document, updatedAt);
  const record = recordOf(whole);
  const history = listOf(whole, 'agent_history');
  const mode = modeOf(document, modes ?? []);
  const next = modes === null ? [] : nextModes(modes, mode);
  const verdicts = verdictSummary(whole);
  const archives = archivesOf(whole);
  return {
    state_id: head.stateId,
    version: head.version,
    updated_at: updatedAt,
    mode,
    next_modes: next === null ? null : [...next],
    phase: textMember(record, 'workflow_phase') ?? '',
    active_agent: textMember(record, 'active_agent'),
    active_feature: textMember(whole, 'active_feature'),
    active_task: textMember(whole, 'active_task'),
    protocol_start_complete: whole['protocol_start_complete'] === true,
    protocol_end_complete: whole['protocol_end_complete'] === true,
    invocations: {
      in_progress: history.filter(({ status }) => status === 'in_progress'),
      last_ended: endedInvocations(whole).slice(-ENDED_MAX),
      archived: archives.reduce((sum, { count }) => sum + count, 0),
      archives: archives.slice(-ARCHIVES_MAX),
    },
    pending_handoffs: [...listOf(whole, 'pending_handoffs')],
    open_decisions: listOf(whole, 'decisions').filter(
      (one) => textsMember(one, 'approved_by').length === 0 || textsMember(one, 'rejected_by').length > 0,
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

/** The archives that a record names, oldest first. */
function archivesOf(document: JsonObject): api.ArchiveEntry[] {
  return listOf(document, 'compaction_history').map((one) => ({
    archive_id: textMember(one, 'archive_id') ?? '',
    compacted_at: textMember(one, 'compacted_at') ?? '',
    count: typeof one['count'] === 'number' ? one['count'] : 0,
  }));
}

export function archiveView(
  { archiveId, stateId, createdAt, invocations }: WorkflowArchive,
  { workflowArchivesKeptMs }: Pick<Limits, 'workflowArchivesKeptMs'>,
): api.WorkflowArchive {
  return {
    archive_id: archiveId,
    state_id: stateId,
    compacted_at: time(createdAt),
    kept_until: time(Math.min(createdAt + workflowArchivesKeptMs, LAST_MS)),
    count: invocations.length,
    invocations: [...invocations],
  };
}
