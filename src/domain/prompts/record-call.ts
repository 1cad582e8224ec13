// The call that records a result, in the forms in which prompts show it. All forms make the same write.
import { shellQuoted } from '../shell.js';
import type { JsonValue } from '../json/json.js';
import { valueAt } from '../json/pointer.js';
import type { ExampleWrite } from '../transactions/schema-answers.js';
import type { DocumentView } from '../transactions/decision-context.js';
import type { NamedLocation } from './named-location.js';

interface CallFacts {
  readonly view: DocumentView;
  /** The location that the call names. */
  readonly named: NamedLocation;
  /** The example call, if there is one that the service accepts as it is. */
  readonly example: ExampleWrite | null;
}

/** What of the call is only an example. */
export function exampleNote({ operation: { path }, location }: ExampleWrite): string {
  const where = path === location ? '' : ` at ${location}; what is around it only adds the missing parents`;
  return `The value in this call is an example of the form, and would be accepted as it stands. Put your real result in its place${where}.`;
}

/** The arguments of the MCP tool `state_patch`. */
export function toolCall(facts: CallFacts): string {
  return `{"operations":${operationsFor(facts)}}`;
}

export function commandLine(facts: CallFacts): string {
  return `countersign state patch ${shellQuoted(operationsFor(facts))}`;
}

export function httpCall(facts: CallFacts): string {
  return [
    `curl -sS -X PATCH "$COUNTERSIGN_URL/workflow-states/$WORKFLOW_STATE_ID"`,
    `-H 'Content-Type: application/json-patch+json'`,
    `-H "X-Agent-Session-Name: $AGENT_SESSION_NAME" -H "Authorization: Bearer $COUNTERSIGN_TOKEN"`,
    `-d ${shellQuoted(operationsFor(facts))}`,
  ].join(' ');
}

/** A JSON Patch with the example value; without an example, with the right location and a placeholder. */
function operationsFor({ named: { pointer }, example, view }: CallFacts): string {
  if (example !== null) {
    const { op, path, value } = example.operation;
    return JSON.stringify([{ op, path, value }]);
  }
  const op = pointer !== '' && valueAt(view.document, pointer) !== undefined ? 'replace' : 'add';
  const operation: JsonValue = { op, path: pointer, value: 'YOUR RESULT' };
  return JSON.stringify([operation]).replace('"YOUR RESULT"', 'YOUR_RESULT_AS_JSON');
}
