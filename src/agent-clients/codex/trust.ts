// How Codex stores trust in a hook: by file, event and position, with a hash of the hook's content.
import { createHash } from 'node:crypto';
import { isOurs } from '../settings/hook-commands.js';
import type { Table } from '../settings/toml-edit.js';
import { tableOf } from './tables.js';

/** An entry of Codex' `hooks.state`: its key, and the trusted hash. */
export interface TrustedHook {
  readonly key: string;
  readonly hash: string;
}

/**
 * Our hooks in the settings of a file.
 *
 * @param file - The path that Codex uses.
 */
export function trustedHooks(file: string, settings: Table): readonly TrustedHook[] {
  const found: TrustedHook[] = [];
  for (const [event, groups] of Object.entries(tableOf(settings['hooks']))) {
    for (const [group, value] of Object.entries(tableOf(groups))) {
      const { matcher, hooks } = tableOf(value);
      for (const [at, one] of Object.entries(tableOf(hooks))) {
        const { command, timeout } = tableOf(one);
        if (!isOurs(command)) continue;
        const name = event.replace(/(?<!^)[A-Z]/g, '_$&').toLowerCase();
        // Codex hashes the members sorted by name.
        const hook = { async: false, command, timeout, type: 'command' };
        const entry = { event_name: name, hooks: [hook], ...(matcher === undefined ? {} : { matcher }) };
        const hash = createHash('sha256').update(JSON.stringify(entry)).digest('hex');
        found.push({ key: `${file}:${name}:${group}:${at}`, hash: `sha256:${hash}` });
      }
    }
  }
  return found;
}
