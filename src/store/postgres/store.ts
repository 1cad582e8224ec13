// The PostgreSQL store: a queue of requests in front of a pool of connections.
import type { Damage } from '../../domain/damage/damage.js';
import type { StateHead } from '../../domain/records/records.js';
import type { Compaction } from '../../domain/states/retention.js';
import type { Changeset } from '../../domain/transactions/changeset.js';
import type { Decide, LoadRequest } from '../../domain/transactions/loaded-records.js';
import { NOTHING_KNOWN, type PruneBounds, type Pruned, type Reader, type Store } from '../../ports/store.js';
import type { StoreLimits } from '../limits.js';
import { Listeners } from '../listeners.js';
import { requestOf, type Request, type Result } from '../request.js';
import type { Connections } from './connections.js';
import { fault } from './faults.js';
import type { PostgresLimits } from './limits.js';
import { PostgresReader } from './reads/reader.js';
import { Committer } from './writes/committer.js';
import { keptSetting } from './settings.js';
import { prune } from './writes/prune.js';

/** The parts of a store. */
export interface PostgresStoreParts {
  readonly connections: Connections;
  readonly limits: StoreLimits & PostgresLimits;
  /** Called with errors of subscribers. */
  readonly onError: (error: unknown) => void;
}

/** A store on one PostgreSQL database, which other coordinators may use too. `openPostgresStore` creates it. */
export class PostgresStore implements Store {
  readonly read: Reader;
  /** Another coordinator may have written: no cached record is certainly current. */
  readonly known = NOTHING_KNOWN;
  readonly #connections: Connections;
  readonly #limits: StoreLimits & PostgresLimits;
  readonly #committer: Committer;
  readonly #listeners: Listeners;
  readonly #damageListeners = new Set<(damage: Damage) => void>();
  /** The settings that were asked for. They never change. */
  readonly #settings = new Map<string, Promise<string>>();
  #queue: Request[] = [];
  /** Writes what is queued, until nothing is; `null` while nothing is queued. */
  #writing: Promise<void> | null = null;
  #closed: Promise<void> | null = null;

  constructor({ connections, limits, onError }: PostgresStoreParts) {
    this.#connections = connections;
    this.#limits = limits;
    const onDamage = (damage: Damage) => {
      for (const listener of [...this.#damageListeners]) listener(damage);
    };
    this.#listeners = new Listeners(onError);
    this.#committer = new Committer(connections, limits, onDamage);
    this.read = new PostgresReader(connections, onDamage);
  }

  transact<T>(loads: readonly LoadRequest[], decide: Decide<T>, gathered = false): Promise<T> {
    if (this.#closed !== null) return Promise.reject(new Error('The store is closed'));
    const { request, value } = requestOf(loads, decide, fault);
    this.#queue.push(request);
    this.#writing ??= this.#write(gathered);
    return value;
  }

  /** Another coordinator may have written: no cached head is certainly current. */
  knownHead(): StateHead | undefined {
    return undefined;
  }

  subscribe(listener: (changes: Changeset) => void): () => void {
    return this.#listeners.add(listener);
  }

  onDamage(listener: (damage: Damage) => void): () => void {
    const own = (damage: Damage) => listener(damage);
    this.#damageListeners.add(own);
    return () => {
      this.#damageListeners.delete(own);
    };
  }

  prune(cuts: readonly Compaction[], bounds: PruneBounds): Promise<Pruned> {
    return this.#committer.exclusively((connection) => prune(connection, cuts, bounds));
  }

  setting(name: string, make: () => string): Promise<string> {
    let setting = this.#settings.get(name);
    if (setting === undefined) {
      setting = this.#connections.use((connection) => keptSetting(connection, name, make));
      this.#settings.set(name, setting);
      setting.catch(() => this.#settings.delete(name));
    }
    return setting;
  }

  async writable(): Promise<boolean> {
    const probe = this.#connections.use(async (connection) => {
      const { rows } = await connection.query<{ is_writable: boolean }>(
        "select current_setting('transaction_read_only') = 'off' as is_writable",
      );
      return rows[0]?.is_writable === true;
    });
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), this.#limits.probeMs);
    });
    try {
      return await Promise.race([probe.catch(() => false), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  close(): Promise<void> {
    this.#closed ??= (this.#writing ?? Promise.resolve()).then(() => this.#connections.close());
    return this.#closed;
  }

  async #write(gathered: boolean): Promise<void> {
    // All requests of this event loop iteration share the commit. Gathered requests only wait for pending promise
    // callbacks.
    await new Promise<void>((resolve) => {
      if (gathered) queueMicrotask(() => process.nextTick(resolve));
      else setImmediate(resolve);
    });
    while (this.#queue.length > 0) {
      const group = this.#queue.splice(0, this.#limits.groupRequestsMax);
      this.#settle(group, await this.#committer.run(group));
    }
    this.#writing = null;
  }

  /** Calls the listeners, then the callers. */
  #settle(group: readonly Request[], results: readonly Result[]): void {
    for (const result of results) {
      if (result.ok && result.changes.length > 0) this.#listeners.tell(result.changes);
    }
    group.forEach((request, i) => request.answer(results[i] ?? { ok: false, error: new Error('No result') }));
  }
}
