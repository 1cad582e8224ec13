// The workflow record of an orchestrator inside a document (schemas/orchestrator-workflow.json), and how it is read.
// A user's schema may define these members differently, so every read checks types.
import { fail } from '../errors.js';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../json/json.js';
import { textMember } from '../json/members.js';
import type { PatchOperation } from '../json/patch.js';
import { formatPointer, valueAt } from '../json/pointer.js';

/** Name under which the service registers the schema of workflow records. */
export const WORKFLOW_SCHEMA = 'orchestrator-workflow';

/** The name of the record in a document. */
export const RECORD = 'orchestrator_workflow';

export type Phase = 'planning' | 'implementation' | 'validation' | 'complete';

/** How an invocation ends. */
export type Ending = 'completed' | 'failed' | 'blocked';

export type DecisionType = 'architectural' | 'technical' | 'process' | 'scope';

export type VerdictDecision = 'approve' | 'reject' | 'conditional' | 'needs_revision';

/** The lists of a record. */
export type ListName = 'agent_history' | 'decisions' | 'verdicts' | 'pending_handoffs' | 'compaction_history';

/** True if documents of the schema hold a workflow record: it declares the member, itself or through parts of `allOf`. */
export function declaresWorkflow(schema: JsonObject): boolean {
  return declares(schema, schema, new Set());
}

/** @param seen - The parts that were looked at: definitions may refer to each other in circles. */
function declares(schema: JsonObject, part: JsonValue | undefined, seen: Set<JsonObject>): boolean {
  if (!isJsonObject(part) || seen.has(part)) return false;
  seen.add(part);
  const { $ref, properties, allOf } = part;
  if (typeof $ref === 'string') {
    if (declares(schema, definitionOf(schema, $ref), seen)) return true;
    // This draft ignores the members beside a reference.
    const draft = schema['$schema'];
    if (typeof draft === 'string' && draft.includes('draft-07')) return false;
  }
  if (isJsonObject(properties) && Object.hasOwn(properties, RECORD)) return true;
  return isJsonArray(allOf) && allOf.some((each) => declares(schema, each, seen));
}

/** The definition that a reference of the form `#/$defs/name` names. References of other forms are not resolved. */
function definitionOf(schema: JsonObject, $ref: string): JsonValue | undefined {
  return /^#\/(?:\$defs|definitions)\/[^/%]+$/.test($ref) ? valueAt(schema, $ref.slice(1)) : undefined;
}

/** The failure for a state that can hold no workflow record. */
export function noWorkflow({ name }: { readonly name: string }) {
  return fail(
    'workflow_required',
    `The schema ${name} of the state declares no orchestrator_workflow. Create the state on the schema ${WORKFLOW_SCHEMA}, or on one of your own that has this member.`,
    { schema_name: name },
  );
}

/** The members that every workflow document has, as they are at the start. */
export function emptyRecord(at: string): JsonObject {
  return {
    current_mode: 'default',
    mode_history: [],
    protocol_start_complete: false,
    protocol_end_complete: false,
    protocol_start_evidence: {},
    protocol_end_evidence: {},
    [RECORD]: {
      active_agent: null,
      workflow_phase: 'planning',
      agent_history: [],
      decisions: [],
      verdicts: [],
      pending_handoffs: [],
      compaction_history: [],
      started_at: at,
      last_agent_change: at,
    },
  };
}

/** A document with the members of an empty record that it lacks. */
export function withRecord(document: JsonObject, at: string, names: readonly string[] = MEMBERS): JsonObject {
  const empty = picked(emptyRecord(at), names);
  const [inner, given] = [empty[RECORD], document[RECORD]];
  const record = isJsonObject(inner) && isJsonObject(given) ? { [RECORD]: { ...inner, ...given } } : {};
  return { ...empty, ...document, ...record };
}

/** The operations that add these members of a whole document, and those of its record, where the document lacks them. */
export function missingMembers(
  document: JsonObject,
  whole: JsonObject,
  names: readonly string[],
): readonly PatchOperation[] {
  const lacking = (before: JsonObject, after: JsonObject, path: readonly string[]) =>
    Object.entries(after)
      .filter(([name]) => !Object.hasOwn(before, name))
      .map(([name, value]) => ({ op: 'add' as const, path: formatPointer([...path, name]), value }));
  const record = document[RECORD];
  return [
    ...lacking(document, picked(whole, names), []),
    ...(isJsonObject(record) && names.includes(RECORD) ? lacking(record, recordOf(whole), [RECORD]) : []),
  ];
}

function picked(document: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(document).filter(([name]) => names.includes(name)));
}

/** The members of an empty record that a schema declares. */
export function declaredMembers({ properties, allOf }: JsonObject): readonly string[] {
  if (allOf !== undefined) return MEMBERS;
  return isJsonObject(properties) ? MEMBERS.filter((name) => Object.hasOwn(properties, name)) : [];
}

/** The members of a document that make up its workflow record. */
const MEMBERS: readonly string[] = Object.keys(emptyRecord(''));

/** A list of the record; empty if there is none. An item that is no object counts as an empty one. */
export function listOf(document: JsonObject, name: ListName): readonly JsonObject[] {
  const list = recordOf(document)[name];
  return isJsonArray(list) ? list.map((item) => (isJsonObject(item) ? item : {})) : [];
}

export function hasEnded(invocation: JsonObject): boolean {
  return (textMember(invocation, 'status') ?? 'in_progress') !== 'in_progress';
}

/** The record itself; empty if there is none. */
export function recordOf(document: JsonObject): JsonObject {
  const record = document[RECORD];
  return isJsonObject(record) ? record : {};
}
