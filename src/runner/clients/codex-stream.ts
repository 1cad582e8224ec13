// What the stream of Codex means (`codex exec --json`). Pure.
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json/json.js';
import { MCP_SERVER, type CliEnd, type Seen } from '../agent/agent-cli.js';
import { causeOf } from '../agent/failure-cause.js';
import { numberAt, textAt, usageOf, valueAt } from '../agent/members.js';
import { isUnreached } from './lost-call.js';

/** How it refuses to begin without a server that is required. */
const WITHOUT_SERVER = /required MCP servers? failed to initialize[^\n]*/;

/** How it says that there is no such conversation. */
const WITHOUT_THREAD = /no rollout found[^\n]*|thread not found[^\n]*/i;

/** How it tells `insufficient_quota`, which no time makes pass. */
const OUT_OF_QUOTA = 'Quota exceeded. Check your plan';

/** @see AgentCli.read */
export function readCodex(seen: Seen, event: JsonObject): Seen {
  switch (event['type']) {
    case 'thread.started':
      // The server of the tools is required: no thread is begun without it.
      return { ...seen, conversationId: textAt(event, 'thread_id'), tools: 'there' };
    case 'item.completed':
      return itemEnded({ ...seen, end: null }, event['item']);
    // It waits for its model and tries again; until it goes on, that is how it would end.
    case 'error':
      return failedWith(seen, textAt(event, 'message') ?? 'an error');
    case 'turn.completed':
      return { ...seen, usage: usageIn(seen, event['usage']), end: { kind: 'completed' } };
    case 'turn.failed':
      return failedWith(seen, textAt(event['error'], 'message') ?? 'the turn failed');
    default:
      return seen;
  }
}

function itemEnded(seen: Seen, item: JsonValue | undefined): Seen {
  if (textAt(item, 'type') === 'agent_message') return { ...seen, text: textAt(item, 'text') };
  if (textAt(item, 'type') !== 'mcp_tool_call' || textAt(item, 'server') !== MCP_SERVER) return seen;
  const failure = valueAt(item, 'error');
  const isLost = failure !== undefined && failure !== null && isUnreached(JSON.stringify(failure));
  return { ...seen, tools: isLost ? 'away' : 'there' };
}

function failedWith(seen: Seen, message: string): Seen {
  const error = plain(message);
  const cause = error.startsWith(OUT_OF_QUOTA) ? 'configuration' : causeOf(error);
  return { ...seen, end: { kind: 'failed', error, cause } };
}

/** @see AgentCli.readEnd */
export function readCodexEnd(seen: Seen, { stderr }: CliEnd): Seen {
  const refused = WITHOUT_SERVER.exec(stderr);
  const gone = WITHOUT_THREAD.exec(stderr);
  if (refused === null && gone !== null && seen.conversationId === null) {
    return { ...seen, isGone: true, end: { kind: 'failed', error: gone[0], cause: 'environment' } };
  }
  if (refused === null) return seen;
  return { ...seen, tools: 'missing', end: { kind: 'failed', error: refused[0], cause: 'environment' } };
}

/** The tokens that it tells are the sum over the whole conversation. */
function usageIn({ usage: before }: Seen, usage: JsonValue | undefined) {
  return usageOf({
    turns: (before?.turns ?? 0) + 1,
    input_tokens: numberAt(usage, 'input_tokens'),
    cached_input_tokens: numberAt(usage, 'cached_input_tokens'),
    output_tokens: numberAt(usage, 'output_tokens'),
  });
}

/** A refusal of the model's API is told as its body. */
function plain(message: string): string {
  try {
    const body = JSON.parse(message) as JsonValue;
    return (isJsonObject(body) ? textAt(valueAt(body, 'error'), 'message') : null) ?? message;
  } catch {
    return message;
  }
}
