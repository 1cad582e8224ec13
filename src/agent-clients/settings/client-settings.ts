// The interface to the settings of an agent CLI: which files a connection changes, and which hooks it writes. Pure.
import type { HookEntry, HookSettings } from './hook-entries.js';
import type { SettingsFile } from './settings-file.js';

/** Where settings are looked for. */
export interface SettingsScope {
  /** Folder of the project; `null` for the settings of the user. */
  readonly project: string | null;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The home folder of the user. */
  readonly home: string;
  readonly exists: (file: string) => boolean;
}

/** What a connection writes. */
export interface Connection {
  readonly hooks: readonly HookEntry[];
  /** Command line of the MCP server. */
  readonly server: readonly [string, ...string[]];
  /** With the gate before each tool. */
  readonly gate: boolean;
  /** How long a stop waits for callbacks, milliseconds. */
  readonly waitMs: number;
  /** URL of the coordinator, if the client's environment does not name it. */
  readonly url: string | undefined;
}

/** A file, given the new content of the files before it. */
export type FileOf = (after: ReadonlyMap<string, string>) => SettingsFile;

export interface ClientSettings {
  readonly hooks: HookSettings;
  /** The files of one scope, in the order in which they must be changed. */
  readonly files: (scope: SettingsScope, connection: Connection) => readonly FileOf[];
  /** What the user still has to do after `connect`, and after `hook install`. */
  readonly whenConnected: string;
  readonly whenHooked: string;
}
