// Which tree a record belongs to. Only a repair changes that, so it is cached without a bound in time, and read without a lock.
import { LRUCache } from 'lru-cache';
import type { Changeset } from '../../domain/transactions/changeset.js';
import type { LoadRequest } from '../../domain/transactions/loaded-records.js';
import type { Session } from '../../domain/records/records.js';
import { mayBeSessionId } from '../../domain/session-ids.js';
import type { Connection } from './connection/connections.js';
import { keyOfLoad, originKey, type Lookup } from './writes/commits/commit-keys.js';

const KEYS_MAX = 100_000;

const ROOT_OF: Readonly<Record<Exclude<Lookup['of'], 'name'>, string>> = {
  session: 'select root_session_id as key from sessions where session_id = $1',
  state: 'select root_session_id as key from workflow_states where state_id = $1',
  run: 'select root_session_id as key from runs where run_id = $1',
  callback: `select root_session_id as key from callbacks where callback_id = $1`,
  delivery: 'select origin as key from webhook_deliveries where delivery_id = $1',
};

export class Roots {
  readonly #keys = new LRUCache<string, string>({ max: KEYS_MAX });

  /** What is known of a commit. */
  note(changes: Changeset): void {
    this.noteIds(changes);
    for (const change of changes)
      if ('put' in change && change.put === 'session') this.noteName(change.record);
  }

  /** The trees of records that a transaction has written. If it is rolled back, nobody knows their ids. */
  noteIds(changes: Changeset): void {
    for (const change of changes) {
      if (!('put' in change)) continue;
      const { put, record } = change;
      if (put === 'session') this.#keys.set(`session ${record.sessionId}`, record.rootSessionId);
      else if (put === 'state') this.#keys.set(`state ${record.stateId}`, record.rootSessionId);
      else if (put === 'run') this.#keys.set(`run ${record.runId}`, record.rootSessionId);
      else if (put === 'callback') this.#keys.set(`callback ${record.callbackId}`, record.rootSessionId);
    }
  }

  /** The name of a deleted session may go to another tree. */
  noteName({
    sessionName,
    rootSessionId,
    deletedAt,
  }: Pick<Session, 'sessionName' | 'rootSessionId' | 'deletedAt'>): void {
    if (deletedAt === null) this.#keys.set(`name ${sessionName}`, rootSessionId);
    else this.#keys.delete(`name ${sessionName}`);
  }

  /** Records were repaired, or may have been. */
  clear(): void {
    this.#keys.clear();
  }

  /** The keys that a load needs, as far as they are known without a look at the database. */
  known(load: LoadRequest): readonly string[] {
    const key = keyOfLoad(load);
    if (key === null) return [];
    if (typeof key === 'string') return [key];
    const known = this.#known(key);
    return known === undefined ? [] : [known];
  }

  /**
   * The tree of a record; `undefined` if there is no such record.
   *
   * @param connection - Called if it has to be looked up.
   */
  async of(lookup: Lookup, connection: () => Connection): Promise<string | undefined> {
    return this.#known(lookup) ?? (await this.#find(lookup, connection()));
  }

  /** The tree of the session that had this name last, as far as it is known. */
  ofName(name: string): string | undefined {
    return this.#keys.get(`name ${name}`);
  }

  /** The key that a load needs; `undefined` if it needs none, or there is no such record. */
  async keyOf(load: LoadRequest, connection: () => Connection): Promise<string | undefined> {
    const key = keyOfLoad(load);
    return key === null || typeof key === 'string' ? (key ?? undefined) : this.of(key, connection);
  }

  /** The keys that loads need. Those of records that are not there are missing. */
  async keysOf(loads: readonly LoadRequest[], connection: () => Connection): Promise<readonly string[]> {
    const found = await Promise.all(loads.map((load) => this.keyOf(load, connection)));
    return found.filter((key) => key !== undefined);
  }

  /** An id has priority over a name, but a name may be the id of another session. */
  #known({ of, id }: Lookup): string | undefined {
    if (of === 'name' && mayBeSessionId(id)) return this.#keys.get(`session ${id}`);
    return this.#keys.get(`${of} ${id}`);
  }

  async #find({ of, id }: Lookup, connection: Connection): Promise<string | undefined> {
    if (of === 'name') {
      // Whoever looks for a name finds a session, and locks its tree.
      return mayBeSessionId(id) ? this.#find({ of: 'session', id }, connection) : undefined;
    }
    const { rows } = await connection.query<{ key: string }>({
      name: `root_of_${of}`,
      text: ROOT_OF[of],
      values: [id],
    });
    const found = rows[0]?.key;
    if (found === undefined) return undefined;
    const key = of === 'delivery' ? originKey(found) : found;
    this.#keys.set(`${of} ${id}`, key);
    return key;
  }
}
