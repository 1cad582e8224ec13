// Hooks, MCP servers and permissions in a JSON settings file. Adds and removes only our own parts.
import { callsHook, isOurs } from './hook-commands.js';
import { SettingsError } from './settings-error.js';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../domain/json/json.js';
import {
  appendItem,
  hasCommentBeside,
  parseJson,
  removeAt,
  setMember,
  valueAt,
  type Path,
} from './json-edit.js';
import {
  isOurServer,
  isSame,
  isWithin,
  item,
  runsOurServer,
  SERVER,
  type Certainty,
  type Part,
  type SettingsFile,
} from './settings-file.js';

export function jsonFile(file: string, parts: readonly Part[]): SettingsFile {
  return {
    file,
    empty: '{}\n',
    meaning: parseJson,
    add: (text, kinds, now) => {
      objectOf(parseJson(text), '');
      const added = parts.filter(({ kind }) => kinds.has(kind)).map((part) => withAdded(part, now));
      checkEvents(text, added);
      const free = kinds.has('hooks') ? withoutHooks(text, isUsers) : text;
      return added.reduce(withPart, free.trim() === '' && added.length > 0 ? '{}\n' : free);
    },
    remove: (text, kinds, limit) => {
      objectOf(parseJson(text), '');
      const own = parts.filter(
        ({ kind, path, certainty }) => kinds.has(kind) && path[0] !== 'hooks' && isWithin(certainty, limit),
      );
      const rest = own.reduce(
        (changed, part) => withoutPart(changed, part, limit),
        kinds.has('hooks') ? withoutHooks(text, isOurs) : text,
      );
      return rest !== text && /^\s*\{\s*\}\s*$/.test(rest) ? '' : rest;
    },
    restore: (text, before) => {
      const replaced = [...hooksIn(before), ...servers(parts, before, text)];
      return replaced.reduce(withPart, text === '' && replaced.length > 0 ? '{}\n' : text);
    },
  };
}

/** Our server, with the members that a user added to an earlier one of ours. */
function withAdded(part: Part, now: string): Part {
  if (!isServerPath(part.path) || !isJsonObject(part.value)) return part;
  const existing = valueAt(now, part.path);
  if (!runsOurServer(existing) || !isJsonObject(existing)) return part;
  return { ...part, value: { ...part.value, ...existing, ...part.value } };
}

function isServerPath(path: Path): boolean {
  return path.at(-2) === 'mcpServers' || path.at(-2) === 'mcp';
}

function withPart(text: string, { path, value, isItem }: Part): string {
  const existing = valueAt(text, path);
  if (!isItem) return isSame(existing, value) ? text : setMember(text, path, value);
  return Array.isArray(existing) && existing.some((one) => isSame(one, value))
    ? text
    : appendItem(text, path, value);
}

function withoutPart(text: string, part: Part, limit: Certainty): string {
  const { path, value, isItem } = part;
  const existing = valueAt(text, path);
  if (!isItem) {
    const isIts = isServerPath(path) ? isServerWithin(limit, existing) : isSame(existing, value);
    return isIts ? pruned(text, path) : text;
  }
  const at = Array.isArray(existing) ? existing.findIndex((one) => isOurItem(one, value)) : -1;
  return at < 0 ? text : withoutPart(pruned(text, [...path, at]), part, limit);
}

/** A server with another command line is ours only if there was none before ours: then a user has changed ours. */
function isServerWithin(limit: Certainty, server: unknown): boolean {
  return isOurServer(server) || (limit === 'shared' && runsOurServer(server));
}

/** Gemini CLI trusts a hook by name and command, and an earlier command may have had other flags. */
function isOurItem(item: unknown, value: unknown): boolean {
  if (isSame(item, value)) return true;
  return typeof item === 'string' && item.startsWith(`${SERVER}:`) && isOurs(item.slice(SERVER.length + 1));
}

/** Removes a value, together with parents that held nothing else, not even a comment. */
function pruned(text: string, path: Path): string {
  let largest = path;
  while (largest.length > 1) {
    const around = valueAt(text, largest.slice(0, -1));
    const size = typeof around === 'object' && around !== null ? Object.keys(around).length : 0;
    if (size > 1 || hasCommentBeside(text, largest)) break;
    largest = largest.slice(0, -1);
  }
  return removeAt(text, largest);
}

/** Also removes such hooks from groups that hold other hooks. */
function withoutHooks(text: string, goes: (command: unknown) => boolean): string {
  let changed = text;
  for (;;) {
    const path = firstHook(changed, goes);
    if (path === null) return changed;
    changed = pruned(changed, path);
  }
}

interface HookGroup {
  readonly event: string;
  readonly index: number;
  readonly group: JsonObject;
  readonly hooks: readonly JsonValue[];
}

/** The groups of hooks in a text. What has another form is passed over: `disabled` of Gemini CLI is a list of names. */
function hookGroups(text: string): readonly HookGroup[] {
  const events = valueAt(text, ['hooks']);
  return Object.entries(isJsonObject(events) ? events : {}).flatMap(([event, groups]) =>
    (isJsonArray(groups) ? groups : []).flatMap((group, index) => {
      if (!isJsonObject(group) || !isJsonArray(group['hooks'])) return [];
      return [{ event, index, group, hooks: group['hooks'] }];
    }),
  );
}

/** A hook of a user that does the same as ours: it is replaced, and `restore` adds it again. */
const isUsers = (command: unknown) => callsHook(command) && !isOurs(command);

const commandOf = (hook: JsonValue) => (isJsonObject(hook) ? hook['command'] : undefined);

/** The hooks in a text that `add` replaces, each group without other hooks. */
function hooksIn(text: string): readonly Part[] {
  return hookGroups(text).flatMap(({ event, group, hooks }) => {
    const replaced = hooks.filter((one) => callsHook(commandOf(one)));
    return replaced.length === 0 ? [] : [item('hooks', ['hooks', event], { ...group, hooks: replaced })];
  });
}

/** Our servers, with the content of the text before. One that a user has changed to another since is left out. */
function servers(parts: readonly Part[], before: string, now: string): readonly Part[] {
  return parts.flatMap((part) => {
    if (!isServerPath(part.path)) return [];
    const [value, current] = [valueAt(before, part.path), valueAt(now, part.path)];
    const isTaken = current !== undefined && !isOurServer(current);
    return value === undefined || isTaken ? [] : [{ ...part, value }];
  });
}

function firstHook(text: string, goes: (command: unknown) => boolean): Path | null {
  eventsOf(text);
  for (const { event, index, hooks } of hookGroups(text)) {
    const at = hooks.findIndex((one) => goes(commandOf(one)));
    if (at < 0) continue;
    return hooks.length > 1 ? ['hooks', event, index, 'hooks', at] : ['hooks', event, index];
  }
  return null;
}

/** @throws SettingsError If the text is not a settings file, or its hooks are no object. */
function eventsOf(text: string): Readonly<Record<string, unknown>> {
  return objectOf(objectOf(parseJson(text), '')['hooks'], '/hooks');
}

/** @throws SettingsError If an event of ours is no list of groups of hooks. */
function checkEvents(text: string, parts: readonly Part[]): void {
  const events = eventsOf(text);
  for (const event of new Set(parts.flatMap(({ path }) => (path[0] === 'hooks' ? path.slice(1) : [])))) {
    for (const group of listOf(events[event], `/hooks/${event}`)) {
      const commands = listOf(objectOf(group, `/hooks/${event}`)['hooks'], `/hooks/${event}/hooks`);
      for (const one of commands) objectOf(one, `/hooks/${event}/hooks`);
    }
  }
}

function objectOf(value: unknown, location: string): Readonly<Record<string, unknown>> {
  if (value === undefined) return {};
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new SettingsError(
    `The settings have something else than an object at ${location === '' ? 'the top' : location}`,
  );
}

function listOf(value: unknown, location: string): readonly unknown[] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value;
  throw new SettingsError(`The settings have something else than a list at ${location}`);
}
