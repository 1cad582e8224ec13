// The mirror of one tree: what it wrote last, and whether somebody edited that since.
import { hashOf } from '../files/state-folder.js';
import {
  documentText,
  metaOf,
  metaText,
  parseEditedMeta,
  parseMeta,
  type MirroredState,
  type MirrorMeta,
} from './texts.js';
import { DOCUMENT_FILE, META_FILE, type FolderContent, type TreeFolder } from './tree-folder.js';

interface Written {
  readonly documentHash: string;
  readonly meta: string;
  readonly stamp: string;
}

/** The meta file of an earlier mirror, or of its write that was cut off. */
export interface FoundMeta {
  readonly text: string;
  readonly meta: MirrorMeta;
}

/** What a write did. */
interface TreeWrite {
  readonly changed: boolean;
  /** Files that somebody had edited or removed. */
  readonly edited: readonly string[];
}

/** Reads the document of an earlier version; `null` if that is not kept, or the state never had it. */
export type DocumentAt = (version: number) => Promise<string | null>;

export class MirroredTree {
  #written: Written | null = null;

  /** @param found - `null` for a new folder. */
  constructor(
    readonly folder: TreeFolder,
    readonly stateId: string,
    readonly rootSessionId: string,
    private found: FoundMeta | null = null,
  ) {}

  /** Brings the files to this version. Writes nothing if they have it. */
  async write(state: MirroredState, tags: readonly string[], documentAt: DocumentAt): Promise<TreeWrite> {
    const document = documentText(state.current_data);
    const meta = metaText(metaOf(state, tags));
    const documentHash = hashOf(document);
    const isSame = this.#written?.documentHash === documentHash && this.#written.meta === meta;
    if (isSame && (await this.isUntouched())) return { changed: false, edited: [] };
    // Before the files are read: an edit after that is noticed.
    const before = await this.folder.stamp();
    const content = await this.folder.read();
    const edited =
      this.#written === null
        ? await this.#editedBefore(content, document, documentAt)
        : editedIn(content, this.#written);
    const isThere = content.document === document && content.meta === meta && content.begunMeta === null;
    const stamp = isThere ? before : await this.folder.write(document, meta);
    this.#written = { documentHash, meta, stamp };
    this.found = null;
    return { changed: !isThere, edited };
  }

  /** True if the files are as the mirror wrote them. */
  async isUntouched(): Promise<boolean> {
    return this.#written === null || this.#written.stamp === (await this.folder.stamp());
  }

  /** Compares with what an earlier mirror wrote, which may have been cut off between its two files. */
  async #editedBefore(
    { document, meta, begunMeta }: FolderContent,
    present: string,
    documentAt: DocumentAt,
  ): Promise<readonly string[]> {
    if (this.found === null) return document === null && meta === null ? [] : [META_FILE];
    const edited = parseMeta(this.found.text) === null ? [META_FILE] : [];
    if (document === present) return edited;
    const begun = begunMeta === null ? null : parseEditedMeta(begunMeta);
    for (const version of new Set([this.found.meta.version, begun?.version ?? 0])) {
      if (version === 0) continue;
      const written = await documentAt(version);
      if (written === null || written === document) return edited;
    }
    return [...edited, DOCUMENT_FILE];
  }
}

function editedIn({ document, meta }: FolderContent, written: Written): readonly string[] {
  return [
    ...(document !== null && hashOf(document) === written.documentHash ? [] : [DOCUMENT_FILE]),
    ...(meta === written.meta ? [] : [META_FILE]),
  ];
}
