// The workflow record as text for people. Pure.
import type { JsonObject } from '../../../domain/json/json.js';
import { objectMember, textMember, textsMember } from '../../../domain/json/members.js';
import type {
  VerdictSummary,
  WorkflowArchive,
  WorkflowView,
  WorkflowWritten,
} from '../../../ports/api/index.js';
import type { Output } from '../../text/output.js';
import { record, table, time } from '../../text/table.js';

export function writtenText({ version, changed, entry_id: id }: WorkflowWritten): string {
  const entry = id === undefined ? '' : `${id}  `;
  return `${entry}version ${String(version)}${changed ? '' : ' says it already'}\n`;
}

export function workflowText(out: Output, view: WorkflowView): string {
  const next =
    view.next_modes === null || view.next_modes.length === 0 ? '' : ` (next: ${view.next_modes.join(', ')})`;
  const head = record(out.style, [
    ['state', view.state_id],
    ['version', view.version],
    ['phase', view.phase],
    ['mode', view.mode + next],
    ['active agent', view.active_agent ?? undefined],
    ['feature', view.active_feature ?? undefined],
    ['task', view.active_task ?? undefined],
    ['start protocol', view.protocol_start_complete ? 'done' : 'not done'],
    ['end protocol', view.protocol_end_complete ? 'done' : 'not done'],
    ['archived', view.invocations.archived === 0 ? undefined : view.invocations.archived],
    ['archives', archiveNames(view)],
  ]);
  const { in_progress: working, last_ended: ended } = view.invocations;
  return [
    head,
    section(out, 'At work', ['invocation', 'agent', 'started', 'prompt'], working, (one) => [
      text(one, 'invocation_id'),
      text(one, 'agent'),
      time(text(one, 'started_at')),
      text(objectMember(one, 'input'), 'prompt'),
    ]),
    endedText(out, 'Ended last', ended),
    section(out, 'Pending hand-offs', ['from', 'to', 'reason', 'context'], view.pending_handoffs, (one) => [
      text(one, 'from_agent'),
      text(one, 'to_agent'),
      text(one, 'reason'),
      text(one, 'context'),
    ]),
    section(
      out,
      'Open decisions',
      ['decision', 'by', 'description', 'approved by', 'rejected by'],
      view.open_decisions,
      (one) => [
        text(one, 'id'),
        text(one, 'decided_by'),
        text(one, 'description'),
        textsMember(one, 'approved_by').join(', '),
        textsMember(one, 'rejected_by').join(', '),
      ],
    ),
    verdictsText(out, view.verdicts),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

/** The newest archives; nothing if there is none. */
function archiveNames({ invocations: { archives } }: WorkflowView): string | undefined {
  const names = archives.map((one) => `${one.archive_id} (${String(one.count)})`);
  return names.length === 0 ? undefined : names.join(', ');
}

export function archiveText(out: Output, archive: WorkflowArchive): string {
  const head = record(out.style, [
    ['archive', archive.archive_id],
    ['state', archive.state_id],
    ['compacted', time(archive.compacted_at)],
    ['kept until', time(archive.kept_until)],
  ]);
  return `${head}\n${endedText(out, 'Invocations', archive.invocations)}`;
}

function endedText(out: Output, title: string, invocations: readonly JsonObject[]): string {
  return section(out, title, ['invocation', 'agent', 'status', 'summary'], invocations, (one) => [
    text(one, 'invocation_id'),
    text(one, 'agent'),
    text(one, 'status'),
    text(objectMember(one, 'output'), 'summary'),
  ]);
}

export function verdictsText(out: Output, { clear, approved_by, blocked_by }: VerdictSummary): string {
  if (clear) return `Verdicts: clear (${approved_by.join(', ')})\n`;
  if (blocked_by.length === 0) return 'Verdicts: none yet\n';
  return section(
    out,
    'Verdicts: blocked',
    ['agent', 'decision', 'reasoning', 'conditions', 'blockers'],
    blocked_by,
    (one) => [one.agent, one.decision, one.reasoning, one.conditions.join('; '), one.blockers.join('; ')],
  );
}

function section<T>(
  { style }: Output,
  title: string,
  titles: readonly string[],
  items: readonly T[],
  row: (item: T) => readonly string[],
): string {
  return items.length === 0 ? '' : `${title}\n${table(titles, items.map(row), style)}`;
}

function text(object: JsonObject, member: string): string {
  return textMember(object, member) ?? '';
}
