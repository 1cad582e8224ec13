// Which tables of Codex settings are ours, and the parsed settings without them.
import { isOurs } from '../settings/hook-commands.js';
import { isSame, runsOurServer, SERVER, type Kind } from '../settings/settings-file.js';
import type { Table } from '../settings/toml-edit.js';

/** The kind of a table of ours. */
export function kindOf(table: Table): Kind {
  if (table['mcp_servers'] !== undefined) return 'mcp';
  const isTrust = table['projects'] !== undefined || tableAt(table, 'hooks')['state'] !== undefined;
  return isTrust ? 'trust' : 'hooks';
}

/** True if a table of trust is about hooks in these files, or about this folder. */
export function isTrustIn(table: Table, hookFiles: readonly string[], folder?: string): boolean {
  const keys = Object.keys(tableAt(table, 'hooks', 'state'));
  return (
    keys.some((key) => hookFiles.some((file) => key.startsWith(`${file}:`))) ||
    Object.keys(tableAt(table, 'projects')).some((one) => one === folder)
  );
}

/**
 * True if a table of ours holds nothing of others. The settings of our server and the switch of a hook belong to the
 * table, whoever wrote them.
 */
export function isUnchanged(table: Table): boolean {
  const { mcp_servers, projects, hooks, ...others } = table;
  const { state, ...events } = tableOf(hooks);
  return (
    Object.keys(others).length === 0 &&
    Object.entries(tableOf(mcp_servers)).every(
      ([name, server]) => name === SERVER && runsOurServer(server),
    ) &&
    itemsOf(projects).every((project) => hasOnly(project, ['trust_level'])) &&
    itemsOf(state).every((one) => hasOnly(one, ['trusted_hash', 'enabled'])) &&
    Object.values(events).flatMap(itemsOf).every(isOurGroup)
  );
}

/** The commands of all hooks. */
export function hookCommands(settings: Table): readonly unknown[] {
  return Object.values(tableAt(settings, 'hooks'))
    .flatMap(itemsOf)
    .flatMap((group) => itemsOf(tableOf(group)['hooks']))
    .map((hook) => tableOf(hook)['command']);
}

function isOurGroup(group: unknown): boolean {
  const commands = itemsOf(tableOf(group)['hooks']);
  return (
    hasOnly(group, ['matcher', 'hooks']) &&
    commands.every((one) => hasOnly(one, ['type', 'command', 'timeout'])) &&
    commands.every((one) => isOurs(tableOf(one)['command']))
  );
}

/** The settings without the entry of a table of ours. */
export function withoutEntry(settings: Table, table: Table): Table {
  const { mcp_servers, projects, hooks } = table;
  if (mcp_servers !== undefined) return withoutAt(settings, ['mcp_servers', SERVER]);
  if (projects !== undefined) return withoutAt(settings, ['projects', nameIn(projects)]);
  const event = nameIn(hooks);
  if (event === 'state') {
    return withoutAt(settings, ['hooks', 'state', nameIn(tableAt(table, 'hooks', 'state'))]);
  }
  const all = tableAt(settings, 'hooks');
  const groups = itemsOf(all[event]);
  const [group] = itemsOf(tableAt(table, 'hooks')[event]);
  const at = groups.findIndex((one) => isSame(one, group));
  return { ...settings, hooks: { ...all, [event]: groups.filter((_, index) => index !== at) } };
}

/** The settings without the member at a path, and without parents that held nothing else. */
export function withoutAt(settings: Table, [name = '', ...inner]: readonly string[]): Table {
  const rest = Object.fromEntries(Object.entries(settings).filter(([one]) => one !== name));
  if (inner.length === 0) return rest;
  const remaining = withoutAt(tableAt(settings, name), inner);
  return Object.keys(remaining).length === 0 ? rest : { ...rest, [name]: remaining };
}

export function tableAt(settings: Table, ...path: readonly string[]): Table {
  return path.reduce<Table>((table, name) => tableOf(table[name]), settings);
}

/** The members of a table or list; none of anything else. */
export function tableOf(value: unknown): Table {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function itemsOf(value: unknown): readonly unknown[] {
  return Object.values(tableOf(value));
}

function nameIn(table: unknown): string {
  return Object.keys(tableOf(table))[0] ?? '';
}

function hasOnly(value: unknown, names: readonly string[]): boolean {
  return Object.keys(tableOf(value)).every((name) => names.includes(name));
}
