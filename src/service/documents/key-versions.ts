// Finds the version in which each top-level member of a document last changed. It searches the history on request
// and caches the result, so a write of the state costs nothing extra.
import { LRUCache } from 'lru-cache';
import { jsonEqual, ownMember, type JsonObject } from '../../domain/json/json.js';
import type { Limits } from '../../domain/limits.js';
import type { Patch, PatchOperation } from '../../domain/json/patch.js';
import { locationsOf } from '../../domain/json/patch-locations.js';
import { parsePointer } from '../../domain/json/pointer.js';
import type { StateEvent, StateHead } from '../../domain/records/records.js';
import type { Store } from '../../ports/storage/store.js';
import type { Documents } from './documents.js';
import { patchOf } from './patch-of.js';

/** The last change of a member. */
export interface KeyFacts {
  /** The version of the state that contains the change. */
  readonly version: number;
  readonly updatedAt: number;
  /** The session that wrote the change; `null` for an operator, and if the change is older than the search goes. */
  readonly updatedBy: string | null;
}

type Facts = ReadonlyMap<string, KeyFacts>;
type Head = Pick<StateHead, 'stateId' | 'version' | 'lastHash' | 'createdAt'>;

interface CacheEntry extends Pick<StateHead, 'version' | 'lastHash'> {
  readonly facts: Facts;
}

interface Parts {
  readonly store: Store;
  readonly documents: Documents;
  readonly limits: Limits;
}

export class KeyVersions {
  readonly #entries: LRUCache<string, CacheEntry>;

  constructor(private readonly parts: Parts) {
    this.#entries = new LRUCache({
      maxSize: parts.limits.keyFactsMax,
      sizeCalculation: ({ facts }) => facts.size + 1,
    });
  }

  /**
   * Finds the facts of every member of a document.
   *
   * The search goes back `keyReplayEventsMax` versions at least, and twice that at most. A member that did not
   * change in them may get a version that is too high, but never one that is too low: no change goes unnoticed.
   */
  async of(head: Head, document: JsonObject): Promise<Facts> {
    const cached = this.#entries.get(head.stateId);
    if (cached?.version === head.version && cached.lastHash === head.lastHash) return cached.facts;
    const known =
      cached !== undefined && cached.version < head.version ? cached : { version: 0, facts: NOTHING };
    const facts = await this.#look(head, document, known);
    if ((this.#entries.get(head.stateId)?.version ?? 0) <= head.version) {
      this.#entries.set(head.stateId, { version: head.version, lastHash: head.lastHash, facts });
    }
    return facts;
  }

  /** Discards everything: the database may have another history now. */
  clear(): void {
    this.#entries.clear();
  }

  async #look(head: Head, document: JsonObject, known: { version: number; facts: Facts }): Promise<Facts> {
    const { keyReplayEventsMax: span, listItemsMax } = this.parts.limits;
    const found = new Map<string, KeyFacts>();
    const missing = new Set(Object.keys(document));
    const oldest = await this.parts.store.read.oldestVersion(head.stateId);
    // The bound stays the same for many versions in a row, so the reported version of an old member seldom
    // changes. The search includes the event of the bound itself: a key that it changed then has the same version
    // and writer for all readers.
    const since = Math.max(oldest, (Math.floor(head.version / span) - 1) * span, 1);
    const low = Math.max(known.version, since - 1);
    for (let high = head.version; high > low && missing.size > 0;) {
      const from = Math.max(low, high - listItemsMax);
      for (const event of (await this.#events(head.stateId, from, high)).toReversed()) {
        for (const key of await this.#changedBy(event, missing)) {
          missing.delete(key);
          found.set(key, { version: event.version, updatedAt: event.createdAt, updatedBy: event.sessionId });
        }
      }
      high = from;
    }
    const bound = { version: since, updatedAt: head.createdAt, updatedBy: null };
    for (const key of missing) found.set(key, known.facts.get(key) ?? bound);
    return found;
  }

  async #events(stateId: string, since: number, until: number): Promise<StateEvent[]> {
    const all: StateEvent[] = [];
    for (let done = since; done < until;) {
      const bytesMax = this.parts.limits.eventBytesPerPageMax;
      const { events } = await this.parts.store.read.events(stateId, done, until - done, bytesMax);
      all.push(...events);
      done = events.at(-1)?.version ?? until;
    }
    return all;
  }

  /** The members that the event changed. */
  async #changedBy(event: StateEvent, members: ReadonlySet<string>): Promise<readonly string[]> {
    const changes = operationsByKey(patchOf(event));
    if (changes !== null) return [...changes.keys()].filter((key) => members.has(key));
    const { documents } = this.parts;
    const [before, after] = await Promise.all([
      event.version === 1 ? null : documents.past(event.stateId, event.version - 1),
      documents.past(event.stateId, event.version),
    ]);
    return [...members].filter((key) => !jsonEqual(ownMember(before, key), ownMember(after, key)));
  }
}

const NOTHING: ReadonlyMap<string, KeyFacts> = new Map();

/** The operations that affect each member, in patch order; `null` if the patch replaces the whole document. */
export function operationsByKey(patch: Patch): ReadonlyMap<string, PatchOperation[]> | null {
  const found = new Map<string, PatchOperation[]>();
  for (const operation of patch) {
    for (const pointer of locationsOf(operation)) {
      const [key] = parsePointer(pointer) ?? [];
      if (key === undefined) return null;
      const operations = found.get(key);
      if (operations === undefined) found.set(key, [operation]);
      else if (operations.at(-1) !== operation) operations.push(operation);
    }
  }
  return found;
}
