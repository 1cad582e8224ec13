// Where each client keeps its settings. Facts about other programs only.
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import type { CliIo } from '../io.js';

/** @param project - Folder of the project; `null` for the settings of the user. */
export interface Scope {
  readonly project: string | null;
  readonly io: CliIo;
}

export function claudeFolder({ project, io }: Scope): string {
  return project === null ? set(io, 'CLAUDE_CONFIG_DIR', '.claude') : path.join(project, '.claude');
}

/**
 * The user's servers: beside the settings folder at its default location, or inside a folder that
 * CLAUDE_CONFIG_DIR names.
 */
export function claudeServersFile({ project, io }: Scope): string {
  if (project !== null) return path.join(project, '.mcp.json');
  const own = io.env['CLAUDE_CONFIG_DIR'] ?? '';
  return path.join(own === '' ? home(io) : path.resolve(own), '.claude.json');
}

export function codexFile({ project, io }: Scope): string {
  return path.join(
    project === null ? set(io, 'CODEX_HOME', '.codex') : path.join(project, '.codex'),
    'config.toml',
  );
}

export function geminiFolder({ project, io }: Scope): string {
  if (project !== null) return path.join(project, '.gemini');
  const own = io.env['GEMINI_CLI_HOME'] ?? '';
  return path.join(own === '' ? home(io) : path.resolve(own), '.gemini');
}

/** The existing file of the two names; opencode.json if there is none. */
export function opencodeFile(scope: Scope): string {
  const folder = scope.project ?? opencodeFolder(scope);
  const names = ['opencode.json', 'opencode.jsonc'].map((name) => path.join(folder, name));
  return names.find((name) => existsSync(name)) ?? path.join(folder, 'opencode.json');
}

export function opencodeFolder({ project, io }: Scope): string {
  if (project !== null) return path.join(project, '.opencode');
  const config = io.env['XDG_CONFIG_HOME'] ?? '';
  return path.join(path.isAbsolute(config) ? config : path.join(home(io), '.config'), 'opencode');
}

function set(io: CliIo, variable: string, folder: string): string {
  const own = io.env[variable] ?? '';
  return path.resolve(own === '' ? path.join(home(io), folder) : own);
}

function home({ env }: CliIo): string {
  return env['HOME'] ?? homedir();
}
