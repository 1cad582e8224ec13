// What a child's first prompt says about the workflow state: which one, what the child has to record, where it may
// write, and how. The prompts that ask for a result later are in completion/prompts.ts.
import type { NamedLocation } from './named-location.js';
import { boundedText, visible } from '../excerpt.js';
import { framed } from '../framing.js';
import type { CompletionSettings, Session } from '../records/records.js';
import type { ExampleWrite } from '../transactions/schema-answers.js';
import type { DocumentView } from '../transactions/decision-context.js';
import { commandLine, exampleNote, toolCall } from './record-call.js';
import { contractText, writeScopeText } from './terms-text.js';

/** How a client writes to the state; `either` if that is not known. */
type WayToRecord = 'tool' | 'command' | 'either';

export interface ContextFacts {
  readonly session: Session;
  readonly settings: CompletionSettings;
  readonly view: DocumentView;
  readonly named: NamedLocation;
  readonly example: ExampleWrite | null;
  readonly way: WayToRecord;
}

/** Maximum length of each part, in characters (UTF-16 units); twice that for the call. */
export const PART_CHARACTERS_MAX = 2 * 1024;

/** The block, framed so that a model does not read it as a message of its user. */
export function stateContext(facts: ContextFacts): string {
  const { session, settings, view } = facts;
  const { contract, writeScope } = settings;
  const parent = session.parentSessionName ?? session.parentSessionId ?? '';
  const body = [
    `This session is ${session.sessionName}, a child of ${parent}. Its tree shares the workflow state ${view.stateId} (schema ${view.schemaName}). ${readBy(facts)}`,
    settings.mode === 'never'
      ? 'Only what stands in the state counts.'
      : 'Before you end your work, record its result in the state: only what stands there counts, and until it does you are asked for it.',
    ...(contract === null ? [] : [contractText(contract, PART_CHARACTERS_MAX)]),
    ...(writeScope === null ? [] : [writeScopeText(writeScope, PART_CHARACTERS_MAX)]),
    ...(writeScope?.length === 0 ? [] : howToRecord(facts)),
  ];
  return framed(
    'countersign-session',
    { session: session.sessionName, state: view.stateId, state_version: String(view.version) },
    body.join('\n\n'),
  );
}

function readBy({ way, view }: ContextFacts): string {
  const tool = 'the MCP tool state_read';
  const command = `countersign state get ${view.stateId}`;
  return `Read it by ${ways(way, tool, command, ', or by ')}.`;
}

function howToRecord(facts: ContextFacts): string[] {
  const { way, named, example } = facts;
  const tool = `the MCP tool state_patch: ${toolCall(facts)}`;
  const command = `the command: ${commandLine(facts)}`;
  const call = ways(way, tool, command, '\nor by ');
  const onOneLine = (text: string) => boundedText(visible(text), PART_CHARACTERS_MAX);
  const choice = named.choice === null ? [] : [onOneLine(named.choice)];
  // A truncated call would be invalid.
  if (call.length > 2 * PART_CHARACTERS_MAX) {
    return [
      `Record it by ${ways(way, 'the MCP tool state_patch', 'countersign state patch', ' or ')}.`,
      ...choice,
    ];
  }
  return [`Record it by ${call}`, ...(example === null ? [] : [onOneLine(exampleNote(example))]), ...choice];
}

function ways(way: WayToRecord, tool: string, command: string, or: string): string {
  return way === 'tool' ? tool : way === 'command' ? command : `${tool}${or}${command}`;
}
