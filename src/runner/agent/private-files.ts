// A folder for the files of one run, which contain its token: only the owner can read it, and it is removed with
// the run. Its name identifies the owning process, so that folders of a killed runner can be found and removed.
import { lstat, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DEFAULT_LIMITS } from '../../domain/limits.js';
import type { JsonValue } from '../../domain/json/json.js';
import { lifeOf, markOf, type ProcessMark } from '../process/process-mark.js';

interface PrivateFolder {
  /** Absolute path. */
  readonly path: string;
  /** Writes files by name: a string unchanged, anything else as JSON. */
  write(files: Readonly<Record<string, JsonValue>>): Promise<void>;
  remove(): Promise<void>;
}

const PREFIX = 'countersign-run';
const NAME = new RegExp(`^${PREFIX}-([0-9a-f]+)-(\\d+)-(\\d+)-([0-9a-f]+)-\\w{6}$`);
/** Accessible to the owner only. */
const MODE = 0o700;

/** @param owner - The process that uses the folder; this one by default. */
export async function openPrivateFolder(
  owner: ProcessMark | null = markOf(process.pid),
): Promise<PrivateFolder> {
  const { boot, space, pid, start } = owner ?? { boot: '0', space: '0', pid: process.pid, start: '0' };
  // `mkdtemp` creates the folder with mode 0700.
  const folder = await mkdtemp(path.join(tmpdir(), `${[PREFIX, boot, space, pid, start].join('-')}-`));
  return {
    path: folder,
    async write(files) {
      for (const [name, content] of Object.entries(files)) {
        const text = typeof content === 'string' ? content : JSON.stringify(content);
        await writeFile(path.join(folder, name), text, { mode: 0o600 });
      }
    },
    // A process left behind by the client may still write there. The result of the run does not depend on that.
    remove: () => removeFolder(folder),
  };
}

/**
 * Removes the folders of processes that have ended, with the tokens in them. It is unknown whether a process of
 * another process namespace (a container) has ended: its folder is removed once no run can still need it.
 *
 * @param now - Service time, milliseconds since the Unix epoch.
 * @returns The number of removed folders. Keeps what belongs to another user, is not a folder, or is open to others.
 */
export async function removeLeftFolders(now: number): Promise<number> {
  const names = await readdir(tmpdir()).catch(() => []);
  const abandoned: string[] = [];
  for (const name of names) {
    const [, boot = '', space = '', pid = '', start = ''] = NAME.exec(name) ?? [];
    if (pid === '') continue;
    const folder = path.join(tmpdir(), name);
    const life = lifeOf({ boot, space, pid: Number(pid), start });
    if (life !== 'alive' && (await isOurs(folder, life === 'gone' ? Infinity : now - FOLDER_MS_MAX)))
      abandoned.push(folder);
  }
  await Promise.all(abandoned.map(removeFolder));
  return abandoned.length;
}

const FOLDER_MS_MAX = DEFAULT_LIMITS.runFolderAgeMsMax;

async function isOurs(folder: string, untouchedSince: number): Promise<boolean> {
  try {
    const stats = await lstat(folder);
    const isPrivate = stats.isDirectory() && (stats.mode & 0o777) === MODE;
    return isPrivate && stats.uid === process.getuid?.() && stats.mtimeMs <= untouchedSince;
  } catch {
    return false; // another runner was faster
  }
}

function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }).catch(() => undefined);
}
