// `countersign hook install` and `uninstall`: hooks in the settings of an agent CLI.
import { CLIENTS, HOOK_CLIENTS, type HookClient } from '../../domain/hooks/clients.js';
import { DEFAULT_LIMITS } from '../../domain/limits.js';
import { plainCommand, type CommandSpec } from '../command.js';
import { byDefault, choiceFlag, durationFlag, listFlag, required, switchFlag, textFlag } from '../flag.js';
import type { HookEntry } from '../hooks/entries.js';
import type { CliIo } from '../io.js';
import { UsageError } from '../usage-error.js';

const common = {
  client: required(choiceFlag('--client <client>', 'the agent CLI', HOOK_CLIENTS)),
  project: switchFlag('--project', 'in the settings of the project; so by default'),
  user: switchFlag('--user', 'in the settings of the user'),
  projectDir: byDefault(textFlag('--project-dir <dir>', 'where the project is'), '.'),
  yes: switchFlag('--yes', 'without asking'),
  dryRun: switchFlag('--dry-run', 'only show what would change'),
};

interface Place {
  readonly client: HookClient;
  readonly project: boolean;
  readonly user: boolean;
  readonly projectDir: string;
  readonly yes: boolean;
  readonly dryRun: boolean;
}

/** @param entries - What is to be there; `null` for nothing of ours. */
async function change(place: Place, entries: readonly HookEntry[] | null, io: CliIo): Promise<number> {
  const { client, project, user, projectDir, yes, dryRun } = place;
  if (project && user) throw new UsageError('--project and --user contradict each other');
  const { changeSettings, settingsFile } = await import('../hooks/settings-file.js');
  const json = await import('../hooks/settings-json.js');
  const toml = await import('../hooks/settings-toml.js');
  const change = (text: string): string => {
    if (client === 'codex') {
      return entries === null ? toml.withoutEntries(text) : toml.withEntries(text, entries);
    }
    return entries === null ? json.withoutEntries(text) : json.withEntries(client, text, entries);
  };
  const file = settingsFile(client, user ? null : projectDir, io);
  return changeSettings({ file, change, yes, dryRun }, io);
}

const TRUST: Readonly<Record<HookClient, string>> = {
  'claude-code': 'Claude Code reads its hooks when it starts: restart sessions that are open.',
  codex:
    'Codex skips hooks that are not trusted: start it once and trust them with /hooks. A run without a terminal (codex exec) has nobody to ask: there it takes --dangerously-bypass-hook-trust. Settings of a project count only where the project is trusted.',
  gemini:
    'Gemini CLI asks before it runs hooks of a project that it has not seen, and runs none in a folder that it does not trust.',
};

const install = plainCommand({
  usage: 'install',
  summary: 'write the hooks into the settings of an agent CLI',
  flags: {
    ...common,
    gate: switchFlag('--gate', 'the gate before each tool too (pre-tool-use)'),
    agents: listFlag('--agents <type...>', 'hold sub-agents of these types to the rule too (subagent-stop)'),
    wait: byDefault(
      durationFlag('--wait <time>', 'how long a stop waits for callbacks'),
      DEFAULT_LIMITS.hookWaitMs,
    ),
    url: textFlag('--url <url>', 'write where the service is into the commands (default: COUNTERSIGN_URL)'),
  },
  examples: [
    'countersign hook install --client claude-code --project',
    'countersign hook install --client codex --user --gate --yes',
  ],
  notes: 'Shows the difference and asks, unless told otherwise. What else is in the file stays as it is.',
  run: async ({ flags, io }) => {
    const { client, agents, gate, wait, url } = flags;
    if (url !== undefined && !/^https?:\/\/[\w.:[\]/-]+$/.test(url)) {
      throw new UsageError(`Not the URL of a service: ${url}`);
    }
    const odd = agents.find((type) => !/^[\w.:-]+$/.test(type));
    if (odd !== undefined) throw new UsageError(`Not the type of a sub-agent: ${odd}`);
    if (agents.length > 0 && CLIENTS[client].events['subagent-stop'] === undefined) {
      throw new UsageError(`${CLIENTS[client].title} has no hook subagent-stop`);
    }
    const { entriesFor } = await import('../hooks/entries.js');
    const code = await change(flags, entriesFor({ client, gate, agents, waitMs: wait, url }), io);
    if (code === 0) io.stderr.write(`${TRUST[client]}\n`);
    return code;
  },
});

const uninstall = plainCommand({
  usage: 'uninstall',
  summary: 'take the hooks out of the settings of an agent CLI',
  flags: common,
  examples: ['countersign hook uninstall --client claude-code --project'],
  notes: 'Shows the difference and asks, unless told otherwise. What else is in the file stays as it is.',
  run: ({ flags, io }) => change(flags, null, io),
});

export const hookInstallCommands: readonly CommandSpec[] = [install, uninstall];
