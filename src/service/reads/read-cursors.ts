// Tracks what each session has read of each state. A read cursor is updated in memory at once and in the database
// soon after. No read waits for the disk; a restart loses at most the last quarter of a second. Beside other coordinators,
// the database has what counts: a cursor is read from there, and in it before its session has the answer.
import { LRUCache } from 'lru-cache';
import type { Limits } from '../../domain/limits.js';
import type { Patch } from '../../domain/json/patch.js';
import type { PartSeen, ReadCursor } from '../../domain/records/read-cursor.js';
import type { MaybePromise } from '../../lib/maybe-promise.js';
import type { Logger } from '../../ports/runtime.js';
import type { Store } from '../../ports/storage/store.js';

/** Estimated memory of a cursor and of each of its parts without their texts, in bytes. */
const CURSOR_BYTES = 500;
const PART_BYTES = 100;

interface Parts {
  readonly store: Store;
  readonly limits: Limits;
  readonly logger: Logger;
}

/** What a session knows after a merged write: its own document, as changes of a version that it read before. */
interface OwnView {
  readonly version: number;
  readonly own: Patch;
  /** The version that its write created. */
  readonly ownVersion: number;
}

export class ReadCursors {
  readonly #cursors: LRUCache<string, ReadCursor>;
  /** Cursors that are not in the database yet. */
  readonly #unsaved = new Map<string, ReadCursor>();
  #timer: NodeJS.Timeout | null = null;
  #saving: Promise<void> = Promise.resolve();

  constructor(private readonly parts: Parts) {
    const { readCursorsMax, readCursorCacheBytesMax: maxSize } = parts.limits;
    // One size bounds both. With `max`, the library takes the memory of all entries at once.
    const bytesMin = Math.ceil(maxSize / readCursorsMax);
    this.#cursors = new LRUCache({
      maxSize,
      sizeCalculation: (cursor) => Math.max(bytesMin, bytesOf(cursor)),
    });
  }

  /** The estimated memory of what is cached. */
  get bytes(): number {
    return this.#cursors.calculatedSize;
  }

  /** Returns `null` if the session has read nothing of the state. */
  async of(sessionId: string, stateId: string): Promise<ReadCursor | null> {
    const key = keyOf(sessionId, stateId);
    const { store } = this.parts;
    const before = this.#cursors.get(key);
    const cached = this.#unsaved.get(key) ?? (store.isSoleCoordinator ? before : undefined);
    if (cached !== undefined) return cached;
    const stored = await store.read.readCursor(sessionId, stateId);
    // What the session has read meanwhile through this coordinator is newer.
    if (stored !== null && this.#cursors.get(key) === before) this.#cursors.set(key, stored);
    return this.#cursors.get(key) ?? stored;
  }

  /**
   * The session knows the whole document of a version: it read that version, or wrote it.
   *
   * @returns What to wait for before the session has the answer, here and below.
   */
  sawAll(sessionId: string, stateId: string, version: number): MaybePromise<void> {
    const key = keyOf(sessionId, stateId);
    const cached = this.#cursors.get(key);
    if (cached?.version !== version || cached.own !== null || cached.parts.length > 0)
      return this.#note({ sessionId, stateId, version, own: null, ownVersion: version, parts: [] });
    return this.#unsaved.has(key) ? this.#saved() : undefined;
  }

  /**
   * The session was shown the whole document without requesting it. That counts only if it has not read the whole
   * document itself. An agent that has may still write from what it read, and then what others wrote since would
   * look as if the agent had deleted it.
   */
  wasShown(sessionId: string, stateId: string, version: number): Promise<void> {
    return this.#change(sessionId, stateId, (cursor) => {
      if (cursor !== null && cursor.version > 0) return null;
      const parts = cursor?.parts.filter((part) => part.version > version) ?? [];
      return { sessionId, stateId, version, own: null, ownVersion: version, parts };
    });
  }

  /** The session has read the value at a pointer and nothing else. */
  async sawPart(sessionId: string, stateId: string, pointer: string, version: number): Promise<void> {
    if (pointer === '') return this.sawAll(sessionId, stateId, version);
    const nothing = { sessionId, stateId, version: 0, own: null, ownVersion: 0, parts: [] };
    return this.#change(sessionId, stateId, (before) => {
      const cursor = before ?? nothing;
      if (version <= cursor.version && cursor.own === null) return null;
      const others = cursor.parts.filter((part) => part.pointer !== pointer || part.version > version);
      if (others.length < cursor.parts.length && others.some((part) => part.version > version)) return null;
      const parts = newestWithin([...others, { pointer, version }], this.parts.limits);
      return parts.length === 0 ? null : { ...cursor, parts };
    });
  }

  /** The session wrote, and the merged document has changes of others that it has not seen. */
  wroteUnseen(sessionId: string, stateId: string, { version, own, ownVersion }: OwnView): MaybePromise<void> {
    return this.#note({ sessionId, stateId, version, own, ownVersion, parts: [] });
  }

  /** Saves the remaining cursors. */
  async close(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    await this.#saving;
    await this.#save();
  }

  /** @param changed - Returns the new cursor; `null` if the present one stays. */
  async #change(
    sessionId: string,
    stateId: string,
    changed: (before: ReadCursor | null) => ReadCursor | null,
  ): Promise<void> {
    const found = await this.of(sessionId, stateId);
    // What the session has read at the same time may be noted meanwhile.
    const cursor = changed(this.#unsaved.get(keyOf(sessionId, stateId)) ?? found);
    if (cursor !== null) await this.#note(cursor);
  }

  #note(cursor: ReadCursor): MaybePromise<void> {
    const key = keyOf(cursor.sessionId, cursor.stateId);
    this.#cursors.set(key, cursor);
    this.#unsaved.set(key, cursor);
    return this.#saved();
  }

  /** Lets cursors be saved. @returns What to wait for: another coordinator may be asked next. */
  #saved(): MaybePromise<void> {
    if (!this.parts.store.isSoleCoordinator) return this.#saveNext();
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      void this.#saveNext();
    }, this.parts.limits.readCursorFlushMs).unref();
    return undefined;
  }

  #saveNext(): Promise<void> {
    this.#saving = this.#saving.then(() => this.#save());
    return this.#saving;
  }

  /**
   * Saves all cursors in one commit. Cursors that cannot be saved stay in memory and are lost at a restart. Beside other
   * coordinators they do not count, and the next read saves them.
   */
  async #save(): Promise<void> {
    const { store, logger } = this.parts;
    const noted = [...this.#unsaved];
    if (noted.length === 0) return;
    try {
      await store.saveReadCursors(noted.map(([, cursor]) => cursor));
    } catch (error) {
      logger.warn({ err: error }, 'what sessions have read could not be saved');
      if (!store.isSoleCoordinator) for (const [key] of noted) this.#cursors.delete(key);
    }
    for (const [key, cursor] of noted) if (this.#unsaved.get(key) === cursor) this.#unsaved.delete(key);
  }
}

function keyOf(sessionId: string, stateId: string): string {
  return `${stateId}#${sessionId}`;
}

/** The newest parts that fit into a cursor; none if the newest alone is too large. */
function newestWithin(
  parts: readonly PartSeen[],
  { readCursorPartsMax, readCursorPartsBytesMax }: Limits,
): readonly PartSeen[] {
  const newest: PartSeen[] = [];
  let bytes = 0;
  for (const part of parts.slice(-readCursorPartsMax).reverse()) {
    bytes += Buffer.byteLength(part.pointer);
    if (bytes > readCursorPartsBytesMax) break;
    newest.unshift(part);
  }
  return newest;
}

/** The estimated memory of a cursor: its objects, and the texts that it holds. */
function bytesOf({ own, parts }: ReadCursor): number {
  const pointers = parts.reduce((sum, { pointer }) => sum + 2 * pointer.length, 0);
  return (
    CURSOR_BYTES + PART_BYTES * parts.length + pointers + (own === null ? 0 : 2 * JSON.stringify(own).length)
  );
}
