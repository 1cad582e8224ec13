// Collects the rows of changesets and writes them with few statements. A record that several decisions of a
// transaction change is written once.
import type { Change, Changeset, Put } from '../../../domain/transactions/changeset.js';
import { allOf } from '../../../lib/all-of.js';
import type { Connection } from '../connection/connections.js';
import { COUNT_ROWS, FEED_BLOCK, TAKE_NUMBER } from './commits/commit-log.js';
import { guardsOf, REMOVES } from './guards.js';
import { RECORD_TABLES, type RecordTable } from './record-tables.js';
import type { BatchStatement, StoredRow } from './row-batch.js';

/** A row to write. */
interface Pending {
  /** The identity of the record, as JSON text. */
  readonly id: string;
  readonly row: StoredRow;
  /** The revision that the row replaces; `null` for an insert. */
  readonly replaces: number | null;
  readonly revision: number;
}

/** The tables whose rows are counted for each tree, by kind. */
const COUNTED = {
  session: 'sessions',
  completion: 'completions',
  run: 'runs',
  callback: 'callbacks',
} as const;

type Counts = Record<(typeof COUNTED)[keyof typeof COUNTED], number>;

/** The rows of one transaction. */
export class Writer {
  readonly #connection: () => Connection;
  readonly #isChecked: boolean;
  /** The number of commits of the webhooks, if the transaction does not hold their lock. */
  watched: number | null = null;
  /** By kind, then by identity. */
  readonly #pending = new Map<Put['put'], Map<string, Pending>>();
  readonly #counts = new Map<string, Counts>();
  /** How many items of the feed have the number of the commit. */
  #items = 0;
  #hasNumber = false;
  #failed = false;

  /**
   * @param isChecked - Says which record is not as it has to be. Otherwise the server only refuses the transaction, so
   * that its commit can be sent before the answer.
   */
  constructor(connection: () => Connection, isChecked: boolean) {
    this.#connection = connection;
    this.#isChecked = isChecked;
  }

  /**
   * Adds the rows of a changeset.
   *
   * @throws Error - A record is not at the revision that its change replaces. The transaction has to be rolled back.
   */
  async write(changes: Changeset): Promise<void> {
    if (this.#items + changes.length > FEED_BLOCK) {
      if (changes.length > FEED_BLOCK) throw new Error('A decision changes too many records for one commit');
      await this.flush();
      [this.#items, this.#hasNumber] = [0, false];
    }
    for (const change of changes) {
      if ('remove' in change) {
        await this.flush();
        for (const text of REMOVES[change.remove]) await this.#connection().query(text, [change.id]);
      } else if (change.put !== 'notice') this.#put(change);
    }
    // Domain events follow the state events of their changeset.
    for (const change of changes) if ('put' in change && change.put === 'notice') this.#put(change);
  }

  /** Sends all rows, and waits until they are written. @throws Error - Of the database, or as for `write`. */
  async flush(): Promise<void> {
    const sent = this.send();
    if (sent.length === 0) return;
    this.#failed = true;
    await allOf(sent);
    this.#failed = false;
  }

  /** Sends all rows. The statements that follow are sent before the answers. */
  send(): readonly Promise<unknown>[] {
    if (this.#pending.size === 0) return [];
    const guards = guardsOf((kind) => this.#rowsOf(kind), this.watched);
    const sent: Promise<unknown>[] = guards.map((guard) => this.#connection().query(guard));
    if (this.#items > 0) sent.push(...this.takeNumber());
    for (const table of RECORD_TABLES) {
      const pending = this.#pending.get(table.kind);
      if (pending !== undefined) sent.push(...this.#send(table, [...pending.values()]));
    }
    this.#pending.clear();
    const counted = [...this.#counts].map(([key, counts]) => ({ key, ...counts }));
    this.#counts.clear();
    if (counted.length > 0)
      sent.push(this.#connection().query({ ...COUNT_ROWS, values: [JSON.stringify(counted)] }));
    return sent;
  }

  /** Takes the number of the commit, if it has none. To be sent before what uses it. */
  takeNumber(): readonly Promise<unknown>[] {
    if (this.#hasNumber) return [];
    this.#hasNumber = true;
    return [this.#connection().query(TAKE_NUMBER)];
  }

  /** True if the commit has its number. It locks nothing more then: commits of one tree have increasing numbers. */
  get hasNumber(): boolean {
    return this.#hasNumber;
  }

  /** True if rows could not be written. The transaction has to be rolled back. */
  get failed(): boolean {
    return this.#failed;
  }

  #rowsOf(kind: Put['put']): readonly StoredRow[] {
    return [...(this.#pending.get(kind)?.values() ?? [])].map(({ row }) => row);
  }

  #put(change: Put): void {
    const { put, record } = change;
    const table = RECORD_TABLES.find(({ kind }) => kind === put);
    if (table === undefined) throw new Error(`No table holds records of the kind ${put}`);
    let pending = this.#pending.get(put);
    if (pending === undefined) this.#pending.set(put, (pending = new Map<string, Pending>()));
    if (table.writing === 'appended') {
      const row = table.rows.rowOf(record, this.#numbers(change, pending.size));
      const id = String(pending.size);
      pending.set(id, { id, row, replaces: null, revision: 1 });
      return;
    }
    const id = identityOf(table, record);
    const revision = 'revision' in record && typeof record.revision === 'number' ? record.revision : 1;
    const before = pending.get(id);
    if (before !== undefined && table.writing === 'revised' && before.revision !== revision - 1)
      throw staleRecord(id, revision);
    if (before === undefined && revision === 1) this.#count(change);
    const first = revision === 1 ? null : revision - 1;
    const replaces = before === undefined ? first : before.replaces;
    pending.set(id, { id, row: table.rows.rowOf(record), replaces, revision });
  }

  #count(change: Change): void {
    if (!('put' in change)) return;
    const { put, record } = change;
    if (put !== 'session' && put !== 'completion' && put !== 'run' && put !== 'callback') return;
    let counts = this.#counts.get(record.rootSessionId);
    if (counts === undefined) {
      counts = { sessions: 0, completions: 0, runs: 0, callbacks: 0 };
      this.#counts.set(record.rootSessionId, counts);
    }
    counts[COUNTED[put]] += 1;
  }

  /** The columns of a row that the record does not have. */
  #numbers({ put, record }: Put, index: number): StoredRow {
    switch (put) {
      case 'event':
        return { seq: this.#nextItem(), state_id: record.stateId };
      case 'notice':
        return { seq: this.#nextItem() };
      case 'snapshot':
        return { seq: index + 1, state_id: record.stateId };
      default:
        return { seq: index + 1 };
    }
  }

  #nextItem(): number {
    this.#items += 1;
    return this.#items - 1;
  }

  #send(table: RecordTable, pending: readonly Pending[]): readonly Promise<unknown>[] {
    const { rows, writing } = table;
    if (writing === 'replaced') return [this.#insert(rows.upsert, pending)];
    const inserts = pending.filter(({ replaces }) => replaces === null);
    const updates = pending.filter(({ replaces }) => replaces !== null);
    return [
      ...(inserts.length === 0 ? [] : [this.#insert(rows.insert, inserts)]),
      ...(updates.length === 0 ? [] : [this.#update(table, updates)]),
    ];
  }

  #insert(statement: BatchStatement, pending: readonly Pending[]): Promise<unknown> {
    return this.#query(
      statement,
      pending.map(({ row }, index) => ({ seq: index + 1, ...row })),
    );
  }

  async #update({ rows, rows: { identity } }: RecordTable, pending: readonly Pending[]): Promise<void> {
    const batch = pending.map(({ row, replaces }) => ({ ...row, replaces }));
    if (!this.#isChecked) {
      await this.#query(rows.updateAll, batch, batch.length);
      return;
    }
    const { rows: written } = await this.#query(rows.update, batch);
    if (written.length === pending.length) return;
    const found = new Set(written.map((row) => JSON.stringify(Object.values(row).map(String))));
    const missing = pending.find(
      ({ row }) => !found.has(JSON.stringify(identity.map((column) => String(row[column])))),
    );
    throw staleRecord(missing?.id ?? '', (missing?.replaces ?? 0) + 1);
  }

  #query({ name, text }: BatchStatement, rows: readonly StoredRow[], ...more: readonly number[]) {
    const values = [JSON.stringify(rows), ...more];
    return this.#connection().query<Record<string, unknown>>({ name, text, values });
  }
}

/** A record was not at the revision that its change replaces: another transaction has changed it. */
export class StaleRecordError extends Error {
  override readonly name = 'StaleRecordError';
}

function identityOf({ identity }: RecordTable, record: object): string {
  const members = record as StoredRow;
  return JSON.stringify(identity.map((name) => [name, members[name]]));
}

/** Only the identity is shown: records contain secrets. */
function staleRecord(identified: string, revision: number): Error {
  return new StaleRecordError(`A record is not at revision ${String(revision - 1)}: ${identified}`);
}
