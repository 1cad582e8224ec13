// The PostgreSQL database that a copy fills. An interrupted copy continues at its last row.
import { and, gt, lte, max, notInArray, sql } from 'drizzle-orm';
import { DatabaseUnusableError } from '../errors.js';
import { connect } from '../postgres/connection/db.js';
import type { Connection } from '../postgres/connection/connections.js';
import { COPY_SETTING, copyStateOf, type CopyState } from '../postgres/copy-state.js';
import { REMOVED_SETTING } from '../postgres/settings.js';
import { columnsOf } from '../postgres/tables/rows.js';
import { settings } from '../postgres/tables/tables.js';
import { FEED_BLOCK } from '../postgres/writes/commits/commit-log.js';
import { DamagedValue } from '../rows/values.js';
import { lastOfPage } from './pages.js';
import { COPIED, type CopiedTable } from './tables.js';
import type { CopySource, Row } from './source.js';

/** The key of the lock of a copy. Any number that other programs do not use. */
const LOCK_KEY = 7_226_418_116;

/** A coordinator counts as alive for this time after its last heartbeat. */
const COORDINATOR_GONE = "interval '1 minute'";

/** Settings that only a PostgreSQL database has. */
const OWN_SETTINGS = [COPY_SETTING, REMOVED_SETTING];

/** What to do where a copy cannot go on. */
const EMPTY_FIRST = 'empty it (drop it and create it again), and copy again';

/** The number of the last commit, the rows of each tree, and which domain events were removed as old. */
const NUMBERS = [
  // A coordinator that was once started on the empty database has left some.
  'delete from commit_changes',
  'delete from tree_commits',
  `select setval('commit_numbers', greatest(
    (select coalesce(max(seq), 0) from state_events),
    (select coalesce(max(seq), 0) from notices)) / ${String(FEED_BLOCK)} + 1, true)`,
  `insert into tree_commits (key, commits, sessions, completions, runs, callbacks)
    select t.root_session_id, 0, coalesce(s.rows, 0), coalesce(c.rows, 0), coalesce(r.rows, 0), coalesce(b.rows, 0)
    from trees t ${(['sessions s', 'completions c', 'runs r', 'callbacks b'] as const)
      .map((table) => {
        const [name = '', alias = ''] = table.split(' ');
        const counted = `select root_session_id, count(*) as rows from ${name} group by root_session_id`;
        return `left join (${counted}) ${alias} on ${alias}.root_session_id = t.root_session_id`;
      })
      .join(' ')}
    on conflict do nothing`,
  `insert into settings (name, value) select '${REMOVED_SETTING}', (min(seq) - 1)::text from notices
    having min(seq) > 1 on conflict do nothing`,
];

export class CopyTarget {
  readonly #connection: Connection;
  readonly #name: string;

  /** @param name - The database, for errors. */
  constructor(connection: Connection, name: string) {
    this.#connection = connection;
    this.#name = name;
  }

  /**
   * Takes the database for a copy.
   *
   * @returns Whether a copy of this source was begun or finished before; `null` if not.
   * @throws DatabaseUnusableError - It has other content, or is in use.
   */
  async begin(source: CopySource): Promise<CopyState | null> {
    const { rows } = await this.#connection.query<{ free: boolean }>(
      'select pg_try_advisory_lock($1) as free',
      [LOCK_KEY],
    );
    if (rows[0]?.free !== true) throw this.#refused('another copy to it is under way');
    const working = await this.#connection.query(
      `select 1 from coordinators where seen_at > clock_timestamp() - ${COORDINATOR_GONE}`,
    );
    if (working.rows.length > 0) throw this.#refused('a coordinator works on it; stop it first');
    const before = await copyStateOf(this.#connection);
    if (before !== null) {
      if (before.from !== source.id) throw this.#refused(`it has a copy of another database; ${EMPTY_FIRST}`);
      if (before.isDone && (await this.#isUsed())) throw this.#refused('it was used since it was copied');
      return before;
    }
    for (const table of COPIED)
      if ((await this.highest(table)) > 0) throw this.#refused(`it is not empty: ${table.name} has rows`);
    await this.#mark({ from: source.id, isDone: false });
    return null;
  }

  /** The highest number of the rows that are there; 0 if there is none. */
  async highest({ to, toKey }: CopiedTable): Promise<number> {
    const [row] = await connect(this.#connection)
      .select({ highest: max(toKey) })
      .from(to);
    return Number(row?.highest ?? 0);
  }

  /** Adds rows, all of them or none. */
  async add({ to, columns }: CopiedTable, rows: readonly Row[]): Promise<void> {
    const members = Object.keys(columns);
    const values = rows.map((row) => Object.fromEntries(members.map((name) => [name, row[name] ?? null])));
    await connect(this.#connection).insert(to).values(values);
  }

  /** @throws DatabaseUnusableError - A value is damaged. */
  async page({ name, to, toKey, largeTo, columns }: CopiedTable, after: number) {
    const db = connect(this.#connection);
    const found = await db.execute<{ last: string | null }>(lastOfPage(to, toKey, largeTo, after));
    const last = Number(found.rows[0]?.last ?? 0);
    if (last === 0) return [];
    const rows: readonly Row[] = await db
      .select(columnsOf(to))
      .from(to)
      .where(and(gt(toKey, after), lte(toKey, last)))
      .orderBy(toKey);
    for (const row of rows)
      for (const member of Object.keys(columns))
        if (row[member] instanceof DamagedValue) throw this.#refused(`${name} has a damaged value`);
    return rows;
  }

  /** Settings, and the numbers that the next rows and commits get. */
  async finish(source: CopySource): Promise<void> {
    await connect(this.#connection).transaction(async (db) => {
      // Those of a coordinator that was once started on the empty database are not those of the rows.
      await db.delete(settings).where(sql`${settings.name} <> ${COPY_SETTING}`);
      if (source.settings.length > 0) await db.insert(settings).values([...source.settings]);
    });
    for (const table of COPIED) {
      if (!table.isNumbered) continue;
      const highest = Math.max(source.highest(table), await this.highest(table), 1);
      const isUsed = source.highest(table) > 0 || (await this.highest(table)) > 0;
      await this.#connection.query("select setval(pg_get_serial_sequence($1, 'seq'), $2, $3)", [
        table.name,
        highest,
        isUsed,
      ]);
    }
    for (const statement of NUMBERS) await this.#connection.query(statement);
  }

  /** @throws DatabaseUnusableError - A setting is not as in the source. */
  async compareSettings(source: CopySource): Promise<void> {
    const found = await connect(this.#connection)
      .select()
      .from(settings)
      .where(notInArray(settings.name, OWN_SETTINGS))
      .orderBy(settings.name);
    const names = new Set([...source.settings, ...found].map(({ name }) => name));
    const valueIn = (of: CopySource['settings'], name: string) => of.find((one) => one.name === name)?.value;
    for (const name of names)
      if (valueIn(source.settings, name) !== valueIn(found, name))
        throw this.differs(`the setting ${name} is not as in the source`);
  }

  /** @param what - In which the copy differs from the source. */
  differs(what: string): DatabaseUnusableError {
    return new DatabaseUnusableError(
      `The copy in ${this.#name} is not complete: ${what}; if the source was used since the copy began, ${EMPTY_FIRST}`,
    );
  }

  async done(source: CopySource): Promise<void> {
    await this.#mark({ from: source.id, isDone: true });
  }

  async release(): Promise<void> {
    await this.#connection.query('select pg_advisory_unlock($1)', [LOCK_KEY]);
  }

  async #isUsed(): Promise<boolean> {
    const { rows } = await this.#connection.query('select 1 from tree_commits where commits > 0 limit 1');
    return rows.length > 0;
  }

  async #mark(state: CopyState): Promise<void> {
    const set = { value: JSON.stringify(state) };
    await connect(this.#connection)
      .insert(settings)
      .values({ name: COPY_SETTING, ...set })
      .onConflictDoUpdate({ target: settings.name, set });
  }

  #refused(why: string): DatabaseUnusableError {
    return new DatabaseUnusableError(`The database ${this.#name} cannot be copied to: ${why}`);
  }
}
