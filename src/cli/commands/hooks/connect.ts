// `countersign connect` and `disconnect`, and `hook install` and `uninstall` for the hooks alone: change the
// settings of an agent CLI so that it takes part.
import { agentClient } from '../../../agent-clients/index.js';
import { AGENT_CLIENT_NAMES } from '../../../agent-clients/names.js';
import { DEFAULT_LIMITS } from '../../../domain/limits.js';
import { plainCommand, type CommandSpec } from '../../command.js';
import type { ConnectClient } from '../../connect/files.js';
import type { Kind } from '../../connect/parts.js';
import {
  byDefault,
  choiceFlag,
  durationFlag,
  listFlag,
  required,
  switchFlag,
  textFlag,
  type Values,
} from '../../flag.js';
import type { CliIo } from '../../io.js';
import { UsageError } from '../../usage-error.js';

const place = {
  project: switchFlag('--project', 'in the settings of the project; so by default'),
  user: switchFlag('--user', 'in the settings of the user'),
  projectDir: byDefault(textFlag('--project-dir <dir>', 'where the project is'), '.'),
  yes: switchFlag('--yes', 'without asking'),
  dryRun: switchFlag('--dry-run', 'only show what would change'),
};

const wishes = {
  gate: switchFlag('--gate', 'the gate before each tool too (pre-tool-use)'),
  agents: listFlag('--agents <type...>', 'hold sub-agents of these types to the rule too (subagent-stop)'),
  wait: durationFlag(
    '--wait <time>',
    `how long a stop waits for callbacks (default: ${String(DEFAULT_LIMITS.hookWaitMs)}; Claude Code is woken instead)`,
  ),
  url: textFlag('--url <url>', 'write where the service is into the commands (default: COUNTERSIGN_URL)'),
};

const NO_WISHES: Values<typeof wishes> = {
  gate: false,
  agents: [],
  wait: undefined,
  url: undefined,
};

interface Change {
  readonly client: ConnectClient;
  readonly kinds: readonly Kind[];
  readonly connects: boolean;
  readonly wish: Values<typeof wishes>;
}

async function change(what: Change, where: Values<typeof place>, io: CliIo): Promise<number> {
  const { client, kinds, connects, wish } = what;
  const { project, user, projectDir, yes, dryRun } = where;
  if (project && user) throw new UsageError('--project and --user contradict each other');
  checkWish(client, wish);
  const { agents, gate, url, wait: waitMs } = wish;
  const [{ entriesFor }, { filesOf }, { changeConnection }, { realpath }] = await Promise.all([
    import('../../hooks/entries.js'),
    import('../../connect/files.js'),
    import('../../connect/connection.js'),
    import('node:fs/promises'),
  ]);
  const folder = user
    ? null
    : await realpath(projectDir).catch(() => {
        throw new UsageError(`There is no folder ${projectDir}`);
      });
  const entries = entriesFor({ client, gate, agents, waitMs, url });
  const opencode = { gate, waitMs: waitMs ?? DEFAULT_LIMITS.hookWaitMs, url };
  const files = filesOf(client, { project: folder, io }, { entries, ...opencode });
  return changeConnection(files, { kinds: new Set(kinds), connects, yes, dryRun }, io);
}

function checkWish(client: ConnectClient, { url, agents }: Values<typeof wishes>): void {
  if (url !== undefined && !/^https?:\/\/[\w.:[\]/-]+$/.test(url)) {
    throw new UsageError(`Not the URL of a service: ${url}`);
  }
  const odd = agents.find((type) => !/^[\w.:-]+$/.test(type));
  if (odd !== undefined) throw new UsageError(`Not the type of a sub-agent: ${odd}`);
  if (agents.length > 0 && agentClient(client).hooks.events['subagent-stop'] === undefined) {
    throw new UsageError(`${agentClient(client).title} has no hook subagent-stop`);
  }
}

const ALL: readonly Kind[] = ['hooks', 'mcp', 'trust'];

const NOTES =
  'Shows the difference of all files and asks, unless told otherwise. What else is in them stays as it is.';

/** What the user still has to do. */
const CONNECTED: Readonly<Record<ConnectClient, string>> = {
  'claude-code':
    'Claude Code reads its settings when it starts: restart sessions that are open. It asks once whether it may trust a folder that it has not seen.',
  codex: 'Codex reads its settings when it starts: restart sessions that are open.',
  gemini: 'Gemini CLI reads its settings when it starts: restart sessions that are open.',
  opencode: 'opencode reads its settings when it starts: restart it.',
};

const HOOKED: Readonly<Record<ConnectClient, string>> = {
  'claude-code': 'Claude Code reads its hooks when it starts: restart sessions that are open.',
  codex:
    'Codex skips hooks that are not trusted: start it once and trust them with /hooks, or run countersign connect codex. A run without a terminal (codex exec) has nobody to ask: there it takes --dangerously-bypass-hook-trust. Settings of a project count only where the project is trusted.',
  gemini:
    'Gemini CLI asks before it runs hooks of a project that it has not seen, and runs none in a folder that it does not trust.',
  opencode: 'opencode reads its plugins when it starts: restart it.',
};

function clientOf(name: string): ConnectClient {
  const client = AGENT_CLIENT_NAMES.find((one) => one === name);
  if (client !== undefined) return client;
  throw new UsageError(`There is no client ${name}; there are ${AGENT_CLIENT_NAMES.join(', ')}`);
}

export const connectCommand: CommandSpec = plainCommand({
  usage: 'connect <client>',
  summary: `let an agent CLI take part: hooks, MCP server and trust in its settings (${AGENT_CLIENT_NAMES.join(', ')})`,
  flags: { ...place, ...wishes },
  examples: ['countersign connect claude-code', 'countersign connect codex --user --gate --yes'],
  notes: `${NOTES}\ncountersign disconnect gives the files back as they were.`,
  run: async ({ arg, flags, io }) => {
    const client = clientOf(arg(0));
    const code = await change({ client, kinds: ALL, connects: true, wish: flags }, flags, io);
    if (code === 0) io.stderr.write(`${CONNECTED[client]}\n`);
    return code;
  },
});

export const disconnectCommand: CommandSpec = plainCommand({
  usage: 'disconnect <client>',
  summary: 'take out of the settings of an agent CLI what connect wrote',
  flags: place,
  examples: ['countersign disconnect claude-code', 'countersign disconnect codex --user'],
  notes: `${NOTES} A file that was not changed meanwhile is as it was before, byte for byte.`,
  run: ({ arg, flags, io }) =>
    change({ client: clientOf(arg(0)), kinds: ALL, connects: false, wish: NO_WISHES }, flags, io),
});

const clientFlag = required(choiceFlag('--client <client>', 'the agent CLI', AGENT_CLIENT_NAMES));

const install = plainCommand({
  usage: 'install',
  summary: 'write the hooks alone into the settings of an agent CLI (see connect)',
  flags: { client: clientFlag, ...place, ...wishes },
  examples: [
    'countersign hook install --client claude-code --project',
    'countersign hook install --client codex --user --gate --yes',
  ],
  notes: NOTES,
  run: async ({ flags, io }) => {
    const { client } = flags;
    const code = await change({ client, kinds: ['hooks'], connects: true, wish: flags }, flags, io);
    if (code === 0) io.stderr.write(`${HOOKED[client]}\n`);
    return code;
  },
});

const uninstall = plainCommand({
  usage: 'uninstall',
  summary: 'take the hooks out of the settings of an agent CLI',
  flags: { client: clientFlag, ...place },
  examples: ['countersign hook uninstall --client claude-code --project'],
  notes: NOTES,
  run: ({ flags, io }) =>
    change({ client: flags.client, kinds: ['hooks'], connects: false, wish: NO_WISHES }, flags, io),
});

export const hookInstallCommands: readonly CommandSpec[] = [install, uninstall];
