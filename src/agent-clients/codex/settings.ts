// Codex settings: one TOML file for hooks and MCP servers, and the user's own file for trust.
import path from 'node:path';
import { stringify } from 'smol-toml';
import type { ClientSettings, Connection, FileOf, SettingsScope } from '../settings/client-settings.js';
import { isOurs, type HookEntry } from '../settings/hook-entries.js';
import { SettingsError } from '../settings/settings-error.js';
import {
  isOurServer,
  isSame,
  SERVER,
  type Certainty,
  type Kinds,
  type SettingsFile,
} from '../settings/settings-file.js';
import { parseToml, withoutTable, withoutTables, withTables, type Table } from '../settings/toml-edit.js';
import { hooks } from './hooks.js';
import { trustedHooks, type TrustedHook } from './trust.js';

/** The only variables of its environment that Codex passes to a server on stdio. */
const ENV_VARS = [
  'COUNTERSIGN_URL',
  'COUNTERSIGN_TOKEN',
  'AGENT_SESSION_ID',
  'AGENT_SESSION_NAME',
  'WORKFLOW_STATE_ID',
];

/** Codex ends this hook after 3 s at most, and computes the hash of a trusted hook with that. */
const END_MS = 3_000;

export const settings: ClientSettings = {
  hooks: {
    events: hooks.events,
    everyTool: '.*',
    wakesWhenIdle: false,
    // It shows a message when all hooks of the event have ended, so that a stop is too late.
    message: { event: 'PostToolUse', matcher: '^mcp__countersign__(start|resume)_agent_session$' },
    endMs: END_MS,
  },
  files,
  whenConnected: 'Codex reads its settings when it starts: restart sessions that are open.',
  whenHooked:
    'Codex skips hooks that are not trusted: start it once and trust them with /hooks, or run countersign connect codex. A run without a terminal (codex exec) has nobody to ask: there it takes --dangerously-bypass-hook-trust. Settings of a project count only where the project is trusted.',
};

function files(scope: SettingsScope, connection: Connection): readonly FileOf[] {
  const { project } = scope;
  const file = settingsPath(scope);
  const hooksAndServer = settingsFile(file, connection, project === null);
  if (project === null) return [() => hooksAndServer];
  const users = settingsPath({ ...scope, project: null });
  return [
    () => hooksAndServer,
    (after) => trustFile(users, { folder: project, file, settings: after.get(file) ?? '' }),
  ];
}

function settingsPath({ project, environment, home }: SettingsScope): string {
  if (project !== null) return path.join(project, '.codex', 'config.toml');
  const own = environment['CODEX_HOME'] ?? '';
  return path.join(path.resolve(own === '' ? path.join(home, '.codex') : own), 'config.toml');
}

/** Settings with hooks and server. The user's own settings also hold the trust in these hooks. */
function settingsFile(file: string, connection: Connection, isUsers: boolean): SettingsFile {
  return {
    file,
    empty: '',
    meaning: parseToml,
    add: (text, kinds) => {
      parseToml(text);
      const hooks = kinds.has('hooks') ? withTables(text, connection.hooks.map(hookTable)) : text;
      const server = kinds.has('mcp') ? withServer(hooks, connection.server) : hooks;
      return isUsers && kinds.has('trust')
        ? withTrust(server, trustedHooks(file, parseToml(server)))
        : server;
    },
    remove: withoutOurs,
  };
}

/**
 * The trust in a project and in its hooks, which is in the user's settings.
 *
 * @param settings - Text of the project's settings after the change.
 */
function trustFile(
  file: string,
  project: { readonly folder: string; readonly file: string; readonly settings: string },
): SettingsFile {
  return {
    file,
    empty: '',
    meaning: parseToml,
    add: (text, kinds) => {
      if (!kinds.has('trust')) return text;
      const { trust_level } = tableAt(parseToml(text), 'projects', project.folder);
      if (trust_level !== undefined && trust_level !== 'trusted') {
        throw new SettingsError(
          `Codex does not trust ${project.folder} (trust_level = ${JSON.stringify(trust_level)}); change that there first, or connect with --user`,
        );
      }
      const folder = { projects: { [project.folder]: { trust_level: 'trusted' } } };
      const trusting = trust_level === undefined ? withTables(text, [stringify(folder)]) : text;
      return withTrust(trusting, trustedHooks(project.file, parseToml(project.settings)));
    },
    remove: withoutOurs,
  };
}

function withServer(text: string, [command, ...args]: Connection['server']): string {
  const entry = { command, args, env_vars: ENV_VARS, default_tools_approval_mode: 'approve', required: true };
  const there = tableAt(parseToml(text), 'mcp_servers')[SERVER];
  if (there !== undefined) {
    if (isSame(there, entry)) return text;
    const rest = withoutTable(text, `mcp_servers.${SERVER}`, withoutServer);
    if (rest === null) {
      throw new SettingsError(
        `The settings have an MCP server ${SERVER} already, in a form that cannot be replaced; remove it by hand`,
      );
    }
    return withServer(rest, [command, ...args]);
  }
  return withTables(text, [stringify({ mcp_servers: { [SERVER]: entry } })]);
}

function withTrust(text: string, hooks: readonly TrustedHook[]): string {
  const state = tableAt(parseToml(text), 'hooks', 'state');
  const wanting = hooks.filter(({ key, hash }) => tableAt(state, key)['trusted_hash'] !== hash);
  const odd = wanting.find(({ key }) => state[key] !== undefined);
  const header = odd === undefined ? null : `hooks.state.${JSON.stringify(odd.key)}`;
  if (header !== null) {
    // Codex has stored the hash of an earlier hook at this position.
    const rest = withoutTable(text, header, (settings) => withoutState(settings, odd?.key ?? ''));
    if (rest === null)
      throw new SettingsError(`The settings trust another hook as [${header}]; remove that by hand`);
    return withTrust(rest, hooks);
  }
  return withTables(
    text,
    wanting.map(({ key, hash }) => stringify({ hooks: { state: { [key]: { trusted_hash: hash } } } })),
  );
}

function withoutOurs(text: string, kinds: Kinds, limit: Certainty): string {
  const before = parseToml(text);
  let rest = withoutTables(text, (table) => kinds.has(kindOf(table)));
  if (
    limit !== 'marked' &&
    kinds.has('mcp') &&
    isOurServer(tableAt(parseToml(rest), 'mcp_servers')[SERVER])
  ) {
    rest = withoutTable(rest, `mcp_servers.${SERVER}`, withoutServer) ?? rest;
  }
  const after = parseToml(rest);
  if (kinds.has('hooks') && (hasOurHook(after) || !isSame(othersHooks(after), othersHooks(before)))) {
    throw new SettingsError(BY_HAND);
  }
  return rest !== text && rest.trim() === '' ? '' : rest;
}

const BY_HAND =
  'The settings have hooks of Countersign that were changed by hand; remove those by hand first (countersign hook)';

function kindOf(table: Table): 'hooks' | 'mcp' | 'trust' {
  if (table['mcp_servers'] !== undefined) return 'mcp';
  const isTrust = table['projects'] !== undefined || tableAt(table, 'hooks')['state'] !== undefined;
  return isTrust ? 'trust' : 'hooks';
}

function hookTable({ event, matcher, command, timeoutMs }: HookEntry): string {
  const head = matcher === null ? '' : stringify({ matcher });
  const hook = stringify({ type: 'command', command, timeout: Math.ceil(timeoutMs / 1000) });
  return `[[hooks.${event}]]\n${head === '' ? '' : `${head.trimEnd()}\n`}[[hooks.${event}.hooks]]\n${hook}`;
}

function hasOurHook(settings: Table): boolean {
  return trustedHooks('', settings).length > 0;
}

/** Commands of other hooks, by event. */
function othersHooks(settings: Table): unknown {
  const events = Object.entries(tableAt(settings, 'hooks')).filter(([event]) => event !== 'state');
  return events.flatMap(([event, groups]) => {
    const others = (Array.isArray(groups) ? groups : []).flatMap((group: unknown) => {
      const { hooks } = tableAt({ group }, 'group');
      const commands: unknown[] = Array.isArray(hooks) ? hooks : [];
      return commands.filter((one) => !isOurs(tableAt({ one }, 'one')['command']));
    });
    return others.length === 0 ? [] : [[event, others]];
  });
}

function withoutServer(settings: Table): unknown {
  const others = without(tableAt(settings, 'mcp_servers'), SERVER);
  const rest = without(settings, 'mcp_servers');
  return Object.keys(others).length === 0 ? rest : { ...rest, mcp_servers: others };
}

function withoutState(settings: Table, key: string): unknown {
  const others = without(tableAt(settings, 'hooks', 'state'), key);
  const hooks = without(tableAt(settings, 'hooks'), 'state');
  const rest = without(settings, 'hooks');
  const left = Object.keys(others).length === 0 ? hooks : { ...hooks, state: others };
  return Object.keys(left).length === 0 ? rest : { ...rest, hooks: left };
}

function without(table: Table, name: string): Table {
  return Object.fromEntries(Object.entries(table).filter(([one]) => one !== name));
}

function tableAt(settings: Table, ...path: readonly string[]): Table {
  return path.reduce<Table>((table, name) => {
    const value = table[name];
    return typeof value === 'object' && value !== null ? { ...value } : {};
  }, settings);
}
