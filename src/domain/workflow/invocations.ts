// How the start and the end of an agent change a workflow record. An invocation is there, or in an archive.
import { fail, ok } from '../errors.js';
import { isJsonArray, isJsonObject, jsonEqual, type JsonObject } from '../json/json.js';
import { textMember, textsMember } from '../json/members.js';
import type { PatchOperation } from '../json/patch.js';
import type { CompleteInvocation, StartInvocation } from './commands.js';
import { append, at, changed, exists, notFound, type Recorded } from './operations.js';
import { listOf, recordOf } from './workflow.js';

export function startInvocation(document: JsonObject, command: StartInvocation): Recorded {
  const { invocation_id: id, agent } = command;
  const same = listOf(document, 'agent_history').find((one) => one['invocation_id'] === id);
  const known = same ?? command.archived;
  if (known !== undefined) return saysSame(known, command) ? ok([]) : exists('invocation', id);
  const pending = listOf(document, 'pending_handoffs');
  const index = pending.findIndex((one) => one['to_agent'] === agent);
  const handoff = pending[index];
  const entry = {
    invocation_id: id,
    agent,
    started_at: command.at,
    completed_at: null,
    status: 'in_progress',
    input: inputOf(command, handoff),
    output: null,
    handoff_from: command.handoff_from ?? textMember(handoff, 'from_agent'),
    handoff_to: null,
    handoff_reason: command.handoff_reason || (textMember(handoff, 'reason') ?? ''),
  };
  return ok([
    append('agent_history', entry),
    ...(handoff === undefined ? [] : [{ op: 'remove' as const, path: at('pending_handoffs', index) }]),
    ...activeAgent(document, agent, command.at),
  ]);
}

/** What the agent gets. A hand-off that it consumes stays readable here. */
function inputOf(
  { prompt, context, artifacts }: StartInvocation,
  handoff: JsonObject | undefined,
): JsonObject {
  if (handoff === undefined) return { prompt, context, artifacts };
  const all = new Set([...artifacts, ...textsMember(handoff, 'artifacts')]);
  const preserved = handoff['preserved_context'];
  const handed = {
    context: textMember(handoff, 'context') ?? '',
    ...(preserved === undefined ? {} : { preserved_context: preserved }),
  };
  return { prompt, context: { handoff: handed, ...context }, artifacts: [...all] };
}

/**
 * True if an invocation was begun with what the command says. What a hand-off added to it then does not count, nor what
 * the agent has handed off since.
 */
function saysSame(invocation: JsonObject, command: StartInvocation): boolean {
  const input = isJsonObject(invocation['input']) ? invocation['input'] : {};
  const context = isJsonObject(input['context']) ? input['context'] : {};
  const { handoff, ...own } = context;
  // A hand-off that was consumed does not show where the command has a member of that name.
  const hadHandoff = isJsonObject(handoff) || command.context['handoff'] !== undefined;
  const artifacts = isJsonArray(input['artifacts']) ? input['artifacts'] : [];
  const given = hadHandoff ? [...new Set(command.artifacts)] : command.artifacts;
  const from = invocation['handoff_from'] ?? null;
  const reason = textMember(invocation, 'handoff_reason') ?? '';
  return (
    invocation['agent'] === command.agent &&
    input['prompt'] === command.prompt &&
    (jsonEqual(context, command.context) || (hadHandoff && jsonEqual(own, command.context))) &&
    jsonEqual(hadHandoff ? artifacts.slice(0, given.length) : artifacts, given) &&
    (from === command.handoff_from || (hadHandoff && command.handoff_from === null)) &&
    (reason === command.handoff_reason ||
      (command.handoff_reason === '' && (hadHandoff || (invocation['handoff_to'] ?? null) !== null)))
  );
}

export function completeInvocation(document: JsonObject, command: CompleteInvocation): Recorded {
  const { invocation_id: id, status, summary, artifacts, recommendations, blockers } = command;
  const history = listOf(document, 'agent_history');
  const index = history.findIndex((one) => one['invocation_id'] === id);
  const found = history[index];
  const output = { artifacts, summary, recommendations, blockers };
  const ended =
    found === undefined ? command.archived : found['status'] === 'in_progress' ? undefined : found;
  if (ended !== undefined) {
    if (ended['status'] === status && jsonEqual(ended['output'], output)) return ok([]);
    return hasEnded(
      ended,
      id,
      found === undefined ? at('agent_history') : at('agent_history', index, 'status'),
    );
  }
  if (found === undefined) return notFound('invocation', id);
  const working = history.filter((one) => one !== found && one['status'] === 'in_progress').at(-1);
  return ok([
    { op: 'replace', path: at('agent_history', index, 'status'), value: status },
    { op: 'replace', path: at('agent_history', index, 'completed_at'), value: command.at },
    { op: 'replace', path: at('agent_history', index, 'output'), value: output },
    ...activeAgent(document, textMember(working, 'agent'), command.at),
  ]);
}

/** @param pointer - Its location, or the list if it is in an archive. */
function hasEnded(invocation: JsonObject, id: string, pointer: string) {
  const status = textMember(invocation, 'status');
  const message = `the invocation ${id} has ended already: it is ${String(status)}, and stays with the output that it has`;
  return fail('transition_refused', `${pointer}: ${message}.`, {
    errors: [{ pointer, keyword: 'x-transitions', message, expected: { enum: [status] } }],
  });
}

function activeAgent(document: JsonObject, agent: string | null, now: string): readonly PatchOperation[] {
  const moved = changed(recordOf(document)['active_agent'], at('active_agent'), agent);
  if (moved.length === 0) return [];
  return [...moved, { op: 'replace', path: at('last_agent_change'), value: now }];
}
