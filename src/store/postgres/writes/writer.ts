// Collects the rows of changesets and writes them with few statements. A record that several decisions of a
// transaction change is written once.
import type { Changeset, Put, Remove } from '../../../domain/transactions/changeset.js';
import type { Connection } from '../connections.js';
import { RECORD_TABLES, type RecordTable } from './record-tables.js';
import type { BatchStatement, StoredRow } from './row-batch.js';

/** The numbers of the newest event and domain event. */
export interface Positions {
  events: number;
  notices: number;
}

/** A row to write. */
interface Pending {
  /** The identity of the record, as JSON text. */
  readonly id: string;
  readonly row: StoredRow;
  /** The revision that the row replaces; `null` for an insert. */
  readonly replaces: number | null;
  readonly revision: number;
}

const STATE_KEY = '(select seq from workflow_states where state_id = $1)';

const REMOVES: Readonly<Record<Remove['remove'], readonly string[]>> = {
  state: [
    `delete from state_events where state_key = ${STATE_KEY}`,
    `delete from state_history_cuts where state_key = ${STATE_KEY}`,
    `delete from state_snapshots where state_key = ${STATE_KEY}`,
    'delete from workflow_archives where state_id = $1',
    'delete from read_marks where state_id = $1',
    'delete from workflow_states where state_id = $1',
  ],
  schema: ['delete from workflow_schemas where schema_id = $1'],
  runner: ['delete from runners where runner_id = $1'],
  webhook: [
    'delete from webhook_deliveries where webhook_id = $1',
    'delete from webhooks where webhook_id = $1',
  ],
  delivery: ['delete from webhook_deliveries where delivery_id = $1'],
};

/** The rows of one transaction. */
export class Writer {
  readonly #connection: Connection;
  readonly #positions: Positions;
  /** By kind, then by identity. */
  readonly #pending = new Map<Put['put'], Map<string, Pending>>();
  #failed = false;

  /** @param positions - Advanced with each event and domain event. */
  constructor(connection: Connection, positions: Positions) {
    this.#connection = connection;
    this.#positions = positions;
  }

  /**
   * Adds the rows of a changeset.
   *
   * @throws Error - A record is not at the revision that its change replaces. The transaction has to be rolled back.
   */
  async write(changes: Changeset): Promise<void> {
    for (const change of changes) {
      if ('remove' in change) {
        await this.flush();
        for (const text of REMOVES[change.remove]) await this.#connection.query(text, [change.id]);
      } else if (change.put !== 'notice') this.#put(change);
    }
    // Domain events follow the state events of their changeset.
    for (const change of changes) if ('put' in change && change.put === 'notice') this.#put(change);
  }

  /** Sends all rows. @throws Error - Of the database, or as for `write`. */
  async flush(): Promise<void> {
    if (this.#pending.size === 0) return;
    const sent = RECORD_TABLES.flatMap((table) => {
      const pending = this.#pending.get(table.kind);
      return pending === undefined ? [] : this.#send(table, [...pending.values()]);
    });
    this.#pending.clear();
    this.#failed = true;
    await allOf(sent);
    this.#failed = false;
  }

  /** True if rows could not be written. The transaction has to be rolled back. */
  get failed(): boolean {
    return this.#failed;
  }

  #put({ put, record }: Put): void {
    const table = RECORD_TABLES.find(({ kind }) => kind === put);
    if (table === undefined) throw new Error(`No table holds records of the kind ${put}`);
    let pending = this.#pending.get(put);
    if (pending === undefined) this.#pending.set(put, (pending = new Map<string, Pending>()));
    if (table.writing === 'appended') {
      const row = table.rows.rowOf(record, this.#numbers({ put, record } as Put, pending.size));
      const id = String(pending.size);
      pending.set(id, { id, row, replaces: null, revision: 1 });
      return;
    }
    const id = identityOf(table, record);
    const revision = 'revision' in record && typeof record.revision === 'number' ? record.revision : 1;
    const before = pending.get(id);
    if (before !== undefined && table.writing === 'revised' && before.revision !== revision - 1)
      throw staleRecord(id, revision);
    const first = revision === 1 ? null : revision - 1;
    const replaces = before === undefined ? first : before.replaces;
    pending.set(id, { id, row: table.rows.rowOf(record), replaces, revision });
  }

  /** The columns of a row that the record does not have. */
  #numbers({ put, record }: Put, index: number): StoredRow {
    switch (put) {
      case 'event':
        return { seq: (this.#positions.events += 1), state_id: record.stateId };
      case 'notice':
        return { seq: (this.#positions.notices += 1), after_event: this.#positions.events };
      case 'snapshot':
        return { seq: index + 1, state_id: record.stateId };
      default:
        return { seq: index + 1 };
    }
  }

  #send(table: RecordTable, pending: readonly Pending[]): readonly Promise<void>[] {
    const { rows, writing } = table;
    if (writing === 'replaced') return [this.#insert(rows.upsert, pending)];
    const inserts = pending.filter(({ replaces }) => replaces === null);
    const updates = pending.filter(({ replaces }) => replaces !== null);
    return [
      ...(inserts.length === 0 ? [] : [this.#insert(rows.insert, inserts)]),
      ...(updates.length === 0 ? [] : [this.#update(table, updates)]),
    ];
  }

  async #insert(statement: BatchStatement, pending: readonly Pending[]): Promise<void> {
    const rows = pending.map(({ row }, index) => ({ seq: index + 1, ...row }));
    const { rowCount } = await this.#query(statement, rows);
    if (rowCount !== rows.length) throw new Error('A record was not written');
  }

  async #update({ rows: { update, identity } }: RecordTable, pending: readonly Pending[]): Promise<void> {
    const { rows: written } = await this.#query(
      update,
      pending.map(({ row, replaces }) => ({ ...row, replaces })),
    );
    if (written.length === pending.length) return;
    const found = new Set(written.map((row) => JSON.stringify(Object.values(row).map(String))));
    const missing = pending.find(
      ({ row }) => !found.has(JSON.stringify(identity.map((column) => String(row[column])))),
    );
    throw staleRecord(missing?.id ?? '', (missing?.replaces ?? 0) + 1);
  }

  #query({ name, text }: BatchStatement, rows: readonly StoredRow[]) {
    return this.#connection.query<Record<string, unknown>>({ name, text, values: [JSON.stringify(rows)] });
  }
}

function identityOf({ identity }: RecordTable, record: object): string {
  const members = record as StoredRow;
  return JSON.stringify(identity.map((name) => [name, members[name]]));
}

/** Only the identity is shown: records contain secrets. */
function staleRecord(identified: string, revision: number): Error {
  return new Error(`A record is not at revision ${String(revision - 1)}: ${identified}`);
}

/** Waits for all statements, so that none fails unheard. @throws The error of the first that failed. */
async function allOf(sent: readonly Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(sent)) if (result.status === 'rejected') throw result.reason;
}
