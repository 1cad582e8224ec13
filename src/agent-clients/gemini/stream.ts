// Interprets the stream of Gemini CLI (`--output-format stream-json`). Pure.
import { ownMember, type JsonObject } from '../../domain/json/json.js';
import { numberMember, textMember } from '../../domain/json/members.js';
import {
  MCP_SERVER,
  serversOf,
  type AgentCall,
  type CliEnd,
  type Seen,
  type ReportedEnd,
} from '../runs/agent-cli.js';
import { causeOf } from '../runs/failure-cause.js';
import { usageOf } from '../runs/usage.js';
import { isUnreached } from '../runs/lost-call.js';

const OWN = `mcp_${MCP_SERVER}_`;
/** On standard error, for any allowed server. The client continues without the server and ends successfully. */
const WITHOUT_SOME_SERVER = 'MCP issues detected';
/** In its log file, which names the server. */
const WITHOUT_SERVER = new RegExp(
  `\\[MCP error\\] (?:.* MCP server '${MCP_SERVER}'|Error discovering tools from ${MCP_SERVER}:)`,
);
/** The project has no conversation, or not this one, or it cannot be read. */
const WITHOUT_CONVERSATION = /^Error resuming session:[^\n]*/m;
/** The client's own exit codes. */
const WRONG_INPUT = 42;
const NOT_AUTHENTICATED = 41;
const WRONG_SETTINGS = 52;
const TURNS_USED_UP = 53;

/** @see CommandLine.read */
export function readGemini(seen: Seen, event: JsonObject): Seen {
  switch (event['type']) {
    case 'init':
      return { ...seen, conversationId: textMember(event, 'session_id') };
    case 'message':
      return event['role'] === 'assistant' ? spoken(seen, event) : seen;
    case 'tool_use':
      return { ...seen, textEnded: true };
    case 'tool_result':
      return { ...seen, textEnded: true, tools: toolsOf(seen, event) };
    case 'result':
      return ended(seen, event);
    default:
      return seen;
  }
}

/** A message comes in parts, until a tool is called. */
function spoken(seen: Seen, event: JsonObject): Seen {
  const part = textMember(event, 'content') ?? '';
  const { text, textEnded } = seen;
  return { ...seen, text: textEnded === true || text === null ? part : text + part, textEnded: false };
}

/** The stream does not list the tools, so the first call of a state tool shows whether they exist. */
function toolsOf(seen: Seen, event: JsonObject): Seen['tools'] {
  if (textMember(event, 'tool_id')?.startsWith(OWN) !== true) return seen.tools;
  const { error } = event;
  if (textMember(error, 'type') === 'tool_not_registered') return 'missing';
  return error !== undefined && isUnreached(JSON.stringify(error)) ? 'away' : 'there';
}

function ended(seen: Seen, event: JsonObject): Seen {
  const { stats } = event;
  return {
    ...seen,
    usage: usageOf({
      input_tokens: numberMember(stats, 'input_tokens'),
      cached_input_tokens: numberMember(stats, 'cached'),
      output_tokens: numberMember(stats, 'output_tokens'),
      duration_ms: numberMember(stats, 'duration_ms'),
    }),
    end: event['status'] === 'success' ? { kind: 'completed' } : failure(event),
  };
}

function failure(event: JsonObject): ReportedEnd {
  const error = textMember(ownMember(event, 'error'), 'message') ?? 'failed';
  const [, status] = /"code": ?(\d{3})\b/.exec(error) ?? [];
  return { kind: 'failed', error, cause: causeOf(error, status === undefined ? null : Number(status)) };
}

/**
 * With further servers the line may be about one of them; the log file then names the server.
 *
 * @see CommandLine.readError
 */
export function readGeminiError(seen: Seen, line: string, { settings }: Pick<AgentCall, 'settings'>): Seen {
  return line.startsWith(WITHOUT_SOME_SERVER) && Object.keys(serversOf(settings)).length === 0
    ? withoutTools(seen)
    : seen;
}

/** @see CommandLine.readLog */
export function readGeminiLog(seen: Seen, line: string): Seen {
  return WITHOUT_SERVER.test(line) ? withoutTools(seen) : seen;
}

function withoutTools(seen: Seen): Seen {
  return seen.tools === 'unknown' ? { ...seen, tools: 'missing' } : seen;
}

/** @see CommandLine.readEnd */
export function readGeminiEnd(seen: Seen, { exitCode, stdout, stderr }: CliEnd): Seen {
  if (exitCode === NOT_AUTHENTICATED || exitCode === WRONG_SETTINGS) {
    const error = stderr.trim() || stdout.trim() || `exit code ${String(exitCode)}`;
    return { ...seen, end: { kind: 'failed', error, cause: 'configuration' } };
  }
  const missing = WITHOUT_CONVERSATION.exec(stderr);
  if (exitCode === WRONG_INPUT && missing !== null) {
    return { ...seen, isGone: true, end: { kind: 'failed', error: missing[0], cause: 'environment' } };
  }
  if (exitCode !== TURNS_USED_UP) return seen;
  return { ...seen, end: { kind: 'failed', error: 'all turns are used up', cause: 'agent' } };
}
