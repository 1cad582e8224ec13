// The tracked files of a repository, with their sizes and lines. Symbolic links and submodules are left out.
import { lstat, readFile } from 'node:fs/promises';
import path from 'node:path';
import { git } from '../../git.js';

/** More are not looked at, so that a review of any repository takes seconds. */
const FILES_MAX = 20_000;
/** Larger ones are data rather than text that somebody wrote. */
const TEXT_BYTES_MAX = 2 * 1024 * 1024;
/** As git has it: a NUL this early makes a file binary. */
const SNIFFED_BYTES = 8000;
const AT_ONCE = 32;

interface SizedFile {
  /** From the repository's root. */
  readonly path: string;
  readonly bytes: number;
}

export interface TextFile extends SizedFile {
  readonly lines: number;
}

interface Listed<T> {
  readonly items: readonly T[];
  /** False where there are more files than are looked at. */
  readonly complete: boolean;
}

export async function sizedFiles(folder: string): Promise<Listed<SizedFile>> {
  const listed = (await git(folder, ['ls-files', '-z'])).split('\0').filter((name) => name !== '');
  const paths = [...new Set(listed)];
  const items = await mapInParts(paths.slice(0, FILES_MAX), async (name) => {
    const found = await lstat(path.join(folder, name)).catch(() => null); // deleted in the work tree
    return found?.isFile() === true ? [{ path: name, bytes: found.size }] : [];
  });
  return { items, complete: paths.length <= FILES_MAX };
}

export async function textFiles(folder: string): Promise<Listed<TextFile>> {
  const { items, complete } = await sizedFiles(folder);
  const texts = await mapInParts(items, async (file) => {
    const lines = await linesOf(folder, file);
    return lines === null ? [] : [{ ...file, lines }];
  });
  return { items: texts, complete };
}

/** @returns Lines of a text file; `null` where it is none, or cannot be read. */
export async function linesOf(folder: string, file: SizedFile): Promise<number | null> {
  if (file.bytes > TEXT_BYTES_MAX) return null;
  const content = await readFile(path.join(folder, file.path)).catch(() => null);
  if (content === null || content.subarray(0, SNIFFED_BYTES).includes(0)) return null;
  const lines = content.toString('latin1').split('\n');
  return lines.at(-1) === '' ? lines.length - 1 : lines.length;
}

/** Maps a few items at a time, and joins the results in order. */
export async function mapInParts<T, R>(
  items: readonly T[],
  map: (item: T) => Promise<readonly R[]>,
): Promise<R[]> {
  const results: R[] = [];
  for (let from = 0; from < items.length; from += AT_ONCE) {
    results.push(...(await Promise.all(items.slice(from, from + AT_ONCE).map(map))).flat());
  }
  return results;
}
