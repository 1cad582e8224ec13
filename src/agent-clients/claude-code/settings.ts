// The settings of Claude Code: hooks and permissions in one JSON file, MCP servers in another.
import path from 'node:path';
import type { ClientSettings, Connection, FileOf, SettingsScope } from '../settings/client-settings.js';
import { END_MS, type HookEntry } from '../settings/hook-entries.js';
import { jsonFile } from '../settings/json-file.js';
import { item, member, SERVER, shared, type Part } from '../settings/settings-file.js';
import { names, unlessOff, type OffSwitch } from '../settings/switched-off.js';
import { hooks } from './hooks.js';

export const settings: ClientSettings = {
  hooks: {
    events: hooks.events,
    everyTool: '*',
    wakesWhenIdle: true,
    // It shows the message when that hook ends, while others go on.
    message: { event: 'Stop', matcher: null },
    endMs: END_MS,
  },
  files,
  whenConnected:
    'Claude Code reads its settings when it starts: restart sessions that are open. It asks once whether it may trust a folder that it has not seen.',
  whenHooked: 'Claude Code reads its hooks when it starts: restart sessions that are open.',
};

const SWITCHES: readonly OffSwitch[] = [
  { kind: 'hooks', path: ['disableAllHooks'], isOff: (value) => value === true },
  { kind: 'mcp', path: ['disabledMcpjsonServers'], isOff: names },
];

function files(scope: SettingsScope, connection: Connection): readonly FileOf[] {
  const [command, ...args] = connection.server;
  const folder = settingsFolder(scope);
  const parts = [
    ...connection.hooks.map(hookPart),
    item('trust', ['permissions', 'allow'], `mcp__${SERVER}`),
    item('trust', ['permissions', 'allow'], `Bash(${SERVER} state:*)`),
  ];
  // Otherwise a turn that begins before the server is ready has no tools of it.
  const server = member('mcp', ['mcpServers', SERVER], { command, args, alwaysLoad: true });
  const both = [
    unlessOff(jsonFile(path.join(folder, 'settings.json'), parts), SWITCHES),
    jsonFile(serversFile(scope), [server]),
  ];
  const { project } = scope;
  if (project === null) return both.map((file) => () => file);
  const trusted = member('trust', ['projects', project, 'hasTrustDialogAccepted'], true);
  return [
    ...both,
    // Every user of the project has to approve its servers, and trust the project, in a file of their own.
    unlessOff(
      jsonFile(path.join(folder, 'settings.local.json'), [item('trust', ['enabledMcpjsonServers'], SERVER)]),
      SWITCHES,
    ),
    { ...jsonFile(serversFile({ ...scope, project: null }), [shared(trusted)]), owner: project },
  ].map((file) => () => file);
}

function hookPart({ event, matcher, command, timeoutMs, wakes = false }: HookEntry): Part {
  const timeout = Math.ceil(timeoutMs / 1000);
  const hooks = [{ type: 'command', command, timeout, ...(wakes ? { asyncRewake: true } : {}) }];
  return item('hooks', ['hooks', event], matcher === null ? { hooks } : { matcher, hooks });
}

function settingsFolder({ project, environment, home }: SettingsScope): string {
  if (project !== null) return path.join(project, '.claude');
  const own = environment['CLAUDE_CONFIG_DIR'] ?? '';
  return path.resolve(own === '' ? path.join(home, '.claude') : own);
}

/**
 * The user's servers: beside the settings folder at its default location, or inside a folder that
 * CLAUDE_CONFIG_DIR names.
 */
function serversFile({ project, environment, home }: SettingsScope): string {
  if (project !== null) return path.join(project, '.mcp.json');
  const own = environment['CLAUDE_CONFIG_DIR'] ?? '';
  return path.join(own === '' ? home : path.resolve(own), '.claude.json');
}
