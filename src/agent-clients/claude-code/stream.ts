// Interprets the stream of Claude Code (`--output-format stream-json`). Pure.
import { isJsonArray, ownMember, type JsonObject, type JsonValue } from '../../domain/json/json.js';
import { numberMember, textMember } from '../../domain/json/members.js';
import type { FailureCause } from '../../domain/records/records.js';
import { MCP_SERVER, type Seen, type ReportedEnd } from '../runs/agent-cli.js';
import { causeOf } from '../runs/failure-cause.js';
import { usageOf } from '../runs/usage.js';
import { isUnreached } from '../runs/lost-call.js';

const OWN = `mcp__${MCP_SERVER}__`;
const NO_CONVERSATION = /No conversation found/i;

/** Causes by the error name in the stream. An HTTP status, if there is one, is more precise. */
const CAUSES: Readonly<Record<string, FailureCause>> = {
  rate_limit: 'rate_limit',
  overloaded: 'environment',
  server_error: 'environment',
  authentication_failed: 'configuration',
  oauth_org_not_allowed: 'configuration',
  billing_error: 'configuration',
  model_not_found: 'configuration',
  max_output_tokens: 'agent',
};

/** @see CommandLine.read */
export function readClaudeCode(seen: Seen, event: JsonObject): Seen {
  switch (event['type']) {
    case 'system':
      if (event['subtype'] === 'api_retry') return retrying(seen, event);
      return event['subtype'] === 'init' ? begun(seen, event) : seen;
    case 'assistant':
      return spoken(calling(spending(seen, event), event), event);
    case 'user':
      return answered(seen, event);
    case 'result':
      return ended(seen, event);
    default:
      return seen;
  }
}

function begun(seen: Seen, event: JsonObject): Seen {
  return { ...seen, conversationId: textMember(event, 'session_id'), tools: toolsOf(event) };
}

/** The client was told to wait for its servers, so one that still connects was too slow, but may appear later. */
function toolsOf(event: JsonObject): Seen['tools'] {
  const servers = isJsonArray(event['mcp_servers']) ? event['mcp_servers'] : [];
  const own = servers.find((one) => textMember(one, 'name') === MCP_SERVER);
  const status = textMember(own, 'status');
  if (status === 'pending') return 'away';
  if (status !== 'connected') return 'missing';
  const tools = isJsonArray(event['tools']) ? event['tools'] : null;
  return tools === null || tools.some(isOwn) ? 'there' : 'missing';
}

function isOwn(tool: JsonValue | null): boolean {
  return typeof tool === 'string' && tool.startsWith(OWN);
}

/**
 * The client waits for the model's API and retries. Until the agent speaks again, a stop now counts as this
 * failure.
 */
function retrying(seen: Seen, event: JsonObject): Seen {
  const status = numberMember(event, 'error_status');
  const name = textMember(event, 'error') ?? 'unknown';
  const error = `it was still trying again to reach its model (${name}${status === null ? '' : `, status ${String(status)}`})`;
  const cause = CAUSES[name] ?? (status === null ? 'environment' : causeOf(name, status));
  return { ...seen, end: { kind: 'failed', error, cause } };
}

/**
 * Sums the usage until the result reports the total. A message comes in parts, each with the usage at the
 * message's start, which includes little of its output.
 */
function spending(seen: Seen, event: JsonObject): Seen {
  const messageId = textMember(event['message'], 'id');
  const reported = ownMember(event['message'], 'usage');
  if (messageId === null || reported === undefined || messageId === seen.messageId) return seen;
  const { usage } = seen;
  const own = textMember(event, 'parent_tool_use_id') === null ? 1 : 0;
  return {
    ...seen,
    messageId,
    usage: usageOf({
      input_tokens: (usage?.input_tokens ?? 0) + (numberMember(reported, 'input_tokens') ?? 0),
      cached_input_tokens:
        (usage?.cached_input_tokens ?? 0) + (numberMember(reported, 'cache_read_input_tokens') ?? 0),
      output_tokens: (usage?.output_tokens ?? 0) + (numberMember(reported, 'output_tokens') ?? 0),
      turns: (usage?.turns ?? 0) + own,
    }),
  };
}

/** The last text of the agent itself; texts of its sub-agents are not part of the result. */
function spoken(seen: Seen, event: JsonObject): Seen {
  if (textMember(event, 'parent_tool_use_id') !== null) return seen;
  const failure = textMember(event, 'error');
  const text = contentOf(event)
    .flatMap((block) => textMember(block, 'text') ?? [])
    .join('\n');
  // An API failure comes as a message of the agent with the error's name, and again as the result, without the
  // name.
  if (failure !== null) {
    return { ...seen, end: { kind: 'failed', error: text, cause: CAUSES[failure] ?? causeOf(text) } };
  }
  return { ...seen, text: text === '' ? seen.text : text, end: null };
}

/** Remembers the last call of a state tool, because its result names only the id. */
function calling(seen: Seen, event: JsonObject): Seen {
  const call = contentOf(event).findLast(
    (block) => textMember(block, 'type') === 'tool_use' && isOwn(textMember(block, 'name')),
  );
  const callId = textMember(call, 'id');
  return callId === null ? seen : { ...seen, callId };
}

function answered(seen: Seen, event: JsonObject): Seen {
  if (seen.callId === undefined || seen.tools === 'missing') return seen;
  const answer = contentOf(event).find((block) => textMember(block, 'tool_use_id') === seen.callId);
  if (answer === undefined) return seen;
  const text = JSON.stringify(ownMember(answer, 'content') ?? '');
  const isLost = text.includes(`No such tool available: ${OWN}`) || isUnreached(text);
  const isFailure = ownMember(answer, 'is_error') === true;
  return { ...seen, tools: isFailure && isLost ? 'away' : 'there' };
}

function contentOf(event: JsonObject): readonly JsonValue[] {
  const content = ownMember(event['message'], 'content');
  return isJsonArray(content) ? content : [];
}

function ended(seen: Seen, event: JsonObject): Seen {
  const result = textMember(event, 'result');
  const end = endOf(seen.end, event, result);
  return {
    ...seen,
    text: end.kind === 'completed' ? (result ?? seen.text) : seen.text,
    usage: usageOf({
      input_tokens: numberMember(event['usage'], 'input_tokens'),
      cached_input_tokens: numberMember(event['usage'], 'cache_read_input_tokens'),
      output_tokens: numberMember(event['usage'], 'output_tokens'),
      turns: numberMember(event, 'num_turns'),
      duration_ms: numberMember(event, 'duration_ms'),
      cost_usd: numberMember(event, 'total_cost_usd'),
    }),
    end,
    ...(end.kind === 'failed' && NO_CONVERSATION.test(end.error) ? { isGone: true } : {}),
    ...(event['structured_output'] === undefined ? {} : { value: event['structured_output'] }),
  };
}

/** `subtype` is `success` even if the API was unavailable: `is_error` decides. */
function endOf(before: ReportedEnd | null, event: JsonObject, result: string | null): ReportedEnd {
  const subtype = textMember(event, 'subtype');
  if (event['is_error'] !== true && subtype === 'success') return { kind: 'completed' };
  const error = result ?? errorsOf(event) ?? subtype ?? 'failed';
  return { kind: 'failed', error, cause: causeOfEnd(before, event, error) };
}

function causeOfEnd(before: ReportedEnd | null, event: JsonObject, error: string): FailureCause {
  // The message before names the cause better than the status does: a lack of credit has status 400.
  if (before?.kind === 'failed') return before.cause;
  const status = numberMember(event, 'api_error_status');
  if (status !== null) return causeOf(error, status);
  // The run was interrupted, or the conversation does not exist.
  if (event['subtype'] === 'error_during_execution') return 'environment';
  return event['subtype'] === 'success' ? causeOf(error) : 'agent';
}

function errorsOf(event: JsonObject): string | null {
  const errors = isJsonArray(event['errors']) ? event['errors'] : [];
  const texts = errors.filter((one) => typeof one === 'string');
  return texts.length === 0 ? null : texts.join('; ');
}
