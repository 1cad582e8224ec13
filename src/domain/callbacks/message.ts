// What a parent is told about a child: outcome, what stands in the state, what the child said, how to read the rest.
import type { DocumentView, Verdict } from '../draft.js';
import { boundedJson, boundedText, fenced, quoteAttribute } from '../excerpt.js';
import type { JsonValue } from '../json.js';
import type { Completion, Session, WorkOutcome } from '../records.js';

export interface MessageFacts {
  readonly session: Session;
  readonly completion: Completion;
  /** The state at the moment of the release; `null` where the tree has none. */
  readonly view: DocumentView | null;
  /** The last look at the contract of a completed child. */
  readonly verdict: Verdict | null;
  readonly resultBytesMax: number;
}

const OUTCOMES: Readonly<Record<WorkOutcome, string>> = {
  completed: 'completed its work',
  failed: 'failed',
  stopped: 'was stopped',
  timed_out: 'ran out of time',
};

/** The message, wrapped so that a model does not take it for its user. */
export function callbackMessage(facts: MessageFacts): string {
  const { session, completion, view } = facts;
  const outcome = completion.workOutcome ?? 'stopped';
  const attributes = [
    `child=${quoteAttribute(session.sessionName)}`,
    `outcome="${outcome}"`,
    `state_update="${completion.status}"`,
    ...(view === null
      ? []
      : [`state=${quoteAttribute(view.stateId)}`, `state_version="${String(view.version)}"`]),
  ];
  const body = [
    `Child session ${session.sessionName} ${OUTCOMES[outcome]}.`,
    ...updateLines(facts),
    ...changeLines(facts),
    ...resultLines(facts),
    `Read more: countersign session result ${session.sessionName}${view === null ? '' : ` · countersign state get ${view.stateId}`}`,
  ].join('\n\n');
  return `<agent-callback ${attributes.join(' ')}>\n${fenced(body, 'agent-callback')}\n</agent-callback>`;
}

function updateLines({ completion, view, verdict }: MessageFacts): string[] {
  const lines: string[] = [];
  switch (completion.status) {
    case 'completed':
      lines.push(`Its result is recorded in the workflow state (version ${String(view?.version ?? '?')}).`);
      break;
    case 'failed':
      lines.push(
        `WARNING: its result is NOT recorded in the workflow state. ${completion.reason ?? ''}`.trim(),
      );
      break;
    case 'skipped':
      lines.push(`It was not asked to record its result. ${completion.reason ?? ''}`.trim());
      break;
    default:
      break;
  }
  if (completion.status === 'failed' && completion.lastErrors.length > 0) {
    const errors = completion.lastErrors.map(
      (one) => `- ${one.pointer === '' ? '(whole document)' : one.pointer}: ${one.message}`,
    );
    lines.push(['The last errors:', ...errors].join('\n'));
  }
  if (verdict !== null && verdict.violations.length > 0) {
    const culprit = verdict.brokenBy === null ? 'a later write' : `a write of ${verdict.brokenBy}`;
    const errors = verdict.violations.map((one) => `- ${one.pointer}: ${one.message}`);
    lines.push([`WARNING: what it recorded was broken since by ${culprit}:`, ...errors].join('\n'));
  }
  if (completion.workError !== null)
    lines.push(`The error of its work: ${boundedText(completion.workError, 2048)}`);
  return lines;
}

function changeLines({ completion }: MessageFacts): string[] {
  if (completion.changes.length === 0) return [];
  const changes = completion.changes.map(
    ({ version, patch }) => `version ${String(version)}: ${JSON.stringify(patch)}`,
  );
  if (completion.changesTruncated) changes.push('(and more, left out for its size)');
  return [['What it changed in the state:', ...changes].join('\n')];
}

function resultLines({ completion, resultBytesMax }: MessageFacts): string[] {
  const lines: string[] = [];
  if (completion.resultText !== null && completion.resultText.trim() !== '') {
    lines.push(
      `What it said when its work ended:\n${boundedText(completion.resultText.trim(), resultBytesMax)}`,
    );
  }
  const data: JsonValue = completion.resultData;
  if (data !== null) lines.push(`The data that came with it:\n${boundedJson(data, resultBytesMax)}`);
  return lines;
}
