// Claude Code as an executor: `claude --print` with its stream of JSON. Its table of flags. Pure.
import type { JsonObject } from '../../domain/json/json.js';
import {
  argsOf,
  COMMAND,
  MCP_SERVER,
  serversOf,
  TOOLS_WAIT_MS,
  type AgentCall,
  type AgentCli,
  type Flag,
} from '../agent/agent-cli.js';
import { readClaudeCode } from './claude-code-stream.js';

const MCP_FILE = 'mcp.json';
const SETTINGS_FILE = 'settings.json';
/** The command gives up well before: a client takes a hook that runs out of time for leave. */
const HOOK_SECONDS = 60;

const FLAGS: readonly Flag[] = [
  ['--print'],
  ['--output-format', () => 'stream-json'],
  ['--verbose'], // the stream needs it
  ['--session-id', (call) => (call.resumes ? null : call.conversationId)],
  ['--resume', (call) => (call.resumes ? call.conversationId : null)],
  ['--mcp-config', (call) => (call.outputSchema === null ? `${call.folder}/${MCP_FILE}` : null)],
  ['--strict-mcp-config'], // a server of the project with the same name would take its place
  ['--settings', (call) => `${call.folder}/${SETTINGS_FILE}`],
  ['--json-schema', ({ outputSchema }) => (outputSchema === null ? null : JSON.stringify(outputSchema))],
  ['--model', (call) => call.settings.model],
  ['--append-system-prompt', (call) => call.settings.systemPrompt],
];

/** Nobody is there to be asked: the state's tools, and the commands that stand in for them, are allowed beforehand.
 * No others: `countersign runner` would run whatever it is told. */
function allowed({ settings }: AgentCall): JsonObject {
  const servers = [MCP_SERVER, ...Object.keys(serversOf(settings))];
  return {
    permissions: { allow: [...servers.map((name) => `mcp__${name}`), `Bash(${COMMAND} state:*)`] },
  };
}

/**
 * In a run that asks for a result, the client is reminded once before it ends its turn: within its own process, where that
 * costs no attempt. One that is held to its output has nothing to be reminded of.
 */
function hooks({ purpose, outputSchema }: AgentCall): JsonObject {
  if (purpose !== 'state_update' || outputSchema !== null) return {};
  const command = `${COMMAND} hook stop --client claude-code --wait 0s`;
  return { hooks: { Stop: [{ hooks: [{ type: 'command', command, timeout: HOOK_SECONDS }] }] } };
}

/** A runner that was itself started by an agent does not hand that agent's identity on; runs do not update the program. */
const ENVIRONMENT: Readonly<Record<string, string | null>> = {
  CLAUDECODE: null,
  CLAUDE_CODE_ENTRYPOINT: null,
  CLAUDE_CODE_SESSION_ID: null,
  DISABLE_AUTOUPDATER: '1',
  // It begins when the servers have answered, rather than without those that take a while.
  MCP_CONNECTION_NONBLOCKING: '0',
  MCP_CONNECT_TIMEOUT_MS: String(TOOLS_WAIT_MS),
  MCP_TIMEOUT: String(TOOLS_WAIT_MS),
};

export const claudeCode: AgentCli = {
  type: 'claude-code',
  title: 'Claude Code',
  program: 'claude',
  outputForm: 'object',
  invoke: (call) => ({
    args: [...argsOf(FLAGS, call), ...call.settings.args],
    input: call.prompt,
    files: {
      [MCP_FILE]: mcpConfig(call),
      // Variables in the settings of the user or of the project do not say for whom the commands speak.
      [SETTINGS_FILE]: { env: { ...call.identity }, ...allowed(call), ...hooks(call) },
    },
    environment: ENVIRONMENT,
  }),
  read: readClaudeCode,
  // What is wrong with a call (an id in use, an unknown flag) is said on standard error, and nothing in the stream.
  readEnd: (seen) => seen,
};

function mcpConfig({ mcp, settings }: AgentCall): JsonObject {
  const headers = { Authorization: `Bearer ${mcp.token}` };
  // Waited for before the first turn, and offered from then on.
  const server = { type: 'http', url: mcp.url, headers, alwaysLoad: true };
  return { mcpServers: { ...serversOf(settings), [MCP_SERVER]: server } };
}
