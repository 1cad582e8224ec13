// opencode as an executor: `opencode run` with its JSON stream. Its table of flags. Pure.
import type { ReservedFlag } from '../../domain/agents/reserved-flags.js';
import { isJsonArray, type JsonObject } from '../../domain/json/json.js';
import {
  argsOf,
  MCP_SERVER,
  serversOf,
  type AgentCall,
  type CommandLine,
  type Flag,
} from '../runs/agent-cli.js';
import { STATE_TOOLS } from '../runs/state-tools.js';
import { CONVERSATION, OUTPUT } from '../runs/reserved-flags.js';
import { readOpencode, readOpencodeEnd, readOpencodeError } from './stream.js';

const PROMPT_FILE = 'system-prompt.md';
/** The entry that users create: it may have another identity. */
const BY_HAND = 'countersign';
/** Denies state tools under any other server name. The last matching rule decides. */
const ONLY_OWN_TOOLS: JsonObject = Object.fromEntries<string>([
  ...STATE_TOOLS.map((tool): [string, string] => [`*_${tool}`, 'deny']),
  [`${MCP_SERVER}_*`, 'allow'],
]);

const FLAGS: readonly Flag[] = [
  ['--format', () => 'json'],
  ['--print-logs'], // only the log reports that a server did not connect
  ['--log-level', () => 'WARN'],
  ['--session', (call) => (call.resumes ? call.conversationId : null)],
  ['--model', (call) => call.settings.model],
];

/** Flags that the runner sets for every run. */
const RESERVED: readonly ReservedFlag[] = [
  { flags: ['--session', '-s', '--continue', '-c'], instead: CONVERSATION },
  { flags: ['--format'], instead: OUTPUT },
  { flags: ['--log-level'], instead: 'nothing: the runner reads from the log whether a server connected' },
];

export const commandLine: CommandLine = {
  program: 'opencode',
  reservedFlags: RESERVED,
  outputForm: null,
  invoke: (call) => ({
    args: ['run', ...argsOf(FLAGS, call), ...call.settings.args],
    input: call.prompt,
    files: call.settings.systemPrompt === null ? {} : { [PROMPT_FILE]: call.settings.systemPrompt },
    environment: {
      OPENCODE_CONFIG_CONTENT: JSON.stringify(config(call)),
      OPENCODE_DISABLE_AUTOUPDATE: '1',
    },
  }),
  read: readOpencode,
  readError: readOpencodeError,
  readEnd: readOpencodeEnd,
};

/**
 * Merged into the user's configuration, with precedence. It is not in a file, because the token is in the
 * environment anyway.
 */
function config(call: AgentCall): JsonObject {
  const { mcp, settings } = call;
  const headers = { Authorization: `Bearer ${mcp.token}` };
  const own = { type: 'remote', url: mcp.url, headers, enabled: true, oauth: false };
  return {
    autoupdate: false,
    share: 'disabled',
    mcp: { [BY_HAND]: { enabled: false }, ...further(call), [MCP_SERVER]: own },
    permission: ONLY_OWN_TOOLS,
    ...(settings.systemPrompt === null ? {} : { instructions: [`${call.folder}/${PROMPT_FILE}`] }),
  };
}

/** The servers of a named agent in the form of opencode. */
function further({ settings }: AgentCall): Readonly<Record<string, JsonObject>> {
  return Object.fromEntries(
    Object.entries(serversOf(settings)).map(([name, server]): [string, JsonObject] => {
      const { type, url, headers, command, args, env } = server;
      if (type === 'http')
        return [name, { type: 'remote', url: url ?? '', headers: headers ?? {}, enabled: true }];
      const words = [command ?? '', ...(isJsonArray(args) ? args : [])];
      return [name, { type: 'local', command: words, environment: env ?? {}, enabled: true }];
    }),
  );
}
