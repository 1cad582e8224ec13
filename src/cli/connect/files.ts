// The files of each client that a connection changes, and the parts of each file.
import path from 'node:path';
import type { AgentClientName } from '../../agent-clients/names.js';
import type { JsonValue } from '../../domain/json/json.js';
import type { HookEntry } from '../hooks/entries.js';
import { codexSettings, codexTrust } from './codex.js';
import { jsonFile } from './json-file.js';
import { pluginFile } from './opencode-plugin.js';
import { SERVER, type Kind, type Part, type SettingsFile } from './parts.js';
import {
  claudeFolder,
  claudeServersFile,
  codexFile,
  geminiFolder,
  opencodeFile,
  opencodeFolder,
  type Scope,
} from './places.js';

/** Every client with hooks, as commands or through our plugin. */
export type ConnectClient = AgentClientName;

export interface Wish {
  readonly entries: readonly HookEntry[];
  readonly gate: boolean;
  readonly waitMs: number;
  readonly url: string | undefined;
}

/** A file, given the new content of the files before it. */
export type FileOf = (after: ReadonlyMap<string, string>) => SettingsFile;

/** The files of a client in one scope, in the order in which they must be changed. */
export function filesOf(client: ConnectClient, scope: Scope, wish: Wish): readonly FileOf[] {
  const server: [string, ...string[]] = [
    SERVER,
    'mcp',
    ...(wish.url === undefined ? [] : ['--url', wish.url]),
  ];
  switch (client) {
    case 'claude-code':
      return claudeFiles(scope, wish, server);
    case 'codex':
      return codexFiles(scope, wish, server);
    case 'gemini':
      return geminiFiles(scope, wish, server);
    case 'opencode':
      return opencodeFiles(scope, wish, server);
  }
}

type Server = readonly [string, ...string[]];

function claudeFiles(scope: Scope, { entries }: Wish, [command, ...args]: Server): readonly FileOf[] {
  const folder = claudeFolder(scope);
  const settings = [
    ...hookParts('claude-code', entries),
    item('trust', ['permissions', 'allow'], `mcp__${SERVER}`),
    item('trust', ['permissions', 'allow'], `Bash(${SERVER} state:*)`),
  ];
  // Otherwise a turn that begins before the server is ready has no tools of it.
  const server = member('mcp', ['mcpServers', SERVER], { command, args, alwaysLoad: true });
  const { project } = scope;
  if (project === null) {
    return [
      jsonFile(path.join(folder, 'settings.json'), settings),
      jsonFile(claudeServersFile(scope), [server]),
    ].map(always);
  }
  const trusted = member('trust', ['projects', project, 'hasTrustDialogAccepted'], true);
  return [
    jsonFile(path.join(folder, 'settings.json'), settings),
    jsonFile(claudeServersFile(scope), [server]),
    // Every user of the project has to approve its servers, and trust the project, in a file of their own.
    jsonFile(path.join(folder, 'settings.local.json'), [item('trust', ['enabledMcpjsonServers'], SERVER)]),
    jsonFile(claudeServersFile({ ...scope, project: null }), [shared(trusted)]),
  ].map(always);
}

function codexFiles(scope: Scope, { entries }: Wish, server: Server): readonly FileOf[] {
  const { project } = scope;
  const file = codexFile(scope);
  const settings = always(codexSettings(file, { entries, server }, project === null));
  if (project === null) return [settings];
  const users = codexFile({ ...scope, project: null });
  return [settings, (after) => codexTrust(users, { folder: project, file, settings: after.get(file) ?? '' })];
}

function geminiFiles(scope: Scope, { entries }: Wish, [command, ...args]: Server): readonly FileOf[] {
  const { project } = scope;
  const settings = jsonFile(path.join(geminiFolder(scope), 'settings.json'), [
    ...hookParts('gemini', entries),
    // `trust`: the client calls the tools of the server without asking.
    member('mcp', ['mcpServers', SERVER], { command, args, trust: true }),
  ]);
  if (project === null) return [always(settings)];
  const users = geminiFolder({ ...scope, project: null });
  const trusted = entries.map(({ command: line }) => item('trust', [project], `${SERVER}:${line}`));
  return [
    settings,
    jsonFile(path.join(users, 'trustedFolders.json'), [shared(member('trust', [project], 'TRUST_FOLDER'))]),
    jsonFile(path.join(users, 'trusted_hooks.json'), trusted),
  ].map(always);
}

function opencodeFiles(scope: Scope, wish: Wish, command: Server): readonly FileOf[] {
  const entry = { type: 'local', command: [...command], enabled: true };
  return [
    jsonFile(opencodeFile(scope), [member('mcp', ['mcp', SERVER], entry)]),
    pluginFile(path.join(opencodeFolder(scope), 'plugin', 'countersign.js'), wish),
  ].map(always);
}

function hookParts(client: AgentClientName, entries: readonly HookEntry[]): readonly Part[] {
  return entries.map(({ event, matcher, command, timeoutMs, wakes = false }) => {
    const timeout = client === 'gemini' ? timeoutMs : Math.ceil(timeoutMs / 1000);
    const named = client === 'gemini' ? { name: SERVER } : {};
    const hooks = [{ type: 'command', command, ...named, timeout, ...(wakes ? { asyncRewake: true } : {}) }];
    return item('hooks', ['hooks', event], matcher === null ? { hooks } : { matcher, hooks });
  });
}

function item(kind: Kind, place: readonly string[], value: JsonValue): Part {
  return { kind, path: place, value, isItem: true, certainty: kind === 'hooks' ? 'marked' : 'named' };
}

function member(kind: Kind, place: readonly string[], value: JsonValue): Part {
  return { kind, path: place, value, isItem: false, certainty: 'named' };
}

function shared(part: Part): Part {
  return { ...part, certainty: 'shared' };
}

function always(file: SettingsFile): FileOf {
  return () => file;
}
