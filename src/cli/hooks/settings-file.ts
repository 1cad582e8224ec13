// Where a client keeps its settings, and how that file is changed: shown first, asked about, then replaced whole.
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import type { HookClient } from '../../domain/hooks/clients.js';
import { EXIT } from '../exit-codes.js';
import type { CliIo } from '../io.js';
import { harmless } from '../terminal-text.js';
import { UsageError } from '../usage-error.js';

/** @param projectDir - Of the project; `null` for the settings of the user. */
export function settingsFile(client: HookClient, projectDir: string | null, { env }: CliIo): string {
  const home = env['HOME'] ?? homedir();
  const [folder, variable, file] = {
    'claude-code': ['.claude', 'CLAUDE_CONFIG_DIR', 'settings.json'] as const,
    codex: ['.codex', 'CODEX_HOME', 'config.toml'] as const,
    gemini: ['.gemini', '', 'settings.json'] as const,
  }[client];
  if (projectDir !== null) return path.resolve(projectDir, folder, file);
  const own = env[variable] ?? '';
  return path.resolve(own === '' ? path.join(home, folder) : own, file);
}

export interface Change {
  readonly file: string;
  readonly change: (text: string) => string;
  /** Without asking. */
  readonly yes: boolean;
  /** Only shown. */
  readonly dryRun: boolean;
}

/**
 * Shows what a change would make of a file, asks, and makes it. A file with nothing left in it is removed.
 *
 * @returns The exit code.
 * @throws UsageError Where the file cannot be read, changed or written; then it is as it was.
 */
export async function changeSettings({ file, change, yes, dryRun }: Change, io: CliIo): Promise<number> {
  const before = await textOf(file);
  const after = change(before);
  if (after === before) {
    io.stderr.write(`Nothing to change in ${file}.\n`);
    return EXIT.ok;
  }
  const shown = createTwoFilesPatch(file, file, before, after, '', '', { headerOptions: FILE_HEADERS_ONLY });
  io.stdout.write(io.isTTY ? harmless(shown) : shown);
  if (dryRun) return EXIT.ok;
  if (!yes && !(await confirmed(file, io))) {
    io.stderr.write('Nothing was written. Add --yes to write without being asked.\n');
    return EXIT.refused;
  }
  await replace(file, after);
  io.stderr.write(`${after === '' ? 'Removed' : 'Wrote'} ${file}.\n`);
  return EXIT.ok;
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return '';
    throw new UsageError(`The file ${file} cannot be read (${codeOf(error)})`);
  }
}

async function confirmed(file: string, io: CliIo): Promise<boolean> {
  io.stderr.write(`Write this to ${file}? [y/N] `);
  let answer = '';
  for await (const chunk of io.stdin) {
    answer += Buffer.from(chunk).toString('utf8');
    if (answer.includes('\n')) break;
  }
  return /^\s*y(es)?\s*$/i.test(answer.split('\n')[0] ?? '');
}

/** In one step, at the place that a link leads to, with the rights that the file had. */
async function replace(file: string, text: string): Promise<void> {
  try {
    const target = await realpath(file).catch(() => file);
    if (text === '') {
      await rm(target);
      return;
    }
    await mkdir(path.dirname(target), { recursive: true });
    const mode = await stat(target).then(
      (found) => found.mode,
      () => 0o644,
    );
    const draft = `${target}.${randomUUID()}`;
    await writeFile(draft, text, { mode });
    await rename(draft, target);
  } catch (error) {
    throw new UsageError(`The file ${file} cannot be written (${codeOf(error)})`);
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
