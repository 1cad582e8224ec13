// Parses a hook's input into what the rules need. Clients add members with every release; unknown members are ignored.
// The members have the same names in all clients; the names of the events differ.
import { ok, invalidMember, fail, type Result } from '../../domain/errors.js';
import { boundedText } from '../../domain/excerpt.js';
import { HOOKS, type Hook, type HookClient } from '../../domain/hooks/clients.js';
import { CLIENT_SESSION_ID_CHARACTERS_MAX, type HookEvent } from '../../domain/hooks/event.js';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../domain/json/json.js';
import { textMember } from '../../domain/json/members.js';
import { hasLoneSurrogate } from '../../domain/text.js';
import type { ClientHooks } from './client-hooks.js';

type ClientWithHooks = HookClient & { readonly hooks: ClientHooks };
type Common = Pick<HookEvent, 'client' | 'clientSessionId'>;

/** Reasons with which a client ends a conversation and then begins or resumes another one by itself. */
const GOING_ON = ['clear', 'resume'];

/**
 * Background tasks (Claude Code reports them) that end by themselves and then wake the session. Other kinds, such as a
 * server, may run forever.
 */
const WAKING_TASKS = ['cloud session', 'subagent', 'workflow'];

/**
 * Parses a hook's input.
 *
 * @param hook - The expected hook; any hook of the client if absent.
 * @returns The event; or `invalid_request`, with the location.
 */
export function readHookInput(client: ClientWithHooks, input: JsonValue, hook?: Hook): Result<HookEvent> {
  const { title } = client;
  const { events } = client.hooks;
  if (hook !== undefined && events[hook] === undefined) {
    return fail('invalid_request', `${title} has no hook ${hook}.`);
  }
  if (!isJsonObject(input)) return invalidMember('', `is no hook input of ${title}`, 'an object');
  const name = input['hook_event_name'];
  const names = hook === undefined ? HOOKS.flatMap((one) => events[one] ?? []) : [events[hook] ?? ''];
  const found = typeof name === 'string' ? hookOf(client.hooks, name) : null;
  if (typeof name !== 'string' || found === null || !names.includes(name)) {
    const message = typeof name === 'string' ? `${name} is not answered here` : 'is missing';
    return invalidMember('/hook_event_name', message, names.join(' or '));
  }
  const id = idOf(input, 'session_id');
  return id.ok ? eventOf(found, client, id.value, input) : id;
}

/** An id that can be stored as it is, so that later events are found to be of the same one. */
function idOf(input: JsonObject, member: string): Result<string> {
  const id = textOf(input, member);
  if (id !== null && id.length <= CLIENT_SESSION_ID_CHARACTERS_MAX && !hasLoneSurrogate(id)) return ok(id);
  const long = id !== null && id.length > CLIENT_SESSION_ID_CHARACTERS_MAX;
  return invalidMember(
    `/${member}`,
    id === null ? 'is missing' : long ? 'is too long' : 'has half of a surrogate pair',
    `a text of 1 to ${String(CLIENT_SESSION_ID_CHARACTERS_MAX)} characters`,
  );
}

function eventOf(
  hook: Hook,
  client: ClientWithHooks,
  clientSessionId: string,
  input: JsonObject,
): Result<HookEvent> {
  const common = { client, clientSessionId };
  switch (hook) {
    case 'session-start':
      return ok({
        ...common,
        hook,
        cwd: textOf(input, 'cwd'),
        compacted: input['source'] === 'compact',
      });
    case 'stop':
      return stopEvent(common, input, client.hooks.lastMessage);
    case 'subagent-stop':
      return subagentStopEvent(common, input);
    case 'pre-tool-use':
      return preToolUseEvent(common, input);
    case 'session-end': {
      const reason = textOf(input, 'reason');
      return ok({ ...common, hook, reason, goesOn: GOING_ON.includes(reason ?? '') });
    }
  }
}

function stopEvent(common: Common, input: JsonObject, lastMessage: string): Result<HookEvent> {
  const repeated = repeatedOf(input);
  if (!repeated.ok) return repeated;
  const tasks = input['background_tasks'] ?? [];
  if (!isJsonArray(tasks)) return invalidMember('/background_tasks', 'is no list', 'an array');
  return ok({
    ...common,
    hook: 'stop',
    repeated: repeated.value,
    openTasks: tasks.filter(wakes).length,
    lastMessage: textOf(input, lastMessage),
  });
}

/** If a client does not report the type of a task, the task counts as one that wakes the session. */
function wakes(task: JsonValue): boolean {
  const type = textOf(task, 'type');
  return type === null || WAKING_TASKS.includes(type);
}

function subagentStopEvent(common: Common, input: JsonObject): Result<HookEvent> {
  const repeated = repeatedOf(input);
  if (!repeated.ok) return repeated;
  const agentId = idOf(input, 'agent_id');
  if (!agentId.ok) return agentId;
  return ok({
    ...common,
    hook: 'subagent-stop',
    repeated: repeated.value,
    agentId: agentId.value,
    agentType: textOf(input, 'agent_type') ?? '',
    lastMessage: textOf(input, 'last_assistant_message'),
  });
}

function preToolUseEvent(common: Common, input: JsonObject): Result<HookEvent> {
  const tool = textOf(input, 'tool_name');
  if (tool === null) return invalidMember('/tool_name', 'is missing', 'the name of the tool');
  const given = input['tool_input'];
  const command = textOf(given, 'command');
  return ok({ ...common, hook: 'pre-tool-use', tool, command });
}

function repeatedOf(input: JsonObject): Result<boolean> {
  const active = input['stop_hook_active'] ?? false;
  return typeof active === 'boolean'
    ? ok(active)
    : invalidMember('/stop_hook_active', 'is neither true nor false', 'true or false');
}

function textOf(input: JsonValue | undefined, member: string): string | null {
  const text = textMember(input, member);
  return text === '' ? null : text;
}

const NEEDED = [
  'hook_event_name',
  'session_id',
  'cwd',
  'source',
  'reason',
  'stop_hook_active',
  'last_assistant_message',
  'agent_id',
  'agent_type',
  'tool_name',
];

/**
 * Reduces the input to what the rules read. Tool inputs and details of background tasks do not leave the
 * client's machine.
 */
export function neededInput(
  { hooks }: ClientWithHooks,
  input: JsonObject,
  saidCharactersMax: number,
): JsonObject {
  const needed: Record<string, JsonValue> = {};
  for (const name of new Set([...NEEDED, hooks.lastMessage])) {
    const value = input[name];
    if (value === undefined) continue;
    needed[name] = typeof value === 'string' ? boundedText(value, saidCharactersMax) : value;
  }
  const tasks = input['background_tasks'];
  if (isJsonArray(tasks)) {
    needed['background_tasks'] = tasks.map((task) => {
      const type = textOf(task, 'type');
      return type === null ? {} : { type: boundedText(type, saidCharactersMax) };
    });
  }
  return needed;
}

/** The hook of a client's event; `null` for events that are not supported. */
export function hookOf({ events }: ClientHooks, eventName: string): Hook | null {
  return HOOKS.find((hook) => events[hook] === eventName) ?? null;
}
