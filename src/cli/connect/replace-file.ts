// Replaces the content of one file and keeps the rest of it: its link, its permissions and its owner.
import { randomUUID } from 'node:crypto';
import type { Stats } from 'node:fs';
import { chmod, chown, lstat, open, readlink, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { UsageError } from '../usage-error.js';

/** Where the content of a file is. */
export interface WriteTarget {
  /** The path behind all links. */
  readonly target: string;
  /** `null` if the file does not exist. */
  readonly stats: Stats | null;
}

/** The path behind all links, also if there is no file yet. @throws UsageError If the links cannot be followed. */
export async function targetOf(file: string): Promise<string> {
  try {
    return await followed(file);
  } catch (error) {
    throw new UsageError(`The file ${file} cannot be read (${codeOf(error)})`, { cause: error });
  }
}

async function followed(file: string): Promise<string> {
  try {
    return await realpath(file);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
  const folder = await followed(path.dirname(file));
  const own = path.join(folder, path.basename(file));
  return (await isLink(own)) ? followed(path.resolve(folder, await readlink(own))) : own;
}

export async function isLink(file: string): Promise<boolean> {
  return lstat(file).then(
    (found) => found.isSymbolicLink(),
    () => false,
  );
}

/** @throws Error If the file exists and must not be written. A rename would not ask. */
export async function writeTargetOf(file: string): Promise<WriteTarget> {
  const target = await targetOf(file);
  try {
    const handle = await open(target, 'r+');
    await handle.close();
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    return { target, stats: null };
  }
  return { target, stats: await stat(target) };
}

/**
 * Replaces a file in one step (rename). A file whose owner cannot be kept in that way is overwritten.
 *
 * @param text - `null` removes the file.
 */
export async function replaceFile({ target, stats }: WriteTarget, text: string | null): Promise<void> {
  if (text === null) {
    await rm(target, { force: true });
    return;
  }
  const draft = `${target}.${randomUUID()}`;
  try {
    // The content may be secret, so nobody else reads the draft before it has the permissions of the file.
    await writeFile(draft, text, { mode: stats === null ? 0o644 : 0o600, flag: 'wx' });
    if (stats === null || (await isAlike(draft, stats))) await rename(draft, target);
    else {
      await rm(draft);
      await writeFile(target, text, { mode: stats.mode & 0o777 });
    }
  } finally {
    await rm(draft, { force: true });
  }
}

/** Gives a draft the owner and the permissions of a file. @returns False if that is forbidden. */
async function isAlike(draft: string, { uid, gid, mode }: Stats): Promise<boolean> {
  const made = await stat(draft);
  try {
    if (made.uid !== uid || made.gid !== gid) await chown(draft, uid, gid);
  } catch (error) {
    if (codeOf(error) === 'EPERM') return false;
    throw error;
  }
  await chmod(draft, mode & 0o7777);
  return true;
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
