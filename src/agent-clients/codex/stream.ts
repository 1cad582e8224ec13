// Interprets the stream of Codex (`codex exec --json`). Pure.
import { ownMember, type JsonObject, type JsonValue } from '../../domain/json/json.js';
import { numberMember, textMember } from '../../domain/json/members.js';
import { MCP_SERVER, type CliEnd, type Seen } from '../runs/agent-cli.js';
import { causeOf } from '../runs/failure-cause.js';
import { usageOf } from '../runs/usage.js';
import { isUnreached } from '../runs/lost-call.js';

/** Its error if a required server is missing. */
const WITHOUT_SERVER = /required MCP servers? failed to initialize[^\n]*/;

/** Its error if the conversation does not exist. */
const WITHOUT_THREAD = /no rollout found[^\n]*|thread not found[^\n]*/i;

/** Its text for `insufficient_quota`, which waiting does not help. */
const OUT_OF_QUOTA = 'Quota exceeded. Check your plan';

/** @see CommandLine.read */
export function readCodex(seen: Seen, event: JsonObject): Seen {
  switch (event['type']) {
    case 'thread.started':
      // The server of the state tools is required: without it no thread starts.
      return { ...seen, conversationId: textMember(event, 'thread_id'), tools: 'there' };
    case 'item.completed':
      return itemEnded({ ...seen, end: null }, event['item']);
    // Codex waits for its model and retries. Until it continues, a stop now counts as this failure.
    case 'error':
      return failedWith(seen, textMember(event, 'message') ?? 'an error');
    case 'turn.completed':
      return { ...seen, usage: usageIn(seen, event['usage']), end: { kind: 'completed' } };
    case 'turn.failed':
      return failedWith(seen, textMember(event['error'], 'message') ?? 'the turn failed');
    default:
      return seen;
  }
}

function itemEnded(seen: Seen, item: JsonValue | undefined): Seen {
  if (textMember(item, 'type') === 'agent_message') return { ...seen, text: textMember(item, 'text') };
  if (textMember(item, 'type') !== 'mcp_tool_call' || textMember(item, 'server') !== MCP_SERVER) return seen;
  const failure = ownMember(item, 'error');
  const isLost = failure !== undefined && failure !== null && isUnreached(JSON.stringify(failure));
  return { ...seen, tools: isLost ? 'away' : 'there' };
}

function failedWith(seen: Seen, message: string): Seen {
  const error = plain(message);
  const cause = error.startsWith(OUT_OF_QUOTA) ? 'configuration' : causeOf(error);
  return { ...seen, end: { kind: 'failed', error, cause } };
}

/** @see CommandLine.readEnd */
export function readCodexEnd(seen: Seen, { stderr }: CliEnd): Seen {
  const refused = WITHOUT_SERVER.exec(stderr);
  const missing = WITHOUT_THREAD.exec(stderr);
  if (refused === null && missing !== null && seen.conversationId === null) {
    return { ...seen, isGone: true, end: { kind: 'failed', error: missing[0], cause: 'environment' } };
  }
  if (refused === null) return seen;
  return { ...seen, tools: 'missing', end: { kind: 'failed', error: refused[0], cause: 'environment' } };
}

/** The reported tokens are the total of the whole conversation. */
function usageIn({ usage: before }: Seen, usage: JsonValue | undefined) {
  return usageOf({
    turns: (before?.turns ?? 0) + 1,
    input_tokens: numberMember(usage, 'input_tokens'),
    cached_input_tokens: numberMember(usage, 'cached_input_tokens'),
    output_tokens: numberMember(usage, 'output_tokens'),
  });
}

/** Codex reports an error of the model's API as the body of its reply. */
function plain(message: string): string {
  try {
    const body = JSON.parse(message) as JsonValue;
    return textMember(ownMember(body, 'error'), 'message') ?? message;
  } catch {
    return message;
  }
}
