// The settings of Gemini CLI: one JSON file for hooks and MCP servers, and two of the user for trust.
import path from 'node:path';
import type { ClientSettings, Connection, FileOf, SettingsScope } from '../settings/client-settings.js';
import { END_MS, type HookEntry } from '../settings/hook-entries.js';
import { valueAt } from '../settings/json-edit.js';
import { jsonFile } from '../settings/json-file.js';
import { SettingsError } from '../settings/settings-error.js';
import { item, member, SERVER, shared, type Part, type SettingsFile } from '../settings/settings-file.js';
import { names, unlessOff, type OffSwitch } from '../settings/switched-off.js';
import { hooks } from './hooks.js';

export const settings: ClientSettings = {
  hooks: {
    events: hooks.events,
    everyTool: '.*',
    wakesWhenIdle: false,
    // It shows a message when all hooks of the event have ended, so that a stop is too late.
    message: { event: 'AfterTool', matcher: '^mcp_countersign_(start|resume)_agent_session$' },
    endMs: END_MS,
  },
  files,
  whenConnected: 'Gemini CLI reads its settings when it starts: restart sessions that are open.',
  whenHooked:
    'Gemini CLI asks before it runs hooks of a project that it has not seen, and runs none in a folder that it does not trust.',
};

const SWITCHES: readonly OffSwitch[] = [
  { kind: 'hooks', path: ['hooksConfig', 'enabled'], isOff: (value) => value === false },
  { kind: 'hooks', path: ['hooksConfig', 'disabled'], isOff: names },
  { kind: 'mcp', path: ['mcp', 'excluded'], isOff: names },
  { kind: 'mcp', path: ['mcp', 'allowed'], isOff: (value) => Array.isArray(value) && !names(value) },
];

function files(scope: SettingsScope, connection: Connection): readonly FileOf[] {
  const [command, ...args] = connection.server;
  const { project } = scope;
  const parts = [
    ...connection.hooks.map(hookPart),
    // `trust`: the client calls the tools of the server without asking.
    member('mcp', ['mcpServers', SERVER], { command, args, trust: true }),
  ];
  const file = unlessOff(jsonFile(path.join(settingsFolder(scope), 'settings.json'), parts), SWITCHES);
  if (project === null) return [() => file];
  const users = settingsFolder({ ...scope, project: null });
  const trusted = connection.hooks.map((hook) => item('trust', [project], `${SERVER}:${hook.command}`));
  return [
    file,
    foldersFile(path.join(users, 'trustedFolders.json'), project),
    { ...jsonFile(path.join(users, 'trusted_hooks.json'), trusted), owner: project },
  ].map((one) => () => one);
}

/** The trust in folders. What a user has decided about this folder stays. */
function foldersFile(file: string, folder: string): SettingsFile {
  const trusting = jsonFile(file, [shared(member('trust', [folder], 'TRUST_FOLDER'))]);
  return {
    ...trusting,
    owner: folder,
    add: (text, kinds, now) => {
      const level = valueAt(text, [folder]);
      if (kinds.has('trust') && level === 'DO_NOT_TRUST') {
        throw new SettingsError(
          `Gemini CLI does not trust ${folder} (DO_NOT_TRUST); change that there first, or connect with --user`,
        );
      }
      // The parent of the folder is trusted, and so is the folder.
      return level === 'TRUST_PARENT' ? text : trusting.add(text, kinds, now);
    },
  };
}

function hookPart({ event, matcher, command, timeoutMs }: HookEntry): Part {
  const hooks = [{ type: 'command', command, name: SERVER, timeout: timeoutMs }];
  return item('hooks', ['hooks', event], matcher === null ? { hooks } : { matcher, hooks });
}

function settingsFolder({ project, environment, home }: SettingsScope): string {
  if (project !== null) return path.join(project, '.gemini');
  const own = environment['GEMINI_CLI_HOME'] ?? '';
  return path.join(own === '' ? home : path.resolve(own), '.gemini');
}
