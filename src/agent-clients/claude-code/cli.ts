// Claude Code as an executor: `claude --print` with its JSON stream. Its table of flags. Pure.
import type { ReservedFlag } from '../../domain/agents/reserved-flags.js';
import type { JsonObject } from '../../domain/json/json.js';
import {
  argsOf,
  COMMAND,
  MCP_SERVER,
  serversOf,
  TOOLS_WAIT_MS,
  type AgentCall,
  type CommandLine,
  type Flag,
} from '../runs/agent-cli.js';
import { CONVERSATION, OUTPUT, SCHEMA, SERVERS } from '../runs/reserved-flags.js';
import { readClaudeCode } from './stream.js';

const MCP_FILE = 'mcp.json';
const SETTINGS_FILE = 'settings.json';
/** The hook command ends well before, because a client treats a hook that times out as permission. */
const HOOK_SECONDS = 60;

const FLAGS: readonly Flag[] = [
  ['--print'],
  ['--output-format', () => 'stream-json'],
  ['--verbose'], // required by stream-json
  ['--session-id', (call) => (call.resumes ? null : call.conversationId)],
  ['--resume', (call) => (call.resumes ? call.conversationId : null)],
  ['--mcp-config', (call) => (call.outputSchema === null ? `${call.folder}/${MCP_FILE}` : null)],
  ['--strict-mcp-config'], // a server of the project with the same name would replace ours
  ['--settings', (call) => `${call.folder}/${SETTINGS_FILE}`],
  ['--json-schema', ({ outputSchema }) => (outputSchema === null ? null : JSON.stringify(outputSchema))],
  ['--model', (call) => call.settings.model],
  ['--append-system-prompt', (call) => call.settings.systemPrompt],
];

/**
 * Nobody can be asked, so the state tools and the commands that replace them are allowed in advance. No others:
 * `countersign runner` would execute any command that it is given.
 */
function allowed({ settings }: AgentCall): JsonObject {
  const servers = [MCP_SERVER, ...Object.keys(serversOf(settings))];
  return {
    permissions: { allow: [...servers.map((name) => `mcp__${name}`), `Bash(${COMMAND} state:*)`] },
  };
}

/**
 * In an update run, a stop hook reminds the agent once before it ends its turn: within its own process, so that
 * this costs no attempt. A run with an output schema needs no reminder.
 */
function hooks({ purpose, outputSchema }: AgentCall): JsonObject {
  if (purpose !== 'state_update' || outputSchema !== null) return {};
  const command = `${COMMAND} hook stop --client claude-code --wait 0s`;
  return { hooks: { Stop: [{ hooks: [{ type: 'command', command, timeout: HOOK_SECONDS }] }] } };
}

/** Removes the identity of an agent that started the runner, and disables updates of the program during runs. */
const ENVIRONMENT: Readonly<Record<string, string | null>> = {
  CLAUDECODE: null,
  CLAUDE_CODE_ENTRYPOINT: null,
  CLAUDE_CODE_SESSION_ID: null,
  DISABLE_AUTOUPDATER: '1',
  // The client begins after its servers have answered, not without the slow ones.
  MCP_CONNECTION_NONBLOCKING: '0',
  MCP_CONNECT_TIMEOUT_MS: String(TOOLS_WAIT_MS),
  MCP_TIMEOUT: String(TOOLS_WAIT_MS),
};

/** Flags that the runner sets for every run. */
const RESERVED: readonly ReservedFlag[] = [
  {
    flags: ['--settings'],
    instead:
      "--allowedTools, --disallowedTools or --permission-mode, or the settings of the user's home or the project (.claude/settings.json), which count as well",
  },
  { flags: ['--mcp-config', '--strict-mcp-config'], instead: SERVERS },
  { flags: ['--session-id', '--resume', '-r', '--continue', '-c'], instead: CONVERSATION },
  { flags: ['--output-format'], instead: OUTPUT },
  { flags: ['--json-schema'], instead: SCHEMA },
];

export const commandLine: CommandLine = {
  program: 'claude',
  reservedFlags: RESERVED,
  outputForm: 'object',
  invoke: (call) => ({
    args: [...argsOf(FLAGS, call), ...call.settings.args],
    input: call.prompt,
    files: {
      [MCP_FILE]: mcpConfig(call),
      // Overrides variables in the settings of the user or of the project, so that commands use the run's
      // identity.
      [SETTINGS_FILE]: { env: { ...call.identity }, ...allowed(call), ...hooks(call) },
    },
    environment: ENVIRONMENT,
  }),
  read: readClaudeCode,
  // Errors of the call itself (an id in use, an unknown flag) are only on standard error, not in the stream.
  readEnd: (seen) => seen,
};

function mcpConfig({ mcp, settings }: AgentCall): JsonObject {
  const headers = { Authorization: `Bearer ${mcp.token}` };
  // The client loads the server's tools before the first turn and always offers them.
  const server = { type: 'http', url: mcp.url, headers, alwaysLoad: true };
  return { mcpServers: { ...serversOf(settings), [MCP_SERVER]: server } };
}
