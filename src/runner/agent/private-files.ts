// A folder for the files of one run, which hold its token: nobody else can read them, and they go with the run. Its name
// says whose it is, so that those of a runner that was killed can be told, and removed.
import { lstat, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DEFAULT_LIMITS } from '../../domain/limits.js';
import type { JsonValue } from '../../domain/json/json.js';
import { lifeOf, markOf, type ProcessMark } from '../process/process-mark.js';

export interface PrivateFolder {
  /** Absolute. */
  readonly path: string;
  /** Writes files by name: a text as it is, anything else as JSON. */
  write(files: Readonly<Record<string, JsonValue>>): Promise<void>;
  remove(): Promise<void>;
}

const PREFIX = 'countersign-run';
const NAME = new RegExp(`^${PREFIX}-([0-9a-f]+)-(\\d+)-(\\d+)-([0-9a-f]+)-\\w{6}$`);
/** For its owner alone. */
const MODE = 0o700;

/** @param owner - Process with which the folder loses its use; this one by default. */
export async function openPrivateFolder(
  owner: ProcessMark | null = markOf(process.pid),
): Promise<PrivateFolder> {
  const { boot, space, pid, start } = owner ?? { boot: '0', space: '0', pid: process.pid, start: '0' };
  // `mkdtemp` makes the folder with the mode that is wanted.
  const folder = await mkdtemp(path.join(tmpdir(), `${[PREFIX, boot, space, pid, start].join('-')}-`));
  return {
    path: folder,
    async write(files) {
      for (const [name, content] of Object.entries(files)) {
        const text = typeof content === 'string' ? content : JSON.stringify(content);
        await writeFile(path.join(folder, name), text, { mode: 0o600 });
      }
    },
    // A process that the client has left behind may still write there: that costs no run its result.
    remove: () => removeFolder(folder),
  };
}

/**
 * Removes the folders of processes that are gone, with the tokens in them. Whether one in another process namespace (a
 * container) is gone cannot be told: its folder goes when no run could still want it.
 *
 * @param now - Service time, milliseconds since the Unix epoch.
 * @returns How many were removed. What belongs to another user, is no folder or open to others is left as it is.
 */
export async function removeLeftFolders(now: number): Promise<number> {
  const names = await readdir(tmpdir()).catch(() => []);
  const left: string[] = [];
  for (const name of names) {
    const [, boot = '', space = '', pid = '', start = ''] = NAME.exec(name) ?? [];
    if (pid === '') continue;
    const folder = path.join(tmpdir(), name);
    const life = lifeOf({ boot, space, pid: Number(pid), start });
    if (life !== 'alive' && (await isOurs(folder, life === 'gone' ? Infinity : now - FOLDER_MS_MAX)))
      left.push(folder);
  }
  await Promise.all(left.map(removeFolder));
  return left.length;
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
