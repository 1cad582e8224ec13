// Interprets the stream of opencode (`opencode run --format json`). Pure.
import { ownMember, type JsonObject, type JsonValue } from '../../domain/json/json.js';
import { numberMember, textMember } from '../../domain/json/members.js';
import type { FailureCause } from '../../domain/records/records.js';
import { MCP_SERVER, type CliEnd, type Seen, type ReportedEnd } from '../runs/agent-cli.js';
import { causeOf } from '../runs/failure-cause.js';
import { usageOf } from '../runs/usage.js';
import { isUnreached } from '../runs/lost-call.js';

const OWN = `${MCP_SERVER}_`;
/** On standard error. The client continues without the tools and ends successfully. */
const WITHOUT_SERVER = new RegExp(`"server unavailable" key=${MCP_SERVER}(?![\\w-])`);

/** On standard error only, not in the stream. */
const WITHOUT_CONVERSATION = 'Session not found';

/** Causes by error name, where the name is more precise than the message. */
const CAUSES: Readonly<Record<string, FailureCause>> = {
  ProviderAuthError: 'configuration',
  ProviderModelNotFoundError: 'configuration',
  ProviderInitError: 'configuration',
  ConfigInvalidError: 'configuration',
  ConfigJsonError: 'configuration',
  ContextOverflowError: 'prompt_too_long',
};

/** @see CommandLine.read */
export function readOpencode(before: Seen, event: JsonObject): Seen {
  const seen = { ...before, conversationId: textMember(event, 'sessionID') ?? before.conversationId };
  const part = ownMember(event, 'part');
  switch (event['type']) {
    case 'text':
      return { ...seen, text: textMember(part, 'text') };
    case 'tool_use':
      return { ...seen, tools: toolsOf(seen, part) };
    case 'step_finish':
      return { ...seen, usage: usageWith(seen, part), end: endOf(textMember(part, 'reason')) };
    case 'error':
      return { ...seen, end: failure(ownMember(event, 'error')) };
    default:
      return seen;
  }
}

/** The stream does not list the tools, so the first call of a state tool shows whether they exist. */
function toolsOf(seen: Seen, part: JsonValue | undefined): Seen['tools'] {
  const tool = textMember(part, 'tool');
  const state = ownMember(part, 'state');
  if (tool?.startsWith(OWN) === true) {
    const isLost =
      textMember(state, 'status') === 'error' && isUnreached(JSON.stringify(ownMember(state, 'error')));
    return isLost ? 'away' : 'there';
  }
  const asked = tool === 'invalid' ? textMember(ownMember(state, 'input'), 'tool') : null;
  return asked?.startsWith(OWN) === true ? 'missing' : seen.tools;
}

/** A step ends with tool calls, or ends the turn. */
function endOf(reason: string | null): ReportedEnd | null {
  if (reason === 'tool-calls') return null;
  if (reason === 'stop') return { kind: 'completed' };
  return { kind: 'failed', error: `the turn ended for ${reason ?? 'no reason'}`, cause: 'agent' };
}

/** Adds the usage that a step reports. */
function usageWith({ usage }: Seen, part: JsonValue | undefined) {
  const tokens = ownMember(part, 'tokens');
  const sum = (before: number | undefined, now: number | null) => (now === null ? null : (before ?? 0) + now);
  return usageOf({
    input_tokens: sum(usage?.input_tokens, numberMember(tokens, 'input')),
    cached_input_tokens: sum(usage?.cached_input_tokens, numberMember(ownMember(tokens, 'cache'), 'read')),
    output_tokens: sum(usage?.output_tokens, numberMember(tokens, 'output')),
    turns: (usage?.turns ?? 0) + 1,
    cost_usd: sum(usage?.cost_usd, numberMember(part, 'cost')),
  });
}

function failure(error: JsonValue | undefined): ReportedEnd {
  const data = ownMember(error, 'data');
  const message = textMember(data, 'message') ?? textMember(error, 'name') ?? 'failed';
  const cause = CAUSES[textMember(error, 'name') ?? ''] ?? causeOf(message, numberMember(data, 'statusCode'));
  return { kind: 'failed', error: message, cause };
}

/** @see CommandLine.readError */
export function readOpencodeError(seen: Seen, line: string): Seen {
  return WITHOUT_SERVER.test(line) && seen.tools === 'unknown' ? { ...seen, tools: 'missing' } : seen;
}

/** @see CommandLine.readEnd */
export function readOpencodeEnd(seen: Seen, { stderr }: CliEnd): Seen {
  if (seen.conversationId !== null || !stderr.includes(WITHOUT_CONVERSATION)) return seen;
  return {
    ...seen,
    isGone: true,
    end: { kind: 'failed', error: WITHOUT_CONVERSATION, cause: 'environment' },
  };
}
