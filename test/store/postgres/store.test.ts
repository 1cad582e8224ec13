// The PostgreSQL store: the suite of every store, and what only a server can do.
import pg from 'pg';
import journal from '../../../drizzle/postgres/meta/_journal.json' with { type: 'json' };
import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { addressesOf } from '../../../src/store/postgres/connection/addresses.js';
import { Connections, type Connection } from '../../../src/store/postgres/connection/connections.js';
import { openPostgresStore, type PostgresStore } from '../../../src/store/postgres/index.js';
import { DEFAULT_POSTGRES_LIMITS } from '../../../src/store/postgres/limits.js';
import { eventually } from '../../support/eventually.js';
import { emptyDatabase, execute, nameIn, newDatabase, newMigratedDatabase } from '../../support/postgres.js';
import { openRelay } from '../../support/relay.js';
import { storeConformance } from '../conformance.js';
import { load, write } from '../conformance/subject.js';
import { aCompletion, aRunner, aSession, aState, aTree, anEvent, next } from '../records.js';

const MIGRATIONS = journal.entries.length;

/** The database of the suite of every store, emptied before each test. */
let shared: Promise<string> | null = null;

storeConformance('PostgreSQL', async (options) => {
  shared ??= newMigratedDatabase();
  const url = await shared;
  await emptyDatabase(url);
  return openPostgresStore({ url, ...options });
});

describe('a PostgreSQL database', () => {
  let url: string;
  const stores: PostgresStore[] = [];
  const open = async (limits = {}) => {
    const store = await openPostgresStore({ url, limits });
    stores.push(store);
    return store;
  };
  /** A role with the rights to use the tables, and no others. */
  const newRole = async () => {
    const name = `u_${nameIn(url)}`;
    await execute(
      url,
      `create role ${name} login password 'p'; revoke all on schema public from public;
      grant usage on schema public to ${name}; grant all on all tables in schema public to ${name};
      grant all on all sequences in schema public to ${name}`,
    );
    const own = new URL(url);
    [own.username, own.password] = [name, 'p'];
    return { name, url: own.href };
  };
  beforeEach(async () => {
    url = await newMigratedDatabase();
  });
  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()));
  });

  it('is migrated once where many coordinators start on it together', async () => {
    url = await newDatabase();
    const opened = await Promise.all(Array.from({ length: 5 }, () => open()));
    await Promise.all(
      opened.map((store, i) =>
        write(store, { put: 'runner', record: aRunner({ runnerId: `rnr_${String(i)}` }) }),
      ),
    );
    expect(await opened[0]!.read.runners()).toHaveLength(5);
    const { rows } = await execute(url, 'select count(*)::int as migrations from countersign_migrations');
    expect(rows).toEqual([{ migrations: MIGRATIONS }]);
  });

  it('has one writer per state: two coordinators lose no write of the other, and both read all events in one order', async () => {
    const [one, other] = [await open(), await open()];
    await write(one, { put: 'state', record: aState() }, { put: 'event', record: anEvent() });
    const bump = (store: PostgresStore) =>
      store.transact([{ load: 'state', stateId: 'wst_1' }], ({ states }) => {
        const head = states.get('wst_1')!;
        const version = head.version + 1;
        return {
          changes: [
            { put: 'state', record: next(head, { version }) },
            { put: 'event', record: anEvent({ version, eventId: `evt_${String(version)}` }) },
          ],
          value: version,
        };
      });
    const versions: number[] = [];
    const writing = async (store: PostgresStore) => {
      for (let i = 0; i < 25; i += 1)
        versions.push(...(await Promise.all([bump(store), bump(store), bump(store), bump(store)])));
    };
    await Promise.all([writing(one), writing(other)]);
    expect(versions.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, i) => i + 2));
    expect((await other.read.state('wst_1'))?.version).toBe(201);
    const pages = await Promise.all(
      [one, other].map((store) => store.read.feed({ events: 0, notices: 0 }, {}, 300, 1e9)),
    );
    for (const { items } of pages) {
      expect(items.map((item) => 'event' in item && item.event.version)).toEqual(
        Array.from({ length: 201 }, (_, i) => i + 1),
      );
      const places = items.map(({ position }) => position.events);
      expect(places).toEqual([...new Set(places)].toSorted((a, b) => a - b));
    }
  });

  it('shows a coordinator at its next decision what another has written', async () => {
    const [one, other] = [await open(), await open()];
    await write(one, { put: 'state', record: aState() });
    const version = async (store: PostgresStore) =>
      (await load(store, { load: 'state', stateId: 'wst_1' })).states.get('wst_1')?.version;
    expect(await version(one)).toBe(1);
    await write(other, { put: 'state', record: next(aState(), { version: 2 }) });
    expect(await version(one)).toBe(2);
  });

  it('says that it is busy where another program keeps its lock, writes nothing, and goes on afterwards', async () => {
    const store = await open({ lockMs: 100 });
    await write(store, { put: 'state', record: aState() });
    const holder = new pg.Client({ connectionString: url });
    await holder.connect();
    await holder.query('begin; select * from tree_commits for update');
    const newer = next(aState(), { version: 2 });
    await expect(write(store, { put: 'state', record: newer })).rejects.toMatchObject({
      name: 'StorageError',
      code: 'storage_busy',
    });
    expect((await store.read.state('wst_1'))?.version).toBe(1);
    await holder.query('rollback');
    await holder.end();
    await write(store, { put: 'state', record: newer });
    expect((await store.read.state('wst_1'))?.version).toBe(2);
  });

  it('frees its lock where a coordinator hangs in a transaction', async () => {
    const store = await open();
    await write(store, { put: 'state', record: aState() });
    const holder = new pg.Client({ connectionString: url, idle_in_transaction_session_timeout: 100 });
    holder.on('error', () => undefined);
    await holder.connect();
    await holder.query('begin; select * from tree_commits for update');
    await write(store, { put: 'state', record: next(aState(), { version: 2 }) });
    expect((await store.read.state('wst_1'))?.version).toBe(2);
    await holder.end();
  });

  it('is opened once others have freed their locks, for which it asks again and again', async () => {
    const holder = new pg.Client({ connectionString: url });
    await holder.connect();
    for (const hold of [
      'select pg_advisory_xact_lock(7226418115)',
      'select * from tree_commits for update',
    ]) {
      await execute(url, "insert into tree_commits (key, commits) values ('x', 1) on conflict do nothing");
      await holder.query(`begin; ${hold}`);
      const coordinate = { keys: null, logger: { warn: () => undefined } };
      const opening = openPostgresStore({ url, coordinate, limits: { openingLockMs: 20 } });
      opening.catch(() => undefined);
      const pauses =
        "select 1 from pg_stat_activity where datname = current_database() and state = 'idle' and query = 'rollback'";
      await eventually('it pauses', async () => (await execute(url, pauses)).rows.length > 0);
      await holder.query('rollback');
      stores.push(await opening);
    }
    await holder.end();
  });

  it('is opened however long that takes', async () => {
    url = await newDatabase();
    await open({ statementMs: 1, answerMs: 1 });
    const { rows } = await execute(url, 'select count(*)::int as migrations from countersign_migrations');
    expect(rows).toEqual([{ migrations: MIGRATIONS }]);
  });

  it('gets its bounds in time by a statement, which poolers pass on', async () => {
    const near = new URL(url);
    const relay = await openRelay(Number(near.port));
    near.port = new URL(relay.url).port;
    const addresses = addressesOf(near.href);
    if (addresses === null) throw new Error('The URL is not valid');
    const connections = new Connections(addresses, DEFAULT_POSTGRES_LIMITS, () => undefined);
    expect(await connections.use(boundsOf)).toEqual(['30s', '10s', '5s']);
    // A name, a zero and a value are a parameter of the connection.
    expect(relay.sent()).toContain('application_name\0countersign');
    expect(relay.sent()).not.toMatch(/timeout\0[0-9]/);
    await connections.close();
    await relay.close();
  });

  it('sets its bounds in each transaction behind a pooler, in one that reads too', async () => {
    const pooled = new URL(url);
    pooled.searchParams.set('pool_mode', 'transaction');
    const addresses = addressesOf(pooled.href);
    if (addresses === null) throw new Error('The URL is not valid');
    const connections = new Connections(addresses, DEFAULT_POSTGRES_LIMITS, () => undefined);
    expect(await connections.atOneMoment(boundsOf)).toEqual(['30s', '10s', '5s']);
    const writing = await connections.use(async (connection) => {
      await connection.query(connections.begin);
      const bounds = await boundsOf(connection);
      await connection.query('rollback');
      return bounds;
    });
    expect(writing).toEqual(['30s', '10s', '5s']);
    // The next one to whom the pooler gives the session finds it as it was.
    expect(await connections.use(boundsOf)).toEqual(['0', '0', '0']);
    await connections.close();
  });

  it('is left where its server is silent', async () => {
    const near = new URL(url);
    const relay = await openRelay(Number(near.port), false);
    near.port = new URL(relay.url).port;
    const store = await openPostgresStore({ url: near.href });
    await store.follow();
    await write(store, { put: 'state', record: aState() });
    relay.hold();
    const writing = write(store, { put: 'state', record: next(aState(), { version: 2 }) });
    writing.catch(() => undefined);
    const reading = store.read.runners();
    reading.catch(() => undefined);
    const closing = store.close();
    store.abandon();
    await closing;
    await expect(writing).rejects.toMatchObject({ name: /^(StorageError|CommitUnknownError)$/ });
    await expect(reading).rejects.toMatchObject({ name: 'StorageError', code: 'storage_failed' });
    await relay.close();
    const again = await open();
    expect((await again.read.state('wst_1'))?.version).toBe(1);
  });

  it('loses no acknowledged write where connections are cut, and goes on by itself', async () => {
    const store = await open();
    const acknowledged: string[] = [];
    const failures: unknown[] = [];
    const stopped = new AbortController();
    const writing = (async () => {
      for (let i = 0; !stopped.signal.aborted; i += 1) {
        const runnerId = `rnr_${String(i)}`;
        try {
          await write(store, { put: 'runner', record: aRunner({ runnerId }) });
          acknowledged.push(runnerId);
        } catch (error) {
          failures.push(error);
        }
      }
    })();
    for (let i = 0; i < 10; i += 1) {
      const before = acknowledged.length;
      await execute(
        url,
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()',
        [nameIn(url)],
      );
      await eventually('writes go on', () => Promise.resolve(acknowledged.length >= before + 5));
    }
    stopped.abort();
    await writing;
    const kept = new Set((await store.read.runners()).map((runner) => runner.runnerId));
    expect(acknowledged.filter((runnerId) => !kept.has(runnerId))).toEqual([]);
    for (const error of failures)
      expect(error).toMatchObject({ name: /^(StorageError|CommitUnknownError)$/ });
  });

  it.each([
    ['is closed to new connections', 'allow_connections false', 'allow_connections true'],
    ['has another name now', 'rename to %_away', 'rename to %'],
  ])('is out of reach, and nobody is to blame, where it %s', async (_, away, back) => {
    const onError = vi.fn();
    const store = await openPostgresStore({ url, onError });
    stores.push(store);
    const name = nameIn(url);
    const alter = (from: string, what: string) =>
      execute(inject('postgresUrl'), `alter database ${from} ${what.replace('%', name)}`);
    await execute(
      inject('postgresUrl'),
      'select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = $1',
      [name],
    );
    await alter(name, away);
    const lost = { name: 'StorageError', code: 'storage_failed', message: 'The database cannot be reached' };
    // The first ones may meet connections that were cut.
    for (let tries = 0; tries < 3; tries += 1) {
      await expect(store.read.runners()).rejects.toMatchObject(lost);
      await expect(write(store, { put: 'runner', record: aRunner() })).rejects.toMatchObject(lost);
    }
    expect(await store.health()).toBe('lost');
    for (const [error] of onError.mock.calls) expect(error).toMatchObject(lost);
    await alter(away.startsWith('rename') ? `${name}_away` : name, back);
    await write(store, { put: 'runner', record: aRunner() });
    expect(await store.read.runners()).toHaveLength(1);
  });

  it('is not writable where its server accepts no writes, and answers reads all the same', async () => {
    const store = await open();
    expect(await store.health()).toBe('ok');
    await execute(url, `alter database ${nameIn(url)} set default_transaction_read_only = on`);
    // Connections have the setting from their start.
    await execute(
      url,
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()',
      [nameIn(url)],
    );
    expect(await store.health()).toBe('not_writable');
    // A read may still meet a connection that was cut.
    await vi.waitFor(async () => expect(await store.read.runners()).toEqual([]));
    await expect(openPostgresStore({ url })).rejects.toThrow('accepts no writes');
    const put = (runnerId: string) => write(store, { put: 'runner', record: aRunner({ runnerId }) });
    await expect(put('rnr_1')).rejects.toMatchObject({ code: 'storage_failed' });
    // Several connections at once, which all keep the setting.
    await Promise.all(Array.from({ length: 4 }, () => store.read.runners()));
    await execute(inject('postgresUrl'), `alter database ${nameIn(url)} reset default_transaction_read_only`);
    expect(await store.health()).toBe('ok');
    await vi.waitFor(() => put('rnr_2'));
    expect(await store.health()).toBe('ok');
  });

  it.each([
    ['completions', 'storage_busy', 'lock table completions in access exclusive mode'],
    ['callbacks', 'storage_busy', 'lock table callbacks in access exclusive mode'],
    ['runs', 'storage_busy', 'lock table runs in access exclusive mode'],
    ['workflow_states', 'storage_busy', 'lock table workflow_states in access exclusive mode'],
    ['callbacks', 'storage_failed', 'alter table callbacks rename to away'],
    ['workflow_states', 'storage_failed', 'alter table workflow_states rename to away'],
  ])('says by which cause a decision cannot load from %s: %s', async (table, code, statement) => {
    const [before, store] = [await open(), await open({ lockMs: 200 })];
    const root = aSession();
    await write(
      before,
      { put: 'tree', record: aTree({ stateId: 'wst_1' }) },
      { put: 'session', record: root },
      { put: 'completion', record: aCompletion(root) },
      { put: 'state', record: aState() },
    );
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    if (code === 'storage_busy') await other.query('begin');
    await other.query(statement);
    const loads = [
      { load: 'state', stateId: 'wst_1' },
      { load: 'aggregate', sessionId: root.sessionId },
    ] as const;
    const refused = { name: 'StorageError', code };
    await expect(load(store, ...loads)).rejects.toMatchObject(refused);
    await expect(load(store, ...loads.toReversed())).rejects.toMatchObject(refused);
    await other.query(code === 'storage_busy' ? 'rollback' : `alter table away rename to ${table}`);
    await other.end();
    await vi.waitFor(() => load(store, ...loads));
  });

  it('is lost, and not slow, where the server has no connection left', async () => {
    const user = await newRole();
    const store = await openPostgresStore({ url: user.url });
    stores.push(store);
    expect(await store.health()).toBe('ok');
    await execute(url, `alter role ${user.name} connection limit 0`);
    await execute(
      url,
      `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${user.name}'`,
    );
    await vi.waitFor(async () => expect(await store.health()).toBe('lost'));
    await expect(store.read.runners()).rejects.toMatchObject({ code: 'storage_failed' });
    await execute(url, `alter role ${user.name} connection limit -1`);
    expect(await store.health()).toBe('ok');
    await vi.waitFor(async () => expect(await store.read.runners()).toEqual([]));
  });

  it('is busy where a statement that was sent behind its preparation finds none, and later requests are served', async () => {
    const store = await open({ lockMs: 200 });
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    await other.query('begin; lock table sessions in access exclusive mode');
    const busy = { name: 'StorageError', code: 'storage_busy' };
    const read = () => store.read.session('root');
    const reads = await Promise.allSettled([read(), read(), read()]);
    for (const one of reads) expect(one).toMatchObject({ reason: busy });
    await other.query('rollback');
    await other.end();
    expect(await read()).toBeNull();
  });

  it('says that it cannot write where the server ends a transaction that takes too long', async () => {
    await execute(url, `alter database ${nameIn(url)} set transaction_timeout = '300ms'`);
    const store = await open();
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    await other.query('set transaction_timeout = 0');
    await other.query('begin; lock table runners in access exclusive mode');
    // The server also ends the connection.
    const refused = { name: 'StorageError', code: expect.stringMatching(/^storage_(busy|failed)$/) };
    for (let tries = 0; tries < 3; tries += 1) {
      await expect(store.read.runners()).rejects.toMatchObject(refused);
      await expect(write(store, { put: 'runner', record: aRunner() })).rejects.toMatchObject(refused);
    }
    await other.query('rollback');
    await other.end();
    await vi.waitFor(() => write(store, { put: 'runner', record: aRunner() }));
  });

  it.each([
    ['all rights to its tables', '42501', 'all on all tables in schema public'],
    ['the right to write one', '42501', 'insert on runners'],
    ['the numbers of commits', '42501', 'all on all sequences in schema public'],
    ['the right to use the schema', '42P01', 'usage on schema public'],
  ])('is not writable where its role has lost %s, until it is given back', async (_, code, right) => {
    const user = await newRole();
    const store = await openPostgresStore({ url: user.url });
    stores.push(store);
    const put = (runnerId: string) => write(store, { put: 'runner', record: aRunner({ runnerId }) });
    await put('rnr_1');
    expect(await store.health()).toBe('ok');
    await execute(url, `revoke ${right} from ${user.name}`);
    expect(await store.health()).toBe('not_writable');
    const message = `The database cannot be read or written (${code})`;
    await expect(put('rnr_2')).rejects.toMatchObject({
      name: 'StorageError',
      code: 'storage_failed',
      message,
    });
    await execute(url, `grant ${right} to ${user.name}`);
    expect(await store.health()).toBe('ok');
    await put('rnr_3');
    expect((await store.read.runners()).map(({ runnerId }) => runnerId).sort()).toEqual(['rnr_1', 'rnr_3']);
  });

  it.each(['select on runners', 'update on tree_commits', 'insert on commit_changes'])(
    'is not writable where its role has lost the right to %s',
    async (right) => {
      const user = await newRole();
      const store = await openPostgresStore({ url: user.url });
      stores.push(store);
      await execute(url, `revoke ${right} from ${user.name}`);
      expect(await store.health()).toBe('not_writable');
    },
  );

  it('is not writable where a table is gone', async () => {
    const store = await open();
    await execute(url, 'alter table runners rename to runners_away');
    expect(await store.health()).toBe('not_writable');
    await expect(store.read.runners()).rejects.toMatchObject({
      name: 'StorageError',
      code: 'storage_failed',
    });
    await execute(url, 'alter table runners_away rename to runners');
    expect(await store.health()).toBe('ok');
    expect(await store.read.runners()).toEqual([]);
  });
});

describe('a PostgreSQL database that cannot be used', () => {
  const refused = (url: string) =>
    openPostgresStore({ url }).then(
      () => null,
      (error: unknown) => error,
    );

  it.each([
    ['no URL', 'postgres://[', 'The URL of the database is not valid'],
    ['a host that is not there', 'postgres://u:geheim@127.0.0.1:1/db', 'nothing accepts connections'],
  ])('is refused with a plain sentence, without its password: %s', async (_, url, message) => {
    const error = await refused(url);
    expect(error).toMatchObject({
      name: 'DatabaseUnusableError',
      message: expect.stringContaining(message),
    });
    expect(String(error)).not.toContain('geheim');
  });

  it('is refused where the server has no such database', async () => {
    const url = new URL(await newMigratedDatabase());
    url.pathname = '/not_there';
    expect(await refused(url.href)).toMatchObject({
      name: 'DatabaseUnusableError',
      message: expect.stringContaining('there is no such database'),
    });
  });

  it('is refused where a newer version wrote it, and nothing is changed', async () => {
    const url = await newMigratedDatabase();
    await execute(url, "insert into countersign_migrations (created_at, hash) values (9999999999999, 'x')");
    expect(await refused(url)).toMatchObject({ name: 'DatabaseNewerError' });
    const { rows } = await execute(url, 'select count(*)::int as migrations from countersign_migrations');
    expect(rows).toEqual([{ migrations: MIGRATIONS + 1 }]);
  });

  it.each([
    ['lacks the last', 'where created_at = (select max(created_at) from countersign_migrations)'],
    ['lacks the first', 'where created_at = (select min(created_at) from countersign_migrations)'],
    ['is empty', ''],
  ])('is refused where its list of migrations %s', async (_, condition) => {
    const url = await newMigratedDatabase();
    await execute(url, `delete from countersign_migrations ${condition}`);
    expect(await refused(url)).toMatchObject({
      name: 'DatabaseUnusableError',
      message: expect.stringContaining('its list of migrations was edited'),
    });
  });

  it('is refused where another program has a table of the same name, and nothing is created', async () => {
    const url = await newDatabase();
    await execute(url, 'create table sessions (id int)');
    expect(await refused(url)).toMatchObject({
      name: 'DatabaseUnusableError',
      message: expect.stringContaining('a table of another program'),
    });
    const { rows } = await execute(
      url,
      "select table_name as name from information_schema.tables where table_schema = 'public'",
    );
    expect(rows).toEqual([{ name: 'sessions' }]);
  });

  it('is refused by a tool where it has no tables, and none are created', async () => {
    const url = await newDatabase();
    await expect(openPostgresStore({ url, mustExist: true })).rejects.toThrow('has no tables of Countersign');
    const { rows } = await execute(
      url,
      "select 1 from information_schema.tables where table_schema = 'public'",
    );
    expect(rows).toEqual([]);
  });
});

/** The bounds in time that the server keeps for what a connection does now. */
async function boundsOf(connection: Connection): Promise<readonly (string | undefined)[]> {
  const shown = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'].map(
    async (name) => (await connection.query<Record<string, string>>(`show ${name}`)).rows[0]?.[name],
  );
  return Promise.all(shown);
}
