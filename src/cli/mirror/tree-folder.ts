// The files of one mirrored tree. Every write is a temporary file and a rename, so no reader sees half a file.
import { lstat, mkdir, open, readdir, readFile, rename, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';

export const DOCUMENT_FILE = 'state.json';
export const META_FILE = 'state.meta.json';
const BEGUN_DOCUMENT = '.state.json.tmp';
const BEGUN_META = '.state.meta.json.tmp';

/** Everything that a mirror writes into the folder of a tree. */
const OWN_FILES: readonly string[] = [DOCUMENT_FILE, META_FILE, BEGUN_DOCUMENT, BEGUN_META];

/** Bound of the files that are read: the largest document and its indentation. The mirror wrote no longer file. */
const FILE_BYTES_MAX = 256 * 1024 * 1024;

/** Identifies the tree of a folder; `null` for a file that is missing or cannot be read. */
interface FolderMeta {
  readonly meta: string | null;
  /** The meta file of an interrupted write. The document is from that write, or from the one before. */
  readonly begunMeta: string | null;
}

export interface FolderContent extends FolderMeta {
  readonly document: string | null;
}

export class TreeFolder {
  constructor(readonly path: string) {}

  /**
   * Writes both temporary files before the first rename, so that an interrupted write differs from an edit.
   *
   * @returns The stamp of what is written, see `stamp`. Taken after the renames, it could be that of an edit.
   */
  async write(document: string, meta: string): Promise<string> {
    await this.#prepare();
    await this.#begin(BEGUN_META, meta);
    await this.#begin(BEGUN_DOCUMENT, document);
    const stamp = await this.#stampOf([BEGUN_DOCUMENT, BEGUN_META]);
    await rename(this.#file(BEGUN_DOCUMENT), this.#file(DOCUMENT_FILE));
    await rename(this.#file(BEGUN_META), this.#file(META_FILE));
    return stamp;
  }

  async read(): Promise<FolderContent> {
    return { ...(await this.readMeta()), document: await this.#text(DOCUMENT_FILE) };
  }

  async readMeta(): Promise<FolderMeta> {
    return { meta: await this.#text(META_FILE), begunMeta: await this.#text(BEGUN_META) };
  }

  /** A text that differs if one of the files was written since. */
  stamp(): Promise<string> {
    return this.#stampOf([DOCUMENT_FILE, META_FILE]);
  }

  /** A rename does not change it. */
  async #stampOf(names: readonly string[]): Promise<string> {
    const stamps = await Promise.all(
      names.map(async (name) => {
        const found = await lstat(this.#file(name), { bigint: true }).catch(() => null);
        return found === null ? '-' : [found.ino, found.mtimeNs, found.size].join(' ');
      }),
    );
    return stamps.join('\n');
  }

  /** Removes the files of the mirror; the meta file last, because it names the tree of the others. Other files stay. */
  async remove(): Promise<void> {
    if (!(await isFolder(this.path))) return;
    for (const name of [DOCUMENT_FILE, BEGUN_DOCUMENT, BEGUN_META, META_FILE]) {
      await rm(this.#file(name), { force: true });
    }
    await rmdir(this.path).catch(() => undefined); // somebody else's files may be there
  }

  /** True if there is no such folder, or nothing in it but files of a mirror. */
  async isFree(): Promise<boolean> {
    if ((await lstat(this.path).catch(() => null)) === null) return true;
    if (!(await isFolder(this.path))) return false;
    return (await readdir(this.path)).every((name) => OWN_FILES.includes(name));
  }

  /** A link in place of the folder would lead the files elsewhere. */
  async #prepare(): Promise<void> {
    await mkdir(this.path, { recursive: true, mode: 0o700 });
    if (!(await isFolder(this.path))) throw new Error(`${this.path} is not a folder`);
  }

  /** Never follows a symbolic link. */
  async #begin(name: string, text: string): Promise<void> {
    await rm(this.#file(name), { force: true });
    const file = await open(this.#file(name), 'wx', 0o600);
    try {
      await file.writeFile(text);
    } finally {
      await file.close();
    }
  }

  /** Opening a FIFO would wait until somebody writes to it. */
  async #text(name: string): Promise<string | null> {
    const found = await lstat(this.#file(name)).catch(() => null);
    if (found?.isFile() !== true || found.size > FILE_BYTES_MAX) return null;
    return readFile(this.#file(name), 'utf8').catch(() => null);
  }

  #file(name: string): string {
    return path.join(this.path, name);
  }
}

async function isFolder(file: string): Promise<boolean> {
  return (await lstat(file).catch(() => null))?.isDirectory() === true;
}
