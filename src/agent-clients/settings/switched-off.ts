// Settings of a user that switch off what is about to be added: then it would be there without any effect.
import type { JsonValue } from '../../domain/json/json.js';
import { valueAt, type Path } from './json-edit.js';
import { SettingsError } from './settings-error.js';
import { SERVER, type Kind, type SettingsFile } from './settings-file.js';

/** A setting that switches off all parts of a kind. */
export interface OffSwitch {
  readonly kind: Kind;
  readonly path: Path;
  readonly isOff: (value: JsonValue) => boolean;
}

export const names = (value: JsonValue) => Array.isArray(value) && value.includes(SERVER);

/** The file, with parts only added while none of these settings switches them off. */
export function unlessOff(file: SettingsFile, switches: readonly OffSwitch[]): SettingsFile {
  return {
    ...file,
    add: (text, kinds, now) => {
      const added = file.add(text, kinds, now);
      for (const { kind, path, isOff } of switches) {
        const value = kinds.has(kind) ? valueAt(text, path) : undefined;
        if (value === undefined || !isOff(value)) continue;
        const off = kind === 'hooks' ? 'its hooks' : `the MCP server ${SERVER}`;
        throw new SettingsError(`${path.join('.')} switches off ${off}; change that first`);
      }
      return added;
    },
  };
}
