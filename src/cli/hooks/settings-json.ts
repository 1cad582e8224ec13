// Hooks in a JSON settings file (Claude Code, Gemini CLI). Only what is ours is put in and taken out: comments, order
// and everything else stay; a list that an entry joins is laid out anew.
import jsonc, { type JSONPath, type ModificationOptions, type ParseError } from 'jsonc-parser';
import type { HookClient } from '../../domain/hooks/clients.js';
import { UsageError } from '../usage-error.js';
import { isOurs, type HookEntry } from './entries.js';

const OPTIONS: ModificationOptions = { formattingOptions: { insertSpaces: true, tabSize: 2, eol: '\n' } };
const READING = { allowTrailingComma: true, disallowComments: false };

/** The text with these entries in place of ours that it has. @throws UsageError Where it is no settings file. */
export function withEntries(client: HookClient, text: string, entries: readonly HookEntry[]): string {
  let changed = withoutEntries(text);
  if (changed.trim() === '') changed = '{}\n';
  for (const entry of entries) {
    const inserting = { ...OPTIONS, isArrayInsertion: true };
    changed = edited(changed, ['hooks', entry.event, -1], groupOf(client, entry), inserting);
  }
  return changed;
}

/** The text without what is ours; empty where nothing else was in it. @throws UsageError Likewise. */
export function withoutEntries(text: string): string {
  let changed = text;
  for (;;) {
    const path = firstOfOurs(changed);
    if (path === null) break;
    changed = edited(changed, path, undefined, OPTIONS);
  }
  return changed !== text && /^\s*\{\s*\}\s*$/.test(changed) ? '' : changed;
}

function groupOf(client: HookClient, { matcher, command, timeoutMs }: HookEntry) {
  const timeout = client === 'gemini' ? timeoutMs : Math.ceil(timeoutMs / 1000);
  const named = client === 'gemini' ? { name: 'countersign' } : {};
  const hooks = [{ type: 'command', command, ...named, timeout }];
  return matcher === null ? { hooks } : { matcher, hooks };
}

function edited(text: string, path: JSONPath, value: unknown, options: ModificationOptions): string {
  return jsonc.applyEdits(text, jsonc.modify(text, path, value, options));
}

/** The first of our entries, or the largest thing around it that holds nothing else. */
function firstOfOurs(text: string): JSONPath | null {
  const events = membersOf(membersOf(parsed(text), '')['hooks'], '/hooks');
  for (const [event, groups] of Object.entries(events)) {
    const list = listOf(groups, `/hooks/${event}`);
    for (const [index, group] of list.entries()) {
      const commands = listOf(membersOf(group, `/hooks/${event}`)['hooks'], `/hooks/${event}/hooks`);
      const at = commands.findIndex((one) => isOurs(membersOf(one, `/hooks/${event}/hooks`)['command']));
      if (at < 0) continue;
      if (commands.length > 1) return ['hooks', event, index, 'hooks', at];
      if (list.length > 1) return ['hooks', event, index];
      return Object.keys(events).length > 1 ? ['hooks', event] : ['hooks'];
    }
  }
  return null;
}

function parsed(text: string): unknown {
  if (text.trim() === '') return {};
  const errors: ParseError[] = [];
  const value: unknown = jsonc.parse(text, errors, READING);
  const [error] = errors;
  if (error === undefined) return value;
  const line = text.slice(0, error.offset).split('\n').length;
  const what = jsonc.printParseErrorCode(error.error);
  throw new UsageError(`The settings are not JSON: ${what} in line ${String(line)}`);
}

function membersOf(value: unknown, place: string): Readonly<Record<string, unknown>> {
  if (value === undefined) return {};
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new UsageError(
    `The settings have something else than an object at ${place === '' ? 'the top' : place}`,
  );
}

function listOf(value: unknown, place: string): readonly unknown[] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value;
  throw new UsageError(`The settings have something else than a list at ${place}`);
}
