// The settings of opencode: a JSON file for MCP servers, and our plugin instead of hook commands.
import path from 'node:path';
import type { ClientSettings, Connection, FileOf, SettingsScope } from '../settings/client-settings.js';
import { END_MS } from '../settings/hook-entries.js';
import { jsonFile } from '../settings/json-file.js';
import { member, SERVER } from '../settings/settings-file.js';
import { hooks } from './hooks.js';
import { pluginFile } from './plugin.js';

export const settings: ClientSettings = {
  // The plugin runs the hook commands and shows their messages.
  hooks: { events: hooks.events, everyTool: '', wakesWhenIdle: false, message: null, endMs: END_MS },
  files,
  whenConnected: 'opencode reads its settings when it starts: restart it.',
  whenHooked: 'opencode reads its plugins when it starts: restart it.',
};

function files(scope: SettingsScope, connection: Connection): readonly FileOf[] {
  const server = { type: 'local', command: [...connection.server], enabled: true };
  return [
    jsonFile(settingsFile(scope), [member('mcp', ['mcp', SERVER], server)]),
    pluginFile(path.join(settingsFolder(scope), 'plugin', 'countersign.js'), connection),
  ].map((file) => () => file);
}

/** The existing file of the two names; opencode.json if there is none. */
function settingsFile(scope: SettingsScope): string {
  const folder = scope.project ?? settingsFolder(scope);
  const names = ['opencode.json', 'opencode.jsonc'].map((name) => path.join(folder, name));
  return names.find((name) => scope.exists(name)) ?? path.join(folder, 'opencode.json');
}

function settingsFolder({ project, environment, home }: SettingsScope): string {
  if (project !== null) return path.join(project, '.opencode');
  const config = environment['XDG_CONFIG_HOME'] ?? '';
  return path.join(path.isAbsolute(config) ? config : path.join(home, '.config'), 'opencode');
}
