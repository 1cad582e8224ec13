// Gemini CLI as an executor: `gemini` with its JSON stream. Its table of flags. Pure.
import type { ReservedFlag } from '../../domain/agents/reserved-flags.js';
import { ownMember, type JsonObject } from '../../domain/json/json.js';
import {
  argsOf,
  COMMAND,
  MCP_SERVER,
  serversOf,
  type AgentCall,
  type CommandLine,
  type Flag,
  type ConfiguredServer,
  type Invocation,
  type RunHome,
} from '../runs/agent-cli.js';
import { serversByName } from '../runs/found-servers.js';
import { parsedWithComments } from '../runs/json-text.js';
import { CONVERSATION, OUTPUT, SERVERS } from '../runs/reserved-flags.js';
import { readGemini, readGeminiEnd, readGeminiError, readGeminiLog } from './stream.js';

const PROMPT_FILE = 'COUNTERSIGN.md';
const LOG_FILE = 'gemini.log';

const FLAGS: readonly Flag[] = [
  ['--output-format', () => 'stream-json'],
  ['--skip-trust'], // nobody can be asked whether the folder is trusted
  ['--session-id', (call) => (call.resumes ? null : call.conversationId)],
  ['--resume', (call) => (call.resumes ? call.conversationId : null)],
  ['--model', (call) => call.settings.model],
];

/** Flags that the runner sets for every run. */
const RESERVED: readonly ReservedFlag[] = [
  { flags: ['--session-id', '--resume', '-r'], instead: CONVERSATION },
  { flags: ['--output-format', '-o'], instead: OUTPUT },
  { flags: ['--allowed-mcp-server-names'], instead: SERVERS },
];

export const commandLine: CommandLine = {
  program: 'gemini',
  reservedFlags: RESERVED,
  outputForm: null,
  discovery: { file: '.gemini/settings.json', read: geminiConfiguredServers },
  invoke: (call) => ({
    args: [
      ...argsOf(FLAGS, call),
      ...Object.keys(servers(call)).flatMap((name) => ['--allowed-mcp-server-names', name]),
      ...call.settings.args,
    ],
    input: call.prompt,
    files: {},
    ...logFor(call),
    home: homeFor(call),
  }),
  read: readGemini,
  readError: readGeminiError,
  readLog: readGeminiLog,
  readEnd: readGeminiEnd,
};

/** Only the log file names the server that did not connect; with a single server it is not needed. */
function logFor({ folder, settings }: AgentCall): Pick<Invocation, 'environment' | 'log'> {
  if (Object.keys(serversOf(settings)).length === 0) return { environment: {} };
  const log = `${folder}/${LOG_FILE}`;
  return { environment: { GEMINI_DEBUG_LOG_FILE: log }, log };
}

/**
 * Servers in the settings of the project, which override those of the home. Only the names of the run's servers
 * are allowed there.
 */
function geminiConfiguredServers(text: string): ConfiguredServer[] {
  return serversByName(ownMember(parsedWithComments(text), 'mcpServers'));
}

/**
 * The client reads settings only from the home and the working directory; a system file would have to belong to
 * root.
 */
function homeFor(call: AgentCall): RunHome {
  const { systemPrompt } = call.settings;
  return {
    variable: 'GEMINI_CLI_HOME',
    folder: '.gemini',
    settingsFile: 'settings.json',
    settings: {
      mcpServers: servers(call),
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
      // Nobody can be asked, so the command that replaces the state tools is allowed in advance.
      tools: { allowed: [`run_shell_command(${COMMAND} state)`] },
      ...(systemPrompt === null ? {} : { context: { fileName: ['GEMINI.md', PROMPT_FILE] } }),
    },
    texts: systemPrompt === null ? {} : { [PROMPT_FILE]: systemPrompt },
    // The client keeps conversations here, per project, and finds a project's name again by the folders' content.
    kept: ['tmp', 'history'],
    own: ['projects.json', 'projects.json.lock'],
  };
}

/** `trust`: the client calls the tools of the server without asking. */
function servers({ mcp, settings }: AgentCall): Readonly<Record<string, JsonObject>> {
  const further = Object.entries(serversOf(settings)).map(([name, server]): [string, JsonObject] => {
    const { type, url, ...rest } = server;
    const address = type === 'http' && url !== undefined ? { httpUrl: url } : {};
    return [name, { ...rest, ...address, trust: true }];
  });
  const own = { httpUrl: mcp.url, headers: { Authorization: `Bearer ${mcp.token}` }, trust: true };
  return { ...Object.fromEntries(further), [MCP_SERVER]: own };
}
