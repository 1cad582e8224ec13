// Codex as an executor: `codex exec` with its JSON stream. Its table of flags. Pure.
import type { ReservedFlag } from '../../domain/agents/reserved-flags.js';
import {
  argsOf,
  MCP_SERVER,
  TOOLS_WAIT_MS,
  type AgentCall,
  type CommandLine,
  type Flag,
  type Invocation,
} from '../runs/agent-cli.js';
import { conflictingServers } from '../runs/found-servers.js';
import { OUTPUT, SCHEMA, SERVERS } from '../runs/reserved-flags.js';
import { codexServers, codexConfiguredServers, type CodexValue } from './servers.js';
import { readCodex, readCodexEnd } from './stream.js';

const SCHEMA_FILE = 'output-schema.json';
/** Not the variable that users set: Codex lets a value from an environment file override it. */
const TOKEN_VARIABLE = 'COUNTERSIGN_RUN_TOKEN';

const FLAGS: readonly Flag[] = [
  ['--json'],
  ['--skip-git-repo-check'],
  ...serverFlags(),
  ['--output-schema', (call) => (call.outputSchema === null ? null : `${call.folder}/${SCHEMA_FILE}`)],
  ['--model', (call) => call.settings.model],
  [
    '--config',
    (call) =>
      call.settings.systemPrompt === null
        ? null
        : setting('developer_instructions', call.settings.systemPrompt),
  ],
];

/** The server of the state tools. Its token is read from the run's environment, so that no argument contains it. */
function serverFlags(): readonly Flag[] {
  const settings: Readonly<Record<string, (call: AgentCall) => CodexValue>> = {
    url: (call) => call.mcp.url,
    bearer_token_env_var: () => TOKEN_VARIABLE,
    // Codex would run without the tools and not report it; `required` makes it fail instead.
    required: () => true,
    startup_timeout_sec: () => TOOLS_WAIT_MS / 1000,
    // Nobody can be asked for approval.
    default_tools_approval_mode: () => 'approve',
  };
  return Object.entries(settings).map(([name, value]) => [
    '--config',
    (call) => (call.outputSchema === null ? setting(`mcp_servers.${MCP_SERVER}.${name}`, value(call)) : null),
  ]);
}

/**
 * Codex merges its own configuration with the run's servers. Disables entries that reach the coordinator with
 * another identity.
 */
function disabledServers(call: AgentCall): string[] {
  return conflictingServers(call).flatMap((name) => [
    '--config',
    setting(`mcp_servers.${/^[\w-]+$/.test(name) ? name : JSON.stringify(name)}.enabled`, false),
  ]);
}

/** A setting as TOML, in which strings and lists of strings may be written as in JSON. */
function setting(name: string, value: CodexValue): string {
  if (typeof value !== 'object' || Array.isArray(value)) return `${name}=${JSON.stringify(value)}`;
  const members = Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}=${JSON.stringify(one)}`);
  return `${name}={${members.join(',')}}`;
}

/** Servers in addition to the state tools; none for a run with an output schema, as for other clients. */
function furtherServers({ outputSchema, settings }: AgentCall): Pick<Invocation, 'args' | 'environment'> {
  if (outputSchema !== null) return { args: [], environment: {} };
  const servers = codexServers(settings);
  const args = Object.entries(servers.settings).flatMap(([name, value]) => [
    '--config',
    setting(name, value),
  ]);
  return { args, environment: servers.environment };
}

/** Flags that the runner sets for every run. */
const RESERVED: readonly ReservedFlag[] = [
  {
    flags: ['--config', '-c'],
    value: /^\s*"?mcp_servers"?\s*(=|\.\s*"?countersign(_\w*)?"?\s*[.=])/,
    instead: SERVERS,
  },
  { flags: ['--output-schema'], instead: SCHEMA },
  { flags: ['--json'], instead: OUTPUT },
];

export const commandLine: CommandLine = {
  program: 'codex',
  reservedFlags: RESERVED,
  outputForm: 'strict', // as the model's API requires
  usageSums: true,
  discovery: { args: ['mcp', 'list', '--json'], read: codexConfiguredServers },
  invoke: (call) => {
    const { args, environment } = furtherServers(call);
    return {
      // `resume` accepts fewer flags than `exec`, so the flags come before it.
      args: [
        'exec',
        ...argsOf(FLAGS, call),
        ...args,
        ...disabledServers(call),
        ...call.settings.args,
        ...(call.resumes ? ['resume', call.conversationId] : []),
        '-',
      ],
      input: call.prompt,
      files: call.outputSchema === null ? {} : { [SCHEMA_FILE]: call.outputSchema },
      environment: { ...environment, [TOKEN_VARIABLE]: call.mcp.token },
    };
  },
  read: readCodex,
  readEnd: readCodexEnd,
};
