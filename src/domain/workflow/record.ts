// Applies a command to a workflow record. Pure: a command becomes JSON Patch operations on the document.
import { ok } from '../errors.js';
import { ownMember, type JsonObject } from '../json/json.js';
import { textsMember } from '../json/members.js';
import type { PatchOperation } from '../json/patch.js';
import { formatPointer } from '../json/pointer.js';
import { compact } from './archive.js';
import type {
  AddDecision,
  AddEvidence,
  AddVerdict,
  HandOff,
  SetMode,
  VoteOnDecision,
  WorkflowCommand,
} from './commands.js';
import { completeInvocation, startInvocation } from './invocations.js';
import { firstMode, mayEnter, modeOf } from './modes.js';
import { append, at, changed, exists, notFound, type Recorded } from './operations.js';
import { listOf, missingMembers, RECORD, recordOf, withRecord } from './workflow.js';

/**
 * The operations that record a command. They add the members of a record that the document lacks.
 *
 * @returns None if the record says it already; or `workflow_entry_not_found`, `workflow_entry_exists`,
 *   `transition_refused`, `mode_refused`.
 */
export function record(document: JsonObject, command: WorkflowCommand): Recorded {
  const { at: now } = command;
  const begun =
    command.operation === 'set_mode' ? { current_mode: firstMode(command.modes), ...document } : document;
  const whole = withRecord(begun, now);
  const recorded = recordOn(whole, command);
  const isCompact = command.operation === 'compact';
  if (!recorded.ok || (isCompact && recorded.value.length === 0)) return recorded;
  const needed = isCompact ? whole : withoutArchives(whole);
  return ok([...missingMembers(document, needed, membersOf(command)), ...recorded.value]);
}

/** A closed schema may declare no list of archives, and only archives need it. */
function withoutArchives(document: JsonObject): JsonObject {
  const members = Object.entries(recordOf(document)).filter(([name]) => name !== 'compaction_history');
  return { ...document, [RECORD]: Object.fromEntries(members) };
}

/** The members of the document that a command writes. */
function membersOf(command: WorkflowCommand): readonly string[] {
  if (command.operation === 'set_mode')
    return command.keeps_history ? ['current_mode', 'mode_history'] : ['current_mode'];
  if (command.operation !== 'add_evidence') return [RECORD];
  return [`protocol_${command.protocol}_evidence`, `protocol_${command.protocol}_complete`];
}

/** @param document - With all members of a record. */
function recordOn(document: JsonObject, command: WorkflowCommand): Recorded {
  switch (command.operation) {
    case 'start_invocation':
      return startInvocation(document, command);
    case 'complete_invocation':
      return completeInvocation(document, command);
    case 'add_decision':
      return addDecision(document, command);
    case 'approve_decision':
    case 'reject_decision':
      return vote(document, command);
    case 'add_verdict':
      return ok([append('verdicts', verdictOf(command))]);
    case 'hand_off':
      return handOff(document, command);
    case 'set_phase':
      return ok(changed(recordOf(document)['workflow_phase'], at('workflow_phase'), command.phase));
    case 'set_mode':
      return setMode(document, command);
    case 'add_evidence':
      return ok(evidence(document, command));
    case 'compact':
      return ok(compact(document, command));
  }
}

function addDecision(document: JsonObject, command: AddDecision): Recorded {
  const { id, type, description, rationale, decided_by } = command;
  const same = listOf(document, 'decisions').find((one) => one['id'] === id);
  const content = { type, description, rationale, decided_by };
  if (same !== undefined) {
    const isSame = Object.entries(content).every(([member, value]) => same[member] === value);
    return isSame ? ok([]) : exists('decision', id);
  }
  return ok([
    append('decisions', { id, ...content, approved_by: [], rejected_by: [], timestamp: command.at }),
  ]);
}

function vote(document: JsonObject, { operation, id, agent }: VoteOnDecision): Recorded {
  const decisions = listOf(document, 'decisions');
  const index = decisions.findIndex((one) => one['id'] === id);
  const decision = decisions[index];
  if (decision === undefined) return notFound('decision', id);
  const isApproval = operation === 'approve_decision';
  const [to, from] = isApproval ? ['approved_by', 'rejected_by'] : ['rejected_by', 'approved_by'];
  const [voters, others] = [textsMember(decision, to), textsMember(decision, from)];
  return ok([
    ...changed(voters, at('decisions', index, to), voters.includes(agent) ? voters : [...voters, agent]),
    ...changed(
      others,
      at('decisions', index, from),
      others.filter((one) => one !== agent),
    ),
  ]);
}

function verdictOf({ agent, decision, confidence, reasoning, ...rest }: AddVerdict): JsonObject {
  const { conditions, blockers } = rest;
  return {
    agent,
    decision,
    confidence,
    reasoning,
    ...(conditions === null ? {} : { conditions }),
    ...(blockers === null ? {} : { blockers }),
    timestamp: rest.at,
  };
}

/** The newest invocation of the agent that hands off says to whom, unless it has said so before. */
function handOff(document: JsonObject, command: HandOff): Recorded {
  const { from_agent, to_agent, reason, context, artifacts, preserved_context } = command;
  const history = listOf(document, 'agent_history');
  const index = history.findLastIndex((one) => one['agent'] === from_agent);
  const from = history[index];
  return ok([
    append('pending_handoffs', {
      from_agent,
      to_agent,
      reason,
      context,
      artifacts,
      ...(preserved_context === null ? {} : { preserved_context }),
      created_at: command.at,
    }),
    ...(from?.['handoff_to'] !== null
      ? []
      : changed(null, at('agent_history', index, 'handoff_to'), to_agent)),
    ...(from?.['handoff_reason'] !== ''
      ? []
      : changed('', at('agent_history', index, 'handoff_reason'), reason)),
  ]);
}

function setMode(document: JsonObject, command: SetMode): Recorded {
  const { mode, modes, reason, entered_by, at: now, keeps_history: keepsHistory } = command;
  const current = modeOf(document, modes);
  const may = mayEnter(modes, current, mode);
  if (!may.ok) return may;
  if (mode === current) return ok([]);
  const entry = { mode, entered_at: now, entered_by, reason };
  return ok([
    { op: 'replace', path: '/current_mode', value: mode },
    ...(keepsHistory ? [{ op: 'add' as const, path: '/mode_history/-', value: entry }] : []),
  ]);
}

function evidence(document: JsonObject, command: AddEvidence): readonly PatchOperation[] {
  const member = `protocol_${command.protocol}_evidence`;
  const known = document[member];
  const before = (name: string) => ownMember(known, name);
  const done = `protocol_${command.protocol}_complete`;
  return [
    ...Object.entries(command.evidence)
      .filter(([name, text]) => before(name) !== text)
      .map(([name, value]) => ({ op: 'add' as const, path: formatPointer([member, name]), value })),
    ...(command.complete ? changed(document[done], formatPointer([done]), true) : []),
  ];
}
