// Caches session aggregates and keeps them up to date with each commit. Without it, a parent with many children would
// be loaded for every write of each child.
import { LRUCache } from 'lru-cache';
import { boundedCache } from '../../../lib/bounded-cache.js';
import { changedAggregates } from '../../../domain/transactions/changed-aggregates.js';
import type { Change, Changeset } from '../../../domain/transactions/changeset.js';
import type { SessionAggregate } from '../../../domain/transactions/loaded-records.js';
import { mayBeSessionId } from '../../../domain/session-ids.js';
import type { Client } from '../connection.js';
import type { Loading } from './loading.js';
import { NotOnDisk } from './not-on-disk.js';
import { measured, sizeOf, type Measured } from '../../rows/record-size.js';
import { allIntact, intact } from '../../rows/intact-rows.js';

interface CachedAggregate extends Measured {
  readonly aggregate: SessionAggregate;
}

/** What one group of decisions changes. */
class Changed {
  /** `null`: has to be loaded again. */
  readonly aggregates = new Map<string, SessionAggregate | null>();
  /** The size of the records, by session. */
  readonly grown = new Map<string, number>();
  /** Ids of the sessions that the group creates, by name. */
  readonly created = new Map<string, string>();
  /** The number of sessions that the group adds to each tree. */
  readonly added = new Map<string, number>();
}

/** The session aggregates of one connection. Use only inside its transactions. */
export class SessionAggregates {
  readonly #client: Client;
  readonly #loading: Loading;
  readonly #cache: LRUCache<string, CachedAggregate>;
  /** Ids of cached sessions by name. A name that is not here may still be taken. */
  readonly #ids: LRUCache<string, string>;
  /** Number of sessions by root. */
  readonly #counts: LRUCache<string, number>;
  readonly notOnDisk = new NotOnDisk<Changed>(
    () => new Changed(),
    (changed) => this.#committed(changed),
  );

  constructor(client: Client, loading: Loading, bytesMax: number, namesMax: number) {
    this.#client = client;
    this.#loading = loading;
    this.#ids = boundedCache(namesMax);
    this.#counts = boundedCache(namesMax);
    this.#cache = new LRUCache({ maxSize: bytesMax, sizeCalculation: ({ bytes }) => bytes });
  }

  /** The estimated memory of what is cached. */
  get bytes(): number {
    return this.#cache.calculatedSize;
  }

  /**
   * Applies changes that the open transaction writes.
   *
   * @param loaded - The aggregates that the decision was made on.
   */
  written(changes: Changeset, loaded: ReadonlyMap<string, SessionAggregate>): void {
    const { aggregates } = this.notOnDisk.open;
    const before = (sessionId: string) => this.#pendingOf(sessionId) ?? loaded.get(sessionId);
    for (const [sessionId, after] of changedAggregates(changes, before)) aggregates.set(sessionId, after);
    for (const change of changes) this.#note(change);
  }

  /** `undefined`: no decision that is not on disk has changed it. */
  #pendingOf(sessionId: string): SessionAggregate | null | undefined {
    const open = this.notOnDisk.open.aggregates.get(sessionId);
    return open === undefined ? this.notOnDisk.writing?.aggregates.get(sessionId) : open;
  }

  #note(change: Change): void {
    if (!('put' in change)) return;
    switch (change.put) {
      case 'session': {
        const { rootSessionId, revision } = change.record;
        this.#grow(change.record.sessionId, change.record);
        if (revision > 1) return;
        this.notOnDisk.open.created.set(change.record.sessionName, change.record.sessionId);
        this.notOnDisk.open.added.set(rootSessionId, (this.notOnDisk.open.added.get(rootSessionId) ?? 0) + 1);
        return;
      }
      case 'run':
      case 'completion':
        this.#grow(change.record.sessionId, change.record);
        return;
      case 'callback':
        this.#grow(change.record.parentSessionId, change.record);
        this.#grow(change.record.childSessionId, change.record);
        return;
      default:
    }
  }

  #grow(sessionId: string, record: object): void {
    const { grown } = this.notOnDisk.open;
    grown.set(sessionId, (grown.get(sessionId) ?? 0) + sizeOf(record));
  }

  #committed({ aggregates, added, grown }: Changed): void {
    for (const [sessionId, after] of aggregates) {
      if (after === null) this.#cache.delete(sessionId);
      else this.#put(sessionId, after, grown.get(sessionId) ?? 0);
    }
    for (const [root, count] of added) {
      const known = this.#counts.peek(root);
      if (known !== undefined) this.#counts.set(root, known + count);
    }
  }

  /** Discards everything: a transaction was rolled back, or another connection has written. */
  clear(): void {
    this.notOnDisk.clear();
    this.#cache.clear();
    this.#ids.clear();
    this.#counts.clear();
  }

  /**
   * The aggregate of a session that is not deleted, if it is cached and no decision that is not on disk changes it;
   * `undefined` says nothing.
   */
  known(idOrName: string): SessionAggregate | undefined {
    const isChanged = (id: string) => this.#pendingOf(id) !== undefined;
    return this.#sessionOf(idOrName, (id) => (isChanged(id) ? undefined : this.#cache.get(id)?.aggregate));
  }

  /** The session with this id or name that is not deleted. A name that may be an id says nothing: the id has priority. */
  #sessionOf(
    idOrName: string,
    aggregateOf: (sessionId: string) => SessionAggregate | undefined,
  ): SessionAggregate | undefined {
    const isId = mayBeSessionId(idOrName);
    const id = isId ? idOrName : this.#ids.get(idOrName);
    const found = id === undefined ? undefined : aggregateOf(id);
    if (found?.session.deletedAt !== null) return undefined;
    return isId || found.session.sessionName === idOrName ? found : undefined;
  }

  /**
   * The committed aggregate of a session that is not deleted. `undefined` if it is not cached and a decision that is not
   * on disk changes it, or if there is none.
   *
   * @throws RecordDamagedError
   */
  committedOf(idOrName: string): SessionAggregate | undefined {
    return this.#sessionOf(idOrName, (id) => this.#cache.get(id)?.aggregate) ?? this.#loadedOf(idOrName);
  }

  #loadedOf(idOrName: string): SessionAggregate | undefined {
    const id = mayBeSessionId(idOrName)
      ? idOrName
      : this.#loading.sessionIdByName.get({ id: idOrName })?.sessionId;
    const found = id === undefined || this.#pendingOf(id) !== undefined ? undefined : this.get(id);
    return found?.session.deletedAt === null ? found : undefined;
  }

  /** @throws Error - A decision whose rows are not written yet has changed it, and only the rows say into what. */
  get(sessionId: string): SessionAggregate | undefined {
    const known = this.#inMemory(sessionId);
    if (known !== undefined) return known;
    const isChanged = this.#pendingOf(sessionId) !== undefined;
    if (isChanged && !this.#client.inTransaction)
      throw new Error('The rows of a session are not written yet');
    const aggregate = this.#load(sessionId);
    // What an open transaction has written is not cached before its commit.
    if (aggregate !== undefined && !isChanged) this.#put(sessionId, aggregate);
    return aggregate;
  }

  /** The id of a session in memory with this id or name that is not deleted; `undefined` says nothing. */
  knownId(idOrName: string): string | undefined {
    const created =
      this.notOnDisk.open.created.get(idOrName) ?? this.notOnDisk.writing?.created.get(idOrName);
    if (created !== undefined) return created;
    return this.#sessionOf(idOrName, (id) => this.#inMemory(id))?.session.sessionId;
  }

  /** With what decisions that are not on disk have changed. */
  #inMemory(sessionId: string): SessionAggregate | undefined {
    const pending = this.#pendingOf(sessionId);
    return pending === undefined ? this.#cache.get(sessionId)?.aggregate : (pending ?? undefined);
  }

  /** The number of sessions of a tree, deleted ones included. */
  countOf(rootSessionId: string): number {
    const known = this.#counts.get(rootSessionId);
    const added =
      (this.notOnDisk.open.added.get(rootSessionId) ?? 0) +
      (this.notOnDisk.writing?.added.get(rootSessionId) ?? 0);
    if (known !== undefined) return known + added;
    const count = this.#loading.sessionCount.get({ id: rootSessionId })?.sessions ?? 0;
    this.#counts.set(rootSessionId, count - added);
    return count;
  }

  /** @param grownBytes - The size of the records that were written since it was cached. */
  #put(sessionId: string, aggregate: SessionAggregate, grownBytes = 0): void {
    const before = this.#cache.peek(sessionId);
    this.#cache.set(sessionId, { aggregate, ...measured(aggregate, before, grownBytes) });
    const { sessionName, deletedAt } = aggregate.session;
    const isNamed = before?.aggregate.session.sessionName === sessionName;
    if (!isNamed && deletedAt === null) this.#ids.set(sessionName, sessionId);
  }

  #load(id: string): SessionAggregate | undefined {
    const session = this.#loading.session.get({ id });
    if (session === undefined) return undefined;
    const since = { id, generation: session.generation };
    return {
      session: intact('session', session),
      completions: allIntact('completion', this.#loading.completions.all(since)),
      runs: allIntact('run', this.#loading.unfinishedRuns.all({ id })),
      inbox: allIntact('callback', this.#loading.inbox.all({ id })),
      outbox: allIntact('callback', this.#loading.outbox.all(since)),
    };
  }
}
