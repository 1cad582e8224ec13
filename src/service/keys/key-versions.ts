// Since which version each top-level member of a document is as it is. Found in the history when somebody asks, and
// kept from there on: a write of the state pays nothing for it.
import { LRUCache } from 'lru-cache';
import { jsonEqual, type JsonObject } from '../../domain/json/json.js';
import type { Limits } from '../../domain/limits.js';
import type { Patch, PatchOperation } from '../../domain/json/patch.js';
import { parsePointer } from '../../domain/json/pointer.js';
import type { StateEvent, StateHead } from '../../domain/records/records.js';
import type { Store } from '../../ports/store.js';
import type { Documents } from '../states/documents.js';
import { patchOf } from '../states/patch-of.js';

/** When a member last changed. */
export interface KeyFacts {
  /** Version of the state that it was written with. */
  readonly version: number;
  readonly updatedAt: number;
  /** Session that wrote it; `null` for the operator, and where that is too far back to be looked for. */
  readonly updatedBy: string | null;
}

type Facts = ReadonlyMap<string, KeyFacts>;
type Head = Pick<StateHead, 'stateId' | 'version' | 'createdAt'>;

interface Parts {
  readonly store: Store;
  readonly documents: Documents;
  readonly limits: Limits;
}

export class KeyVersions {
  readonly #kept: LRUCache<string, { readonly version: number; readonly facts: Facts }>;

  constructor(private readonly parts: Parts) {
    this.#kept = new LRUCache({
      maxSize: parts.limits.keyFactsMax,
      sizeCalculation: ({ facts }) => facts.size + 1,
    });
  }

  /**
   * The facts of every member of a document.
   *
   * A member that has not changed for `keyReplayEventsMax` versions and more may be said to be newer than it is: the
   * history is looked through no further. Never the other way round, so that no change goes unnoticed.
   */
  async of(head: Head, document: JsonObject): Promise<Facts> {
    const kept = this.#kept.get(head.stateId);
    if (kept?.version === head.version) return kept.facts;
    const known = kept !== undefined && kept.version < head.version ? kept : { version: 0, facts: NOTHING };
    const facts = await this.#look(head, document, known);
    if ((this.#kept.get(head.stateId)?.version ?? 0) <= head.version) {
      this.#kept.set(head.stateId, { version: head.version, facts });
    }
    return facts;
  }

  async #look(head: Head, document: JsonObject, known: { version: number; facts: Facts }): Promise<Facts> {
    const { keyReplayEventsMax: span, listItemsMax } = this.parts.limits;
    const found = new Map<string, KeyFacts>();
    const missing = new Set(Object.keys(document));
    const oldest = await this.parts.store.read.oldestVersion(head.stateId);
    // The same bound for many versions on end, so that what is said of an old member seldom changes.
    // The event of the bound itself is looked at too: a key that it changed has one version and one writer for it.
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

  /** Those of the members that the event changed. */
  async #changedBy(event: StateEvent, members: ReadonlySet<string>): Promise<readonly string[]> {
    const changes = operationsByKey(patchOf(event));
    if (changes !== null) return [...changes.keys()].filter((key) => members.has(key));
    const { documents } = this.parts;
    const [before, after] = await Promise.all([
      event.version === 1 ? null : documents.past(event.stateId, event.version - 1),
      documents.past(event.stateId, event.version),
    ]);
    return [...members].filter((key) => !jsonEqual(own(before, key), own(after, key)));
  }
}

const NOTHING: Facts = new Map();

/** The operations that reach each member, in their order; `null` where the patch replaces the whole document. */
export function operationsByKey(patch: Patch): ReadonlyMap<string, PatchOperation[]> | null {
  const found = new Map<string, PatchOperation[]>();
  for (const operation of patch) {
    const pointers = operation.op === 'move' ? [operation.path, operation.from] : [operation.path];
    for (const pointer of pointers) {
      const [key] = parsePointer(pointer) ?? [];
      if (key === undefined) return null;
      const operations = found.get(key);
      if (operations === undefined) found.set(key, [operation]);
      else if (operations.at(-1) !== operation) operations.push(operation);
    }
  }
  return found;
}

/** A member of its own, or nothing. */
export function own(document: JsonObject | null, key: string) {
  return document !== null && Object.hasOwn(document, key) ? document[key] : undefined;
}
