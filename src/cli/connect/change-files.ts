// Changes several files as one: shows the difference, asks, then replaces each file in one step. Reads each file
// once and keeps links.
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, realpath, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import { EXIT } from '../text/exit-codes.js';
import type { CliIo } from '../io/io.js';
import { harmless } from '../text/terminal-text.js';
import { UsageError } from '../usage-error.js';

/** The change of one file. `after` is `null` to remove the file. */
export interface FileChange {
  readonly file: string;
  /** `null` if the file does not exist. */
  readonly before: string | null;
  readonly after: string | null;
  /** If the file is removed: its folders that are removed too if they are empty, innermost first. */
  readonly folders: readonly string[];
  /** Called before the file is written, and after all files are written. */
  readonly prepare: (madeFolders: readonly string[]) => Promise<void>;
  readonly finish: () => Promise<void>;
}

export interface Asking {
  /** Do not ask. */
  readonly yes: boolean;
  /** Only show the difference. */
  readonly dryRun: boolean;
}

/** @returns The exit code. @throws UsageError If a file cannot be written; then no file is changed. */
export async function changeFiles(
  changes: readonly FileChange[],
  { yes, dryRun }: Asking,
  io: CliIo,
): Promise<number> {
  const shown = changes.map(differenceOf).join('');
  io.stdout.write(io.isTTY ? harmless(shown) : shown);
  if (dryRun) return EXIT.ok;
  const files = changes.map(({ file }) => file).join(', ');
  if (!yes && !(await confirmed(files, io))) {
    io.stderr.write('Nothing was written. Add --yes to write without being asked.\n');
    return EXIT.refused;
  }
  await writeAll(changes);
  for (const { file, after } of changes) {
    io.stderr.write(`${after === null ? 'Removed' : 'Wrote'} ${file}.\n`);
  }
  return EXIT.ok;
}

/** @throws UsageError If the file cannot be read as text. */
export async function textOf(file: string): Promise<string | null> {
  let bytes: Buffer;
  try {
    bytes = await readFile(file);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw new UsageError(`The file ${file} cannot be read (${codeOf(error)})`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new UsageError(`The file ${file} is no text in UTF-8. Save it as such; nothing was written.`);
  }
}

function differenceOf({ file, before, after }: FileChange): string {
  const [from, to] = [before === null ? '/dev/null' : file, after === null ? '/dev/null' : file];
  return createTwoFilesPatch(from, to, before ?? '', after ?? '', '', '', {
    headerOptions: FILE_HEADERS_ONLY,
  });
}

async function confirmed(files: string, io: CliIo): Promise<boolean> {
  io.stderr.write(`Write this to ${files}? [y/N] `);
  let answer = '';
  for await (const chunk of io.stdin) {
    answer += Buffer.from(chunk).toString('utf8');
    if (answer.includes('\n')) break;
  }
  return /^\s*y(es)?\s*$/i.test(answer.split('\n')[0] ?? '');
}

/** If a later file cannot be written, restores the earlier ones. */
async function writeAll(changes: readonly FileChange[]): Promise<void> {
  const written: FileChange[] = [];
  for (const change of changes) {
    try {
      const made = change.after === null ? [] : await madeFolders(path.dirname(change.file));
      await change.prepare(made);
      if ((await textOf(change.file)) !== change.before) throw new UsageError('it was changed meanwhile');
      await replace(change.file, change.after);
      written.push(change);
    } catch (error) {
      for (const one of written.reverse()) await replace(one.file, one.before);
      const why = error instanceof UsageError ? error.message : codeOf(error);
      throw new UsageError(`The file ${change.file} cannot be written (${why})`, { cause: error });
    }
  }
  for (const { finish } of changes) await finish();
  const folders = changes.flatMap((one) => (one.after === null ? one.folders : []));
  const innermost = folders.toSorted((one, other) => other.length - one.length);
  for (const folder of innermost) await rmdir(folder).catch(() => undefined);
}

/** Creates a folder with its parents. @returns The created ones, innermost first. */
async function madeFolders(folder: string): Promise<readonly string[]> {
  const first = await mkdir(folder, { recursive: true });
  const made: string[] = [];
  for (let one = folder; first !== undefined; one = path.dirname(one)) {
    made.push(one);
    if (one === path.resolve(first) || one === path.dirname(one)) break;
  }
  return made;
}

/** Replaces a file in one step (rename), at the target of a link, with the file's own mode. */
async function replace(file: string, text: string | null): Promise<void> {
  const target = await realpath(file).catch(() => file);
  if (text === null) {
    await rm(target, { force: true });
    return;
  }
  const mode = await stat(target).then(
    (found) => found.mode & 0o7777,
    () => 0o644,
  );
  const draft = `${target}.${randomUUID()}`;
  try {
    await writeFile(draft, text, { mode, flag: 'wx' });
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
