// Codex settings: one TOML file for hooks and MCP servers, and the user's own file for trust.
import path from 'node:path';
import { stringify } from 'smol-toml';
import type { ClientSettings, Connection, FileOf, SettingsScope } from '../settings/client-settings.js';
import { callsHook, isOurs } from '../settings/hook-commands.js';
import type { HookEntry } from '../settings/hook-entries.js';
import { SettingsError } from '../settings/settings-error.js';
import {
  isOurServer,
  isSame,
  runsOurServer,
  SERVER,
  type Certainty,
  type Kinds,
  type SettingsFile,
} from '../settings/settings-file.js';
import {
  BY_HAND,
  parseToml,
  withoutTable,
  withoutTables,
  withTables,
  type Table,
} from '../settings/toml-edit.js';
import { hooks } from './hooks.js';
import { hookCommands, isTrustIn, isUnchanged, kindOf, tableAt, withoutAt, withoutEntry } from './tables.js';
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
    // The user's file may be that of the project, by a link or because the project is the home folder. Codex then
    // reads it as the user's.
    (after) => trustFile(users, project, after.has(users) ? [file, users] : [file], after),
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
    add: (text, kinds, now) => {
      const former = parseToml(now);
      const hooks = kinds.has('hooks') ? withHooks(text, connection.hooks) : text;
      const server = kinds.has('mcp') ? withServer(hooks, connection.server, former) : hooks;
      return isUsers && kinds.has('trust')
        ? withTrust(server, trustedHooks(file, parseToml(server)), former)
        : server;
    },
    remove: (text, kinds, limit) => withoutOurs(text, kinds, limit, [file]),
    restore: (text) => text,
  };
}

/**
 * The trust in a project and in its hooks, which is in the user's settings.
 *
 * @param hookFiles - The files whose hooks are trusted.
 * @param after - Their new content.
 */
function trustFile(
  file: string,
  folder: string,
  hookFiles: readonly string[],
  after: ReadonlyMap<string, string>,
): SettingsFile {
  const hooksOf = () =>
    [...new Set(hookFiles)].flatMap((one) => trustedHooks(one, parseToml(after.get(one) ?? '')));
  return {
    file,
    owner: folder,
    empty: '',
    meaning: parseToml,
    add: (text, kinds, now) => {
      if (!kinds.has('trust')) return text;
      const { trust_level } = tableAt(parseToml(text), 'projects', folder);
      if (trust_level !== undefined && trust_level !== 'trusted') {
        throw new SettingsError(
          `Codex does not trust ${folder} (trust_level = ${JSON.stringify(trust_level)}); change that there first, or connect with --user`,
        );
      }
      const projects = { [folder]: { trust_level: 'trusted' } };
      const trusting = trust_level === undefined ? withTables(text, [stringify({ projects })]) : text;
      return withTrust(trusting, hooksOf(), parseToml(now));
    },
    remove: (text, kinds) =>
      emptied(
        text,
        withoutTables(
          text,
          (table) =>
            kinds.has('trust') &&
            kindOf(table) === 'trust' &&
            isTrustIn(table, hookFiles, folder) &&
            isSound(table),
          withoutEntry,
        ),
      ),
    restore: (text) => text,
  };
}

/** @throws SettingsError If a user has written such hooks: those would run beside ours. */
function withHooks(text: string, hooks: readonly HookEntry[]): string {
  if (hookCommands(parseToml(text)).some(callsHook)) throw new SettingsError(BY_HAND);
  return withTables(text, hooks.map(hookTable));
}

/** @param former - The settings before our former parts were removed. What a user added to our server stays. */
function withServer(text: string, [command, ...args]: Connection['server'], former: Table): string {
  const ours = { command, args, env_vars: ENV_VARS, default_tools_approval_mode: 'approve', required: true };
  const own = tableAt(former, 'mcp_servers', SERVER);
  const entry = runsOurServer(own) ? { ...ours, ...own, ...ours } : ours;
  const existing = tableAt(parseToml(text), 'mcp_servers')[SERVER];
  if (existing !== undefined) {
    if (isSame(existing, entry)) return text;
    const rest = withoutTable(text, ['mcp_servers', SERVER], withoutServer);
    if (rest === null) {
      throw new SettingsError(
        `The settings have an MCP server ${SERVER} already, in a form that cannot be replaced; remove it by hand`,
      );
    }
    return withServer(rest, [command, ...args], former);
  }
  return withTables(text, [stringify({ mcp_servers: { [SERVER]: entry } })]);
}

/** @param former - As of `withServer`: a user may have switched a hook off. */
function withTrust(text: string, hooks: readonly TrustedHook[], former: Table): string {
  const state = tableAt(parseToml(text), 'hooks', 'state');
  const wanting = hooks.filter(({ key, hash }) => tableAt(state, key)['trusted_hash'] !== hash);
  const odd = wanting.find(({ key }) => state[key] !== undefined);
  if (odd !== undefined) {
    // Codex has stored the hash of an earlier hook at this position.
    const path = ['hooks', 'state', odd.key];
    const rest = withoutTable(text, path, (settings) => withoutAt(settings, path));
    if (rest === null) {
      const header = `hooks.state.${JSON.stringify(odd.key)}`;
      throw new SettingsError(`The settings trust another hook as [${header}]; remove that by hand`);
    }
    return withTrust(rest, hooks, former);
  }
  return withTables(
    text,
    wanting.map(({ key, hash: trusted_hash }) => {
      const { enabled } = tableAt(former, 'hooks', 'state', key);
      const entry = { trusted_hash, ...(enabled === undefined ? {} : { enabled }) };
      return stringify({ hooks: { state: { [key]: entry } } });
    }),
  );
}

/** @param hookFiles - The files whose hooks are trusted by our tables. The trust in others belongs to other projects. */
function withoutOurs(text: string, kinds: Kinds, limit: Certainty, hookFiles: readonly string[]): string {
  const isRemovable = (table: Table) => {
    const kind = kindOf(table);
    return kinds.has(kind) && (kind !== 'trust' || isTrustIn(table, hookFiles)) && isSound(table);
  };
  let rest = withoutTables(text, isRemovable, withoutEntry);
  if (
    limit !== 'marked' &&
    kinds.has('mcp') &&
    isOurServer(tableAt(parseToml(rest), 'mcp_servers')[SERVER])
  ) {
    rest = withoutTable(rest, ['mcp_servers', SERVER], withoutServer) ?? rest;
  }
  if (kinds.has('hooks') && hookCommands(parseToml(rest)).some(isOurs)) throw new SettingsError(BY_HAND);
  return emptied(text, rest);
}

function emptied(text: string, rest: string): string {
  return rest !== text && rest.trim() === '' ? '' : rest;
}

/** @throws SettingsError If a table of ours also holds content of others. */
function isSound(table: Table): boolean {
  if (!isUnchanged(table)) throw new SettingsError(BY_HAND);
  return true;
}

function withoutServer(settings: Table): Table {
  return withoutAt(settings, ['mcp_servers', SERVER]);
}

function hookTable({ event, matcher, command, timeoutMs }: HookEntry): string {
  const head = matcher === null ? '' : stringify({ matcher });
  const hook = stringify({ type: 'command', command, timeout: Math.ceil(timeoutMs / 1000) });
  return `[[hooks.${event}]]\n${head === '' ? '' : `${head.trimEnd()}\n`}[[hooks.${event}.hooks]]\n${hook}`;
}
