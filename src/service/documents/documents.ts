// Documents of states, rebuilt from snapshots and patches. The newest document of each state is cached in parsed
// form, within a bound of bytes.
import { LRUCache } from 'lru-cache';
import { RecordDamagedError } from '../../domain/damage/damage.js';
import { isJsonObject, parsedJson, type JsonObject } from '../../domain/json/json.js';
import type { StateHead } from '../../domain/records/records.js';
import type { Changeset } from '../../domain/transactions/changeset.js';
import type { StateEnvelope } from '../../ports/api/index.js';
import type { DocumentSource } from '../../ports/storage/reader.js';
import type { Store } from '../../ports/storage/store.js';
import { applyPatch } from '../../document/index.js';
import { patchFrom } from './patch-of.js';
import type { StateSizes } from './state-sizes.js';
import type { DocumentTexts } from './document-texts.js';

/** A cached document is measured again when its size has changed by more than one eighth. */
const WEIGHED_AGAIN = 8;

/**
 * A version of a state, and the hash of its event: after a failover that lost commits, another document may have the same
 * version.
 */
type DocumentVersion = Pick<StateHead, 'stateId' | 'version' | 'lastHash'>;

interface CachedDocument {
  version: number;
  lastHash: string;
  document: JsonObject;
  /** The envelope of the document, once it was built. */
  envelope: StateEnvelope | null;
  /** The document's size when it was last measured, in bytes. */
  readonly weighed: number;
  /** About how many bytes the commits of other coordinators may have added since. */
  added: number;
}

export class Documents {
  readonly #entries: LRUCache<string, CachedDocument>;

  constructor(
    private readonly store: Store,
    bytesMax: number,
    private readonly sizes: StateSizes,
    private readonly texts: DocumentTexts,
  ) {
    this.#entries = new LRUCache({
      maxSize: bytesMax,
      // An estimate for text and parsed form together; that is enough for a bound.
      sizeCalculation: ({ weighed }) => weighed * 4 + 512,
    });
  }

  /** The estimated memory of what is cached. */
  get bytes(): number {
    return this.#entries.calculatedSize;
  }

  /** The newest document of a state, if it is that of this head and is cached. */
  cached(head: DocumentVersion): JsonObject | undefined {
    const cached = this.#entryOf(head);
    if (cached === undefined) return undefined;
    const { document, added } = cached;
    if (added > 0) this.cache(head, document);
    return document;
  }

  #entryOf({ stateId, version, lastHash }: DocumentVersion): CachedDocument | undefined {
    const cached = this.#entries.get(stateId);
    return cached?.version === version && cached.lastHash === lastHash ? cached : undefined;
  }

  /** The document of a head; `null` if the state does not have the version, or no longer. */
  async at(head: DocumentVersion): Promise<JsonObject | null> {
    const { stateId, version } = head;
    const cached = this.cached(head);
    if (cached !== undefined) return cached;
    const source = await this.store.read.document(stateId, version);
    if (source?.version !== version) return null;
    const document = this.#rebuild(source);
    if ((this.#entries.peek(stateId)?.version ?? 0) <= version) this.cache(head, document);
    return document;
  }

  /** The same for a past version. It is not cached: the cache holds the newest version only. */
  async past(stateId: string, version: number): Promise<JsonObject | null> {
    const cached = this.#entries.get(stateId);
    if (cached?.version === version) return cached.document;
    const source = await this.store.read.document(stateId, version);
    return source?.version === version ? this.#rebuild(source) : null;
  }

  /** Caches the newest document of a state. */
  cache({ stateId, version, lastHash }: DocumentVersion, document: JsonObject): void {
    const bytes = this.texts.bytes(document);
    this.sizes.note(stateId, bytes);
    const cached = this.#entries.peek(stateId);
    if (cached === undefined || Math.abs(bytes - cached.weighed) > cached.weighed / WEIGHED_AGAIN) {
      this.#entries.set(stateId, { version, lastHash, document, envelope: null, weighed: bytes, added: 0 });
      return;
    }
    moveTo(cached, { version, lastHash, document, added: 0 });
  }

  /**
   * Applies what another coordinator has committed to the cached documents, where it tells the patch. They are measured when
   * they are used, or may have doubled.
   */
  onCommit(changes: Changeset): void {
    for (const change of changes) {
      if (!('put' in change) || change.put !== 'event') continue;
      const { stateId, version, patchText, previousHash, hash } = change.record;
      const cached = this.#entries.peek(stateId);
      const isNext = cached?.version === version - 1 && cached.lastHash === previousHash;
      if (!isNext || patchText === '') continue;
      try {
        const patch = patchFrom(patchText, stateId, version);
        const document = applyPatch(cached.document, patch);
        const added = patch.some(({ op }) => op === 'copy') ? Infinity : cached.added + patchText.length;
        if (added > cached.weighed) this.cache({ stateId, version, lastHash: hash }, document);
        else moveTo(cached, { version, lastHash: hash, document, added });
      } catch {
        // The next read rebuilds the document, and reports what is damaged.
      }
    }
  }

  /** The envelope of a version, if it is cached. */
  cachedEnvelope(head: DocumentVersion): StateEnvelope | null {
    return this.#entryOf(head)?.envelope ?? null;
  }

  /** Caches the present envelope of a state for as long as its document is cached. */
  cacheEnvelope(head: DocumentVersion, envelope: StateEnvelope): void {
    const cached = this.#entryOf(head);
    if (cached !== undefined) cached.envelope = envelope;
  }

  /** Discards all documents: the database may have another history now. */
  clear(): void {
    this.#entries.clear();
  }

  invalidate(stateId: string): void {
    this.#entries.delete(stateId);
    this.sizes.invalidate(stateId);
  }

  #rebuild(source: DocumentSource): JsonObject {
    let document = objectFrom(source.snapshot);
    const { stateId, version } = source.snapshot;
    for (const [i, text] of source.patchTexts.entries()) {
      const at = version + i + 1;
      const patch = patchFrom(text, stateId, at);
      try {
        document = applyPatch(document, patch);
      } catch {
        throw damaged(
          'event',
          `${stateId}@${String(at)}`,
          'patch',
          'does not apply to the version before it',
        );
      }
    }
    if (source.patchTexts.length === 0) this.texts.note(document, source.snapshot.text);
    return document;
  }
}

/** The entry holds another version of its document from here on. */
function moveTo(
  cached: CachedDocument,
  to: Pick<CachedDocument, 'version' | 'lastHash' | 'document' | 'added'>,
): void {
  Object.assign(cached, to);
  cached.envelope = null;
}

function objectFrom({ stateId, version, text }: DocumentSource['snapshot']): JsonObject {
  const value = parsedJson(text);
  if (isJsonObject(value)) return value;
  throw damaged('snapshot', `${stateId}@${String(version)}`, 'text', 'is not a JSON object');
}

function damaged(kind: 'event' | 'snapshot', id: string, column: string, what: string): RecordDamagedError {
  return new RecordDamagedError({ kind, id, column, what });
}
