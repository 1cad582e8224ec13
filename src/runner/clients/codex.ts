// Codex as an executor: `codex exec` with its stream of JSON. Its table of flags. Pure.
import {
  argsOf,
  MCP_SERVER,
  type AgentCall,
  type AgentCli,
  type Flag,
  type Invocation,
} from '../agent/agent-cli.js';
import { codexServers, type CodexValue } from './codex-servers.js';
import { readCodex, readCodexEnd } from './codex-stream.js';

const SCHEMA_FILE = 'output-schema.json';

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

/** The server of the state's tools. Its token is read from the run's environment: it stands in no argument. */
function serverFlags(): readonly Flag[] {
  const settings: Readonly<Record<string, (call: AgentCall) => string | boolean>> = {
    url: (call) => call.mcp.url,
    bearer_token_env_var: () => 'COUNTERSIGN_TOKEN',
    // Without its tools it would run on silently: it ends instead.
    required: () => true,
    // Nobody is there to be asked.
    default_tools_approval_mode: () => 'approve',
  };
  return Object.entries(settings).map(([name, value]) => [
    '--config',
    (call) => (call.outputSchema === null ? setting(`mcp_servers.${MCP_SERVER}.${name}`, value(call)) : null),
  ]);
}

/** In TOML, whose strings and lists of strings may be written as JSON has them. */
function setting(name: string, value: CodexValue): string {
  if (typeof value !== 'object' || Array.isArray(value)) return `${name}=${JSON.stringify(value)}`;
  const members = Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}=${JSON.stringify(one)}`);
  return `${name}={${members.join(',')}}`;
}

/** Beside the state's own; a client that is held to its output gets none, like the others. */
function furtherServers({ outputSchema, settings }: AgentCall): Pick<Invocation, 'args' | 'environment'> {
  if (outputSchema !== null) return { args: [], environment: {} };
  const servers = codexServers(settings);
  const args = Object.entries(servers.settings).flatMap(([name, value]) => [
    '--config',
    setting(name, value),
  ]);
  return { args, environment: servers.environment };
}

export const codex: AgentCli = {
  type: 'codex',
  title: 'Codex',
  program: 'codex',
  outputForm: 'strict', // as the model's API has it
  usageSums: true,
  invoke: (call) => {
    const { args, environment } = furtherServers(call);
    return {
      // The command to resume knows fewer flags than the one that it belongs to.
      args: [
        'exec',
        ...argsOf(FLAGS, call),
        ...args,
        ...call.settings.args,
        ...(call.resumes ? ['resume', call.conversationId] : []),
        '-',
      ],
      input: call.prompt,
      files: call.outputSchema === null ? {} : { [SCHEMA_FILE]: call.outputSchema },
      environment,
    };
  },
  read: readCodex,
  readEnd: readCodexEnd,
};
