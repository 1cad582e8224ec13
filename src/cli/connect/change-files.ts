// Changes several files as one: shown first, asked about, then each replaced whole. A file is read once, and a link stays.
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, realpath, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import { EXIT } from '../text/exit-codes.js';
import type { CliIo } from '../io.js';
import { harmless } from '../text/terminal-text.js';
import { UsageError } from '../usage-error.js';

export interface FileChange {
  readonly file: string;
  /** `null` for a file that is not there. */
  readonly before: string | null;
  readonly after: string | null;
  /** Of the folders around a file that goes, those that go with it if they are empty; the innermost first. */
  readonly folders: readonly string[];
  /** Done when the file is about to be written, and after it was. */
  readonly prepare: (madeFolders: readonly string[]) => Promise<void>;
  readonly finish: () => Promise<void>;
}

export interface Asking {
  /** Without asking. */
  readonly yes: boolean;
  /** Only shown. */
  readonly dryRun: boolean;
}

/** @returns The exit code. @throws UsageError Where a file cannot be written; then all of them are as they were. */
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

/** @throws UsageError Where the file cannot be read as text. */
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

/** Where the second of two files cannot be written, the first gets back what was in it. */
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

/** Makes a folder with those around it. @returns Those that were not there, the innermost first. */
async function madeFolders(folder: string): Promise<readonly string[]> {
  const first = await mkdir(folder, { recursive: true });
  const made: string[] = [];
  for (let one = folder; first !== undefined; one = path.dirname(one)) {
    made.push(one);
    if (one === path.resolve(first) || one === path.dirname(one)) break;
  }
  return made;
}

/** In one step, at the place that a link leads to, with the rights that the file had. */
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
