// The tracked files of a repository, measured. Symbolic links and submodules are none.
import { lstat, readFile } from 'node:fs/promises';
import path from 'node:path';
import { gitWithin } from '../../git.js';
import { forEachWithin, type Budget } from './review.js';

export interface SizedFile {
  /** From the repository's root. */
  readonly path: string;
  readonly bytes: number;
}

export interface Looked<T> {
  readonly items: readonly T[];
  /** False where the budget did not last for all of them. */
  readonly complete: boolean;
}

/** Larger ones are data rather than text that somebody wrote. */
const TEXT_BYTES_MAX = 2 * 1024 * 1024;
/** As git has it: a NUL this early makes a file binary. */
const SNIFFED_BYTES = 8000;
const NEW_LINE = 0x0a;

export async function sizedFiles(folder: string, budget: Budget): Promise<Looked<SizedFile>> {
  const listed = await gitWithin(folder, ['ls-files', '-z'], { timeoutMs: budget.leftMs() });
  const paths = [...new Set(listed.text.split('\0'))].filter((name) => name !== '');
  const looked = await forEachWithin(paths, budget, async (name) => {
    const found = await lstat(path.join(folder, name)).catch(() => null); // deleted in the work tree
    return found?.isFile() === true ? { path: name, bytes: found.size } : null;
  });
  return {
    items: looked.filter((file) => file !== null),
    complete: listed.complete && looked.length === paths.length,
  };
}

/** @returns Lines of a text file; `null` where it is none, or cannot be read. */
export async function linesOf(folder: string, file: SizedFile): Promise<number | null> {
  if (file.bytes > TEXT_BYTES_MAX) return null;
  const content = await readFile(path.join(folder, file.path)).catch(() => null);
  if (content === null || content.subarray(0, SNIFFED_BYTES).includes(0)) return null;
  let lines = 0;
  for (const byte of content) if (byte === NEW_LINE) lines += 1;
  return content.length > 0 && content.at(-1) !== NEW_LINE ? lines + 1 : lines;
}

export interface TextFile extends SizedFile {
  readonly lines: number;
}

/** Every text file with its lines. */
export async function textFiles(folder: string, budget: Budget): Promise<Looked<TextFile>> {
  const sized = await sizedFiles(folder, budget);
  const counted = await forEachWithin(sized.items, budget, async (file) => ({
    ...file,
    lines: await linesOf(folder, file),
  }));
  return {
    items: counted.flatMap((file) => (file.lines === null ? [] : { ...file, lines: file.lines })),
    complete: sized.complete && counted.length === sized.items.length,
  };
}
