// Creates folders so that they can be removed again. Knows nothing of the files in them.
import { mkdir, rmdir } from 'node:fs/promises';
import path from 'node:path';

/** Creates a folder with its parents. @returns The created ones, innermost first. */
export async function madeFolders(folder: string, mode?: number): Promise<readonly string[]> {
  const first = await mkdir(folder, { recursive: true, mode });
  const made: string[] = [];
  for (let one = folder; first !== undefined; one = path.dirname(one)) {
    made.push(one);
    if (one === path.resolve(first) || one === path.dirname(one)) break;
  }
  return made;
}

/** Removes those of the folders that are empty. */
export async function removeFolders(folders: readonly string[]): Promise<void> {
  const innermost = folders.toSorted((one, other) => other.length - one.length);
  for (const folder of innermost) await rmdir(folder).catch(() => undefined);
}
