// Changes several files as one: shows the difference, asks, then replaces each file.
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import { EXIT } from '../text/exit-codes.js';
import type { CliIo } from '../io/io.js';
import { harmless } from '../text/terminal-text.js';
import { UsageError } from '../usage-error.js';
import { madeFolders, removeFolders } from './folders.js';
import { withLock } from './one-at-a-time.js';
import { codeOf, writeTargetOf, replaceFile, type WriteTarget } from './replace-file.js';

/** The change of one file. `after` is `null` to remove the file. */
export interface FileChange {
  readonly file: string;
  /** `null` if the file does not exist. */
  readonly before: string | null;
  readonly after: string | null;
  /** If the file is removed: its folders that are removed too if they are empty, innermost first. */
  readonly folders: readonly string[];
  /** Called before the file is written, and after all files are written. `cancel` reverts `prepare`. */
  readonly prepare: (madeFolders: readonly string[]) => Promise<void>;
  readonly finish: () => Promise<void>;
  readonly cancel: () => Promise<void>;
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
  await withLock(io, () => writeAll(changes));
  for (const { file, after } of changes) {
    io.stderr.write(`${after === null ? 'Removed' : 'Wrote'} ${file}.\n`);
  }
  return EXIT.ok;
}

/** @throws UsageError If the file cannot be read as text, or is no regular file: reading a FIFO may never end. */
export async function textOf(file: string): Promise<string | null> {
  let bytes: Buffer;
  try {
    if (!(await stat(file)).isFile()) throw new UsageError(`The file ${file} is not a regular file`);
    bytes = await readFile(file);
  } catch (error) {
    if (error instanceof UsageError) throw error;
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
  const targets: WriteTarget[] = [];
  for (const { file } of changes) {
    try {
      targets.push(await writeTargetOf(file));
    } catch (error) {
      throw notWritable(file, error);
    }
  }
  for (const { file, before } of changes) {
    if ((await textOf(file)) !== before) throw notWritable(file, new UsageError(CHANGED));
  }
  const undo: Undo[] = [];
  for (const [at, target] of targets.entries()) {
    const change = changes[at];
    if (change === undefined) continue;
    try {
      await write(change, target, undo);
    } catch (error) {
      throw notWritable(change.file, error, await undone(undo));
    }
  }
  await removeFolders(changes.flatMap((one) => (one.after === null ? one.folders : [])));
  for (const { file, finish } of changes) {
    await finish().catch((error: unknown) => {
      throw notWritable(file, new RecordError(error));
    });
  }
}

/** The record of a change cannot be written; the file itself may be writable. */
class RecordError extends Error {
  override readonly name = 'RecordError';

  constructor(cause: unknown) {
    const where = cause instanceof Error && 'path' in cause ? ` ${String(cause.path)}` : '';
    super(`The data for disconnect cannot be written:${where} (${codeOf(cause)})`, { cause });
  }
}

const CHANGED = 'it was changed meanwhile';

/** A step back, and the file that it is about. */
interface Undo {
  readonly file: string;
  readonly step: () => Promise<void>;
}

/** @param undo - Receives the steps back, in the order of the steps. */
async function write(change: FileChange, target: WriteTarget, undo: Undo[]): Promise<void> {
  const { file, before, after } = change;
  const folders = after === null ? [] : await madeFolders(path.dirname(target.target));
  undo.push({ file, step: () => removeFolders(folders) }, { file, step: change.cancel });
  await change.prepare(folders).catch((error: unknown) => {
    throw new RecordError(error);
  });
  if ((await textOf(file)) !== before) throw new UsageError(CHANGED);
  await replaceFile(target, after);
  undo.push({ file, step: () => replaceFile(target, before) });
}

/** Takes the steps back, the last one first. @returns Files of which a step failed. */
async function undone(undo: readonly Undo[]): Promise<readonly string[]> {
  const failed = new Set<string>();
  for (const { file, step } of undo.toReversed()) await step().catch(() => failed.add(file));
  return [...failed];
}

function notWritable(file: string, error: unknown, changed: readonly string[] = []): UsageError {
  const notRestored = changed.length === 0 ? '' : `. These could not be restored: ${changed.join(', ')}`;
  if (error instanceof RecordError) {
    return new UsageError(`${error.message}${notRestored}`, { cause: error });
  }
  const why = error instanceof UsageError ? error.message : codeOf(error);
  return new UsageError(`The file ${file} cannot be written (${why})${notRestored}`, { cause: error });
}
