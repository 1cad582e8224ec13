// `countersign connect` and `disconnect`, and `hook install` and `uninstall` for the hooks alone: change the
// settings of an agent CLI so that it takes part.
import { agentClient, AGENT_CLIENT_NAMES, type AgentClientName } from '../../../agent-clients/index.js';
import { KINDS, SERVER, type Kind } from '../../../agent-clients/settings/settings-file.js';
import { DEFAULT_LIMITS } from '../../../domain/limits.js';
import { plainCommand, type CommandSpec } from '../../command.js';
import {
  byDefault,
  choiceFlag,
  durationFlag,
  listFlag,
  required,
  spanOf,
  switchFlag,
  textFlag,
  type Values,
} from '../../flag.js';
import type { CliIo } from '../../io/io.js';
import { UsageError } from '../../usage-error.js';

const scopeFlags = {
  project: switchFlag('--project', 'in the settings of the project; so by default'),
  user: switchFlag('--user', 'in the settings of the user'),
  projectDir: byDefault(textFlag('--project-dir <dir>', 'where the project is'), '.'),
  yes: switchFlag('--yes', 'without asking'),
  dryRun: switchFlag('--dry-run', 'only show what would change'),
};

const options = {
  gate: switchFlag('--gate', 'the gate before each tool too (pre-tool-use)'),
  agents: listFlag('--agents <type...>', 'hold sub-agents of these types to the rule too (subagent-stop)'),
  wait: durationFlag(
    '--wait <time>',
    `how long a stop waits for callbacks (default: ${spanOf(DEFAULT_LIMITS.hookWaitMs)}; Claude Code is woken instead)`,
  ),
  url: textFlag('--url <url>', 'write where the service is into the commands (default: COUNTERSIGN_URL)'),
};

const NO_OPTIONS: Values<typeof options> = {
  gate: false,
  agents: [],
  wait: undefined,
  url: undefined,
};

interface Change {
  readonly client: AgentClientName;
  readonly kinds: readonly Kind[];
  readonly connects: boolean;
  readonly options: Values<typeof options>;
}

/** Changes the client's settings, and says what the user still has to do. @returns The exit code. */
async function change(what: Change, where: Values<typeof scopeFlags>, io: CliIo): Promise<number> {
  const { client, kinds, connects, options } = what;
  const { project, user, projectDir, yes, dryRun } = where;
  if (project && user) throw new UsageError('--project and --user contradict each other');
  checkOptions(client, options);
  const { agents, gate, url, wait: waitMs } = options;
  const [settings, { hookEntries }, { changeConnection }, { existsSync }, { realpath }, { homedir }] =
    await Promise.all([
      agentClient(client).settings(),
      import('../../../agent-clients/settings/hook-entries.js'),
      import('../../connect/connection.js'),
      import('node:fs'),
      import('node:fs/promises'),
      import('node:os'),
    ]);
  const folder = user
    ? null
    : await realpath(projectDir).catch(() => {
        throw new UsageError(`There is no folder ${projectDir}`);
      });
  const scope = {
    project: folder,
    environment: io.env,
    home: io.env['HOME'] ?? homedir(),
    exists: existsSync,
  };
  const files = settings.files(scope, {
    hooks: hookEntries({ client, gate, agents, waitMs, url }, settings.hooks),
    server: [SERVER, 'mcp', ...(url === undefined ? [] : ['--url', url])],
    gate,
    waitMs: waitMs ?? DEFAULT_LIMITS.hookWaitMs,
    url,
  });
  const code = await changeConnection(files, { kinds: new Set(kinds), connects, yes, dryRun }, io);
  const { whenConnected, whenHooked } = settings;
  if (code === 0 && connects) io.stderr.write(`${kinds === KINDS ? whenConnected : whenHooked}\n`);
  return code;
}

function checkOptions(client: AgentClientName, { url, agents }: Values<typeof options>): void {
  if (url !== undefined && !/^https?:\/\/[\w.:[\]/-]+$/.test(url)) {
    throw new UsageError(`Not the URL of a service: ${url}`);
  }
  const odd = agents.find((type) => !/^[\w.:-]+$/.test(type));
  if (odd !== undefined) throw new UsageError(`Not the type of a sub-agent: ${odd}`);
  if (agents.length > 0 && agentClient(client).hooks.events['subagent-stop'] === undefined) {
    throw new UsageError(`${agentClient(client).title} has no hook subagent-stop`);
  }
}

const NOTES =
  'Shows the difference of all files and asks, unless told otherwise. What else is in them stays as it is.';

function clientOf(name: string): AgentClientName {
  const client = AGENT_CLIENT_NAMES.find((one) => one === name);
  if (client !== undefined) return client;
  throw new UsageError(`There is no client ${name}; there are ${AGENT_CLIENT_NAMES.join(', ')}`);
}

export const connectCommand: CommandSpec = plainCommand({
  usage: 'connect <client>',
  summary: `let an agent CLI take part: hooks, MCP server and trust in its settings (${AGENT_CLIENT_NAMES.join(', ')})`,
  flags: { ...scopeFlags, ...options },
  examples: ['countersign connect claude-code', 'countersign connect codex --user --gate --yes'],
  notes: `${NOTES}\ncountersign disconnect gives the files back as they were.`,
  run: async ({ arg, flags, io }) =>
    change({ client: clientOf(arg(0)), kinds: KINDS, connects: true, options: flags }, flags, io),
});

export const disconnectCommand: CommandSpec = plainCommand({
  usage: 'disconnect <client>',
  summary: 'take out of the settings of an agent CLI what connect wrote',
  flags: scopeFlags,
  examples: ['countersign disconnect claude-code', 'countersign disconnect codex --user'],
  notes: `${NOTES} A file that was not changed meanwhile is as it was before, byte for byte.`,
  run: async ({ arg, flags, io }) =>
    change({ client: clientOf(arg(0)), kinds: KINDS, connects: false, options: NO_OPTIONS }, flags, io),
});

const clientFlag = required(choiceFlag('--client <client>', 'the agent CLI', AGENT_CLIENT_NAMES));

const install = plainCommand({
  usage: 'install',
  summary: 'write the hooks alone into the settings of an agent CLI (see connect)',
  flags: { client: clientFlag, ...scopeFlags, ...options },
  examples: [
    'countersign hook install --client claude-code --project',
    'countersign hook install --client codex --user --gate --yes',
  ],
  notes: NOTES,
  run: ({ flags, io }) =>
    change({ client: flags.client, kinds: ['hooks'], connects: true, options: flags }, flags, io),
});

const uninstall = plainCommand({
  usage: 'uninstall',
  summary: 'take the hooks out of the settings of an agent CLI',
  flags: { client: clientFlag, ...scopeFlags },
  examples: ['countersign hook uninstall --client claude-code --project'],
  notes: NOTES,
  run: ({ flags, io }) =>
    change({ client: flags.client, kinds: ['hooks'], connects: false, options: NO_OPTIONS }, flags, io),
});

export const hookInstallCommands: readonly CommandSpec[] = [install, uninstall];
