// The message to a parent about a child: outcome, recorded result, the child's own words, and how to read the rest.
import type { DocumentView } from '../transactions/decision-context.js';
import type { Violation } from '../errors.js';
import { boundedJson, boundedText } from '../excerpt.js';
import { framed } from '../framing.js';
import type { JsonValue } from '../json/json.js';
import type { Completion, Session, WorkOutcome } from '../records/records.js';

export interface MessageFacts {
  /** Identifies a message that is delivered again. */
  readonly callbackId: string;
  readonly session: Session;
  readonly completion: Completion;
  /** The state at the moment of the release; `null` if the tree has none. */
  readonly view: DocumentView | null;
  /** The last contract result of a child that has written; `null` if there is none. */
  readonly contractViolations: readonly Violation[] | null;
  readonly resultBytesMax: number;
}

const LINE_CHARACTERS_MAX = 2048;
const ERRORS_CHARACTERS_MAX = 4096;

const OUTCOMES: Readonly<Record<WorkOutcome, string>> = {
  completed: 'completed its work',
  failed: 'failed',
  stopped: 'was stopped',
  timed_out: 'ran out of time',
  lost: 'is lost',
};

/** The message, framed so that a model does not read it as a message of its user. */
export function callbackMessage(facts: MessageFacts): string {
  const { session, completion, view } = facts;
  const outcome = completion.workOutcome ?? 'stopped';
  const attributes = {
    child: session.sessionName,
    outcome,
    state_update: completion.status,
    ...(view === null ? {} : { state: view.stateId, state_version: String(view.version) }),
    callback: facts.callbackId,
  };
  const body = [
    `Child session ${session.sessionName} ${OUTCOMES[outcome]}.`,
    ...updateLines(facts),
    ...changeLines(facts),
    ...resultLines(facts),
    readMore(facts),
  ].join('\n\n');
  return framed('agent-callback', attributes, body);
}

function readMore({ session, view }: MessageFacts): string {
  const result = `countersign session result ${session.sessionName}`;
  const state = view === null ? '' : ` · the MCP tool state_read, or countersign state get ${view.stateId}`;
  return `Read more: ${result}${state}`;
}

const LOST =
  'Nobody runs it: it was never started, or its client ended, was killed, or gives no sign of life. Do not wait for it. What it may still write counts, and is marked late; where it is started again, you are told anew.';

function updateLines(facts: MessageFacts): string[] {
  const { completion, view, contractViolations } = facts;
  const lines: string[] = [];
  switch (completion.status) {
    case 'completed':
      lines.push(`Its result is recorded in the workflow state (version ${String(view?.version ?? '?')}).`);
      break;
    case 'failed':
      lines.push(failedLine(facts));
      break;
    case 'skipped':
      lines.push(`${skippedLine(completion)} ${reasonOf(completion)}`.trim());
      break;
    default:
      break;
  }
  if (completion.status === 'failed' && completion.lastErrors.length > 0) {
    lines.push(`The last errors:\n${errorLines(completion.lastErrors)}`);
  }
  if (completion.status === 'completed' && contractViolations !== null && contractViolations.length > 0) {
    lines.push(
      `WARNING: what it recorded was broken since by ${culpritOf(completion)}:\n${errorLines(contractViolations)}`,
    );
  }
  if (completion.workOutcome === 'lost') lines.push(LOST);
  if (completion.workError !== null)
    lines.push(`The error of its work: ${boundedText(completion.workError, LINE_CHARACTERS_MAX)}`);
  return lines;
}

function culpritOf({ broken }: Completion): string {
  return broken === null ? 'a later write' : `a write of ${broken.by ?? 'the operator'}`;
}

function skippedLine({ attempts }: Completion): string {
  return attempts.length === 0
    ? 'It was not asked to record its result.'
    : 'It was asked to record its result, and then no longer.';
}

/** If a state update fails, earlier writes of the child are still its result, unless its contract is violated. */
function failedLine({ completion, contractViolations }: MessageFacts): string {
  const { wrote, lastWriteVersion, settings } = completion;
  const reason = reasonOf(completion);
  const holds = settings.contract === null || contractViolations?.length === 0;
  if (!wrote || !holds) return `WARNING: its result is NOT recorded in the workflow state. ${reason}`.trim();
  const before = `It had written to the workflow state before, last in version ${String(lastWriteVersion)}`;
  const standing = settings.contract === null ? '.' : ', and its contract holds now.';
  return `WARNING: its state update failed. ${reason} ${before}${standing}`;
}

function reasonOf({ reason }: Completion): string {
  return boundedText(reason ?? '', LINE_CHARACTERS_MAX);
}

function errorLines(violations: readonly Violation[]): string {
  const lines = violations.map(
    ({ pointer, message }) => `- ${pointer === '' ? '(whole document)' : pointer}: ${message}`,
  );
  return boundedText(lines.join('\n'), ERRORS_CHARACTERS_MAX);
}

function changeLines({ completion }: MessageFacts): string[] {
  const { changes, changesTruncated } = completion;
  const lines = changes.map(({ version, patch }) => `version ${String(version)}: ${JSON.stringify(patch)}`);
  if (changesTruncated)
    lines.push(changes.length === 0 ? '(left out for its size)' : '(and more, left out for its size)');
  return lines.length === 0 ? [] : [['What it changed in the state:', ...lines].join('\n')];
}

function resultLines({ completion, resultBytesMax }: MessageFacts): string[] {
  const lines: string[] = [];
  if (completion.resultText !== null && completion.resultText.trim() !== '') {
    lines.push(
      `What it said when its work ended:\n${boundedText(completion.resultText.trim(), resultBytesMax)}`,
    );
  }
  const data: JsonValue = completion.resultData;
  if (data !== null) lines.push(`The data of its work:\n${boundedJson(data, resultBytesMax)}`);
  return lines;
}
