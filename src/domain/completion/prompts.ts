// The three prompts that ask a child to record its result. Each is stronger than the one before, and each is
// bounded in size.
import { boundedJson, boundedText, outlineOf } from '../excerpt.js';
import { framed } from '../framing.js';
import { isSubAgent } from '../session-ids.js';
import type { Violation } from '../errors.js';
import type { DocumentView } from '../transactions/decision-context.js';
import type { NamedLocation } from '../prompts/named-location.js';
import type { Completion, Session } from '../records/records.js';
import type { ExampleWrite } from '../transactions/schema-answers.js';
import { commandLine, exampleNote, httpCall, toolCall } from '../prompts/record-call.js';
import { contractText, writeScopeText } from '../prompts/terms-text.js';

export interface PromptFacts {
  readonly session: Session;
  /** Includes the attempt that the prompt belongs to. */
  readonly completion: Completion;
  readonly view: DocumentView;
  readonly level: 1 | 2 | 3;
  /** The location that the call names. */
  readonly named: NamedLocation;
  /** The example call, if there is one that the service accepts as it is. */
  readonly example: ExampleWrite | null;
  /**
   * The last try failed for a reason outside of the child, so the prompt names ways that need no tools of the
   * client.
   */
  readonly environmentTrouble: boolean;
  /** Maximum length of each part of the prompt, in characters (UTF-16 units). */
  readonly sectionBytesMax: number;
}

/** The prompt, framed so that a model does not read it as a message of its user. */
export function updatePrompt(facts: PromptFacts): string {
  const { completion, level } = facts;
  const body = level === 1 ? firstPrompt(facts) : level === 2 ? secondPrompt(facts) : thirdPrompt(facts);
  const of = Math.max(completion.settings.attemptsMax, completion.attempt);
  const attributes = {
    attempt: String(completion.attempt),
    of: String(of),
    session: facts.session.sessionName,
    state: facts.view.stateId,
    state_version: String(facts.view.version),
  };
  return framed('state-update-request', attributes, body.join('\n\n'));
}

/** The version whose whole document the prompt shows; `null` if it shows an outline or nothing of it. */
export function shownVersion({ level, view, sectionBytesMax }: PromptFacts): number | null {
  return level < 3 && isShown(view, sectionBytesMax) ? view.version : null;
}

function isShown(view: DocumentView, sectionBytesMax: number): boolean {
  return bytesOf(view) <= sectionBytesMax;
}

function bytesOf({ text }: DocumentView): number {
  return Buffer.byteLength(text);
}

function firstPrompt(facts: PromptFacts): string[] {
  return [
    'Your work is done, and this message comes from the coordinator, not from your user. Before your parent is told, record the result of your work in the shared workflow state. Only what stands in the state counts.',
    ...expectations(facts),
    ...errorsOf(facts, 'This was still missing when your work ended:'),
    currentState(facts),
    schemaOf(facts),
    howToWrite(facts),
    'Change only what belongs to your work and leave the rest as it is. When the write was accepted, end your turn.',
  ];
}

function secondPrompt(facts: PromptFacts): string[] {
  const { attempt, settings, wrote, lastErrors } = facts.completion;
  const missing =
    wrote && lastErrors.length === 0
      ? 'you have not changed the workflow state since you were asked'
      : 'your result is not in the workflow state';
  return [
    `WARNING: you ended your turn, but ${missing} (attempt ${String(attempt)} of ${String(settings.attemptsMax)}). If that is still so after the last attempt, your work is reported to your parent as failed. Record your result in the state now: an answer in prose does not count.`,
    ...errorsOf(facts, 'What was wrong last time:', 'Last time no write of yours changed anything.'),
    ...expectations(facts),
    currentState(facts),
    howToWrite(facts),
  ];
}

function thirdPrompt(facts: PromptFacts): string[] {
  return [
    'LAST CALL. Do exactly one thing now, and nothing else: run the call below, with your result in the place of the value. Do not explain, do not work on.',
    theOneCall(facts),
    ...choiceOf(facts),
    ...errorsOf(facts, 'It was refused or incomplete before because:'),
    ...expectations(facts),
  ];
}

function expectations({ completion, sectionBytesMax }: PromptFacts): string[] {
  const { contract, writeScope } = completion.settings;
  const lines: string[] = [];
  if (contract !== null) lines.push(contractText(contract, sectionBytesMax));
  if (writeScope !== null) lines.push(writeScopeText(writeScope, sectionBytesMax));
  if (completion.broken !== null) {
    const { by, version } = completion.broken;
    lines.push(
      `Your result was recorded, but ${by === null ? 'an operator' : `the session ${by}`} changed that place in version ${String(version)}. Look at what stands there now, and record your result again without undoing the work of others.`,
    );
  } else if (completion.wrote) {
    lines.push(
      contract === null
        ? 'You have written to the state before. That does not answer this request: write once more, and let the write change something (a write that changes nothing does not count).'
        : 'You have written to the state before. That does not answer this request: write once more. Where your result stands there already, the same value once more will do.',
    );
  }
  return lines;
}

function errorsOf({ completion, sectionBytesMax }: PromptFacts, title: string, none?: string): string[] {
  if (completion.lastErrors.length === 0) return none === undefined ? [] : [none];
  return [`${title}\n${boundedText(completion.lastErrors.map(errorLine).join('\n'), sectionBytesMax)}`];
}

function errorLine(violation: Violation): string {
  return `- ${violation.pointer === '' ? '(whole document)' : violation.pointer}: ${violation.message} (expected: ${boundedJson(violation.expected, 512)})`;
}

function currentState({ view, sectionBytesMax }: PromptFacts): string {
  const title = `The state now (version ${String(view.version)}):`;
  if (isShown(view, sectionBytesMax)) return `${title}\n${view.text}`;
  return `${title} ${String(bytesOf(view))} bytes, too large to show. Its outline:\n${outlineOf(view.document, sectionBytesMax)}\nRead a part with: countersign state get --pointer /some/place --data-only`;
}

function schemaOf({ view, sectionBytesMax }: PromptFacts): string {
  const text = boundedJson(view.schema, sectionBytesMax);
  return `The whole document has to satisfy the workflow schema ${view.schemaName}:\n${text}\nRead all of it with: countersign schema show ${view.schemaName} --json`;
}

function howToWrite(facts: PromptFacts): string {
  const ways = [
    ...(isSubAgent(facts.session)
      ? [NOT_BY_TOOL, 'How to write (one of these, with the variables above in front of it or exported):']
      : [
          'How to write (one of these; the identity is already in your environment):',
          `- the MCP tool state_patch, where your client has it: ${toolCall(facts)}`,
        ]),
    `- command line: ${commandLine(facts)}`,
    `- HTTP: ${httpCall(facts)}`,
  ];
  ways.push(...choiceOf(facts));
  if (facts.environmentTrouble) {
    ways.push(
      'The last try failed for a reason outside of you. The command line and HTTP work without any tool of your client.',
    );
  }
  return ways.join('\n');
}

/** A sub-agent shares the connection of the session that it works for. */
const NOT_BY_TOOL =
  'Write by a command, with the variables that say who you are. Do not use the MCP tools to write: they write as the session that you work for, and what they write does not answer this request.';

function theOneCall(facts: PromptFacts): string {
  if (isSubAgent(facts.session)) {
    return `${commandLine(facts)}\n\nor, the same over HTTP:\n\n${httpCall(facts)}\n\n${NOT_BY_TOOL}`;
  }
  return `${commandLine(facts)}\n\nor, the same by the MCP tool state_patch:\n\n${toolCall(facts)}\n\nor over HTTP:\n\n${httpCall(facts)}`;
}

/** The parts of the call that the child chooses: the value, and the location if the schema allows several. */
function choiceOf({ named: { choice }, example, sectionBytesMax }: PromptFacts): string[] {
  const section = choice === null ? [] : [boundedText(choice, sectionBytesMax)];
  return [...(example === null ? [] : [exampleNote(example)]), ...section];
}
