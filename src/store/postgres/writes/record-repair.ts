// Makes damaged records usable, so that they can be set aside. A damaged value gets a neutral value, and a
// record whose session is missing ends. Runs in the transaction that puts them aside.
import { getTableColumns, is, type SQL, sql } from 'drizzle-orm';
import { PgCustomColumn, type PgColumn, type PgTable } from 'drizzle-orm/pg-core';
import type { Damage, RecordKind } from '../../../domain/damage/damage.js';
import type { LoadRequest } from '../../../domain/transactions/loaded-records.js';
import { DamagedValue } from '../../rows/values.js';
import type { Db } from '../connection/db.js';
import { selected } from '../tables/columns.js';
import { nameOf } from '../../rows/intact-rows.js';
import * as tables from '../tables/tables.js';

type Repair = Extract<LoadRequest, { load: 'repaired' }>;

const NO_SESSION = 'refers to a session that is not there';

/** Also true if only a damaged end time makes a run look as if it had ended. */
const UNFINISHED_RUN = sql`completed_at is null or due_at is not null`;

export class RecordRepair {
  constructor(private readonly db: Db) {}

  /** @returns What was damaged. */
  async write(kind: Repair['kind'], id: string, now: number): Promise<readonly Damage[]> {
    switch (kind) {
      case 'tree':
        return this.#tree(id, now);
      case 'delivery':
        return [
          ...(await this.#values('delivery', tables.deliveries, sql`delivery_id = ${id}`)),
          ...(await this.#values('webhook', tables.webhooks, sql`true`)),
          ...(await this.#values(
            'destination',
            tables.destinations,
            sql`origin = (select origin from webhook_deliveries where delivery_id = ${id})`,
          )),
        ];
      case 'webhooks':
        return this.#values('webhook', tables.webhooks, sql`true`);
      case 'destination':
        return this.#values('destination', tables.destinations, sql`origin = ${id}`);
    }
  }

  async #tree(id: string, now: number): Promise<readonly Damage[]> {
    const ofTree = sql`root_session_id = ${id}`;
    return [
      ...(await this.#values('session', tables.sessions, ofTree)),
      ...(await this.#values('completion', tables.completions, ofTree)),
      ...(await this.#values('run', tables.runs, sql`${ofTree} and (${UNFINISHED_RUN})`)),
      ...(await this.#values('callback', tables.callbacks, ofTree)),
      ...(await this.#values('tree', tables.trees, ofTree)),
      ...(await this.#treeRow(id)),
      ...(await this.#orphans(id, now)),
    ];
  }

  async #values(kind: RecordKind, table: PgTable, which: SQL): Promise<readonly Damage[]> {
    const columns = Object.fromEntries(
      Object.entries(getTableColumns(table)).filter(
        ([name, column]) =>
          is(column, PgCustomColumn) || /Id$|^(seq|generation|name|version|origin)$/.test(name),
      ),
    );
    const ofNames = new Map(Object.values(columns).map((column) => [column.name, column]));
    const found: Damage[] = [];
    const read = Object.fromEntries(
      Object.entries(columns).map(([name, column]) => [name, selected(column)]),
    );
    for (const row of await this.db.select(read).from(table).where(which)) {
      for (const value of Object.values<unknown>(row)) {
        if (!(value instanceof DamagedValue)) continue;
        found.push({ kind, id: nameOf(kind, row), column: value.column, what: value.what });
        await this.db.execute(
          sql`update ${table} set ${sql.identifier(value.column)} = ${neutralOf(value, ofNames.get(value.column))}
            where seq = ${row['seq']}`,
        );
      }
    }
    return found;
  }

  async #treeRow(id: string): Promise<readonly Damage[]> {
    const { rowCount } = await this.db.execute(sql`
      insert into trees (root_session_id, state_id, failures_in_a_row, revision)
      select ${id}::text,
        (select state_id from workflow_states where root_session_id = ${id}), 0, 1
      where not exists (select 1 from trees where root_session_id = ${id})`);
    return rowCount === 0 ? [] : [{ kind: 'tree', id, column: null, what: 'is missing' }];
  }

  async #orphans(id: string, now: number): Promise<readonly Damage[]> {
    const without = (column: string) =>
      sql.raw(`not exists (select 1 from sessions s where s.session_id = ${column})`);
    const ended: readonly [RecordKind, SQL][] = [
      [
        'run',
        sql`update runs set status = 'failed', error = 'The session of the run is not there.', cause = 'environment',
          due_at = null, lease_expires_at = null, completed_at = ${now}
          where root_session_id = ${id} and completed_at is null and ${without('runs.session_id')}
          returning run_id as name`,
      ],
      [
        'completion',
        sql`update completions set status = 'failed', reason = 'The session of the completion is not there.',
          due_at = null, released_at = ${now}
          where root_session_id = ${id} and released_at is null and ${without('completions.session_id')}
          returning session_id as name`,
      ],
      [
        'callback',
        sql`update callbacks set status = 'dead', reason = 'The parent or the child is not there.', run_id = null,
          delivery_id = null, delivered_at = null
          where root_session_id = ${id} and status in ('held', 'queued')
            and (${without('callbacks.child_session_id')} or ${without('callbacks.parent_session_id')})
          returning callback_id as name`,
      ],
    ];
    const found: Damage[] = [];
    for (const [kind, statement] of ended) {
      const { rows } = await this.db.execute<{ name: string }>(statement);
      found.push(...rows.map(({ name }) => ({ kind, id: name, column: null, what: NO_SESSION })));
    }
    return found;
  }
}

/**
 * The replacement of a damaged value. In a required integer column it is 1: the most likely generation, and
 * the first revision.
 */
function neutralOf({ neutral }: DamagedValue, column: PgColumn | undefined): string | number | null {
  if (neutral !== null || !column?.notNull) return neutral;
  return column.getSQLType().startsWith('text') ? '' : 1;
}
