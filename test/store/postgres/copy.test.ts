// `countersign db copy`: everything in a database file arrives in PostgreSQL, also if the copy is killed in between.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { signingKeys } from '../../../src/domain/evidence/keys.js';
import type { StreamEvent } from '../../../src/ports/api/index.js';
import { openSource } from '../../../src/store/copy/source.js';
import { COPIED } from '../../../src/store/copy/tables.js';
import { openPostgresStore } from '../../../src/store/postgres/index.js';
import { LEASE_SETTINGS, openForReading, openSqliteStore } from '../../../src/store/sqlite/index.js';
import { must } from '../../service/harness.js';
import { eventually } from '../../support/eventually.js';
import { execute, newDatabase } from '../../support/postgres.js';
import { startTestCoordinator, type TestCoordinator } from '../../support/coordinator.js';
import { Program, runProgram } from '../../support/program.js';

const WRITES = 60;

interface Copied {
  readonly rows: number;
  readonly rows_before: number;
  readonly healthy: boolean;
  readonly tables: readonly { readonly table: string; readonly rows: number }[];
}

describe('a copy of a database file to PostgreSQL', () => {
  const dir = mkdtempSync(join(tmpdir(), 'countersign-copy-'));
  const file = join(dir, 'countersign.db');
  let to: string;
  /** What a caller sees of the file. */
  let seen: Awaited<ReturnType<typeof look>>;

  const copy = (from = file) => runProgram(['db', 'copy', '--from', from, '--to', to, '--json']);
  const states = async ({ operator }: TestCoordinator) => must(await operator.states.list({})).items;
  const look = async (coordinator: TestCoordinator) => {
    const { operator } = coordinator;
    const [state] = await states(coordinator);
    const id = state?.state_id ?? '';
    return {
      states: await states(coordinator),
      document: must(await operator.states.get(id)),
      history: must(await operator.states.events(id, { since: 0, limit: 1000 })),
      sessions: must(await operator.sessions.list({})).items,
      runs: must(await operator.runs.list({})).items,
      callbacks: must(await operator.callbacks.list({})).items,
      webhooks: must(await operator.webhooks.list({})).items,
      schemas: must(await operator.schemas.list({})).items,
      completion: must(await operator.sessions.completion('child')),
    };
  };

  /** A tree with work in it, and something in every table. */
  const fill = async (coordinator: TestCoordinator) => {
    const { operator, service } = coordinator;
    must(await operator.schemas.register({ name: 'plan', json_schema: { type: 'object' } }));
    must(await operator.sessions.create({ session_name: 'root', external: true }));
    const created = await operator.states.create({
      schema_name: 'plan',
      initial_data: { n: 0, text: 'U+0000: \0, U+001A: \u001a' },
      root_session_name: 'root',
    });
    const { state_id } = must(created);
    const hook = { url: 'http://127.0.0.1:9/hook', events: ['workflow_state_updated' as const] };
    must(await operator.webhooks.create(hook));
    for (let n = 0; n < WRITES; n += 1)
      must(await operator.states.ops(state_id, [{ op: 'increment', pointer: '/n', delta: 1 }], {}));
    const as = async (sessionName: string) =>
      service.as(must(await service.identify({ bearer: null, sessionId: null, sessionName })));
    const root = await as('root');
    must(
      await root.runs.create({ type: 'start_session', session_name: 'child', prompt: 'x', callback: true }),
    );
    must(await operator.runners.register({ hostname: 'h', executor_types: ['command'], max_concurrent: 1 }));
    const actor = { kind: 'operator', tokenName: null } as const;
    must(
      await service.once(actor, { key: 'one', fingerprint: 'same' }, (caller) =>
        caller.states.ops(state_id, [{ op: 'increment', pointer: '/n', delta: 1 }], {}),
      ),
    );
    must(await operator.sessions.create({ session_name: 'orchestrator', external: true }));
    const record = must(
      await operator.states.create({
        schema_name: 'orchestrator-workflow',
        initial_data: {},
        root_session_name: 'orchestrator',
      }),
    ).state_id;
    const { workflow } = operator;
    must(await workflow.startInvocation(record, { agent: 'a', prompt: 'p', invocation_id: 'inv_1' }));
    must(await workflow.completeInvocation(record, 'inv_1', { status: 'completed', summary: 's' }));
    must(await workflow.compact(record, { keep: 0 }));
    const session = await as('child');
    must(await session.keys.all('child'));
    must(await session.keys.set('child', 'own', { by: 'child' }, {}));
  };

  beforeAll(async () => {
    const coordinator = await startTestCoordinator(file);
    await fill(coordinator);
    seen = await look(coordinator);
    await coordinator.close();
    const made = await runProgram(['token', 'create', '--name', 'ci', '--role', 'reader', '--db', file]);
    expect(made.code).toBe(0);
  });
  beforeEach(async () => {
    to = await newDatabase();
  });
  afterAll(() => {
    rmSync(dir, { recursive: true, force: true });
  });

  it('has everything, compared and examined, and goes on from there', async () => {
    const { code, stdout, stderr } = await copy();
    expect(stderr).toBe('');
    const report = JSON.parse(stdout) as Copied;
    expect(report).toMatchObject({ healthy: true, rows_before: 0, findings: [] });
    expect(code).toBe(0);
    const empty = report.tables.filter(({ rows }) => rows === 0).map(({ table }) => table);
    // Nothing was compacted, no attempt to send has ended, and no read mark is written before a minute is over.
    expect(
      empty.filter((name) => !['state_history_cuts', 'webhook_destinations', 'read_marks'].includes(name)),
    ).toEqual([]);
    const coordinator = await startTestCoordinator(to);
    try {
      const now = await look(coordinator);
      // A new coordinator may have begun with what is due.
      expect({ ...now, webhooks: [] }).toEqual({ ...seen, webhooks: [] });
      expect(now.webhooks.map(({ webhook_id }) => webhook_id)).toEqual(
        seen.webhooks.map(({ webhook_id }) => webhook_id),
      );
      const { operator } = coordinator;
      const { state_id, version } = seen.document;
      // A stream that was resumed on the file goes on here.
      const stream = must(await operator.streams.state(state_id, { after: String(version) }));
      const written = must(
        await operator.states.ops(state_id, [{ op: 'increment', pointer: '/n', delta: 1 }], {}),
      );
      expect(written.version).toBe(version + 1);
      const heard: StreamEvent[] = [];
      for await (const events of stream) {
        heard.push(...events);
        if (heard.some(({ event }) => event === 'workflow_state_updated')) break;
      }
      must(await operator.schemas.register({ name: 'other', json_schema: { type: 'object' } }));
      must(await operator.sessions.create({ session_name: 'second', external: true }));
      must(
        await operator.states.create({
          schema_name: 'other',
          initial_data: {},
          root_session_name: 'second',
        }),
      );
      expect(must(await operator.operations.doctor())).toEqual({ healthy: true, findings: [] });
    } finally {
      await coordinator.close();
    }
    // It is in use now.
    expect(await copy()).toMatchObject({ code: 2, stderr: expect.stringContaining('it was used since') });
  });

  it('goes on where it was killed, and no coordinator starts on it before it is whole', async () => {
    // The tables are there, so that the test can make one of them slow.
    await (await openPostgresStore({ url: to })).close();
    await execute(
      to,
      `create function wait() returns trigger language plpgsql as 'begin perform pg_sleep(600); return new; end'`,
    );
    await execute(to, 'create trigger wait before insert on sessions for each row execute function wait()');
    const first = await Program.start(['db', 'copy', '--from', file, '--to', to]);
    const isAt =
      "select 1 from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()";
    await eventually('it is in the middle', async () => (await execute(to, isAt)).rows.length > 0);
    expect(await copy()).toMatchObject({ code: 2, stderr: expect.stringContaining('in use') });
    await first.end('SIGKILL');
    await execute(
      to,
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'countersign'`,
    );
    await execute(to, 'drop trigger wait on sessions');
    await expect(openPostgresStore({ url: to })).rejects.toThrow(
      'a copy into it was interrupted; run the same countersign db copy again',
    );
    const { code, stdout } = await copy();
    const report = JSON.parse(stdout) as Copied;
    expect([code, report.healthy]).toEqual([0, true]);
    expect(report.rows_before).toBeGreaterThan(WRITES);
    expect(report.rows_before).toBeLessThan(report.rows);
    // Nobody has used it yet: once more is only compared.
    const again = await copy();
    expect(again.code).toBe(0);
    expect((JSON.parse(again.stdout) as Copied).rows_before).toBe(report.rows);
  });

  it('has the settings of the file, also where a coordinator with a signing secret was once started', async () => {
    await (await startTestCoordinator(to, {}, signingKeys('k'.repeat(40)))).close();
    for (const time of ['first', 'again']) {
      const { code, stderr } = await copy();
      expect([time, code, stderr]).toEqual([time, 0, '']);
    }
    const { client, close } = openForReading(file);
    const kept = client.prepare('select name, value from settings order by name').all();
    close();
    const { rows } = await execute(to, 'select name, value from settings order by name');
    const own = ['copied_from', 'notices_removed_through'];
    const ofFile = (all: readonly unknown[]) =>
      (all as { name: string }[]).filter(({ name }) => ![...own, ...LEASE_SETTINGS].includes(name));
    expect(ofFile(rows)).toEqual(ofFile(kept));
    expect(ofFile(rows)).toMatchObject([{ name: 'session_token_secret' }]);
    await execute(to, "update settings set value = 'other' where name = 'session_token_secret'");
    // No longer the database that was copied.
    expect(await copy()).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('the setting session_token_secret is not as in the source'),
    });
  });

  it('goes on where the file was opened meanwhile, and says what to do where it was written', async () => {
    const own = join(dir, 'restarted.db');
    copyFileSync(file, own);
    expect((await copy(own)).code).toBe(0);
    const interrupt = () =>
      execute(
        to,
        `update settings set value = replace(value, '"isDone":true', '"isDone":false') where name = 'copied_from'`,
      );
    await interrupt();
    await (await startTestCoordinator(own)).close();
    expect(await copy(own)).toMatchObject({ code: 0, stderr: '' });
    await interrupt();
    const coordinator = await startTestCoordinator(own);
    must(
      await coordinator.operator.states.ops(
        seen.document.state_id,
        [{ op: 'increment', pointer: '/n', delta: 1 }],
        {},
      ),
    );
    await coordinator.close();
    expect(await copy(own)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/is not complete: .* if the source was used .* empty it/),
    });
  });

  it('takes no more at once than fits into memory', async () => {
    const own = join(dir, 'large.db');
    const store = await openSqliteStore({ path: own });
    const receipts = Array.from({ length: 20 }, (_, index) => ({
      put: 'receipt' as const,
      record: {
        receiptId: `large_${String(index)}`,
        rootSessionId: index % 2 === 0 ? null : 'ses_root',
        fingerprint: 'f',
        createdAt: 1,
        value: { text: 'x'.repeat(1_500_000) },
      },
    }));
    await store.transact([], () => ({ changes: receipts, value: null }));
    await store.close();
    const table = COPIED.find(({ name }) => name === 'receipts');
    if (table === undefined) throw new Error('No table');
    const source = openSource(own);
    const pages = [source.page(table, 0)];
    while (pages.at(-1)?.length !== 0) pages.push(source.page(table, Number(pages.at(-1)?.at(-1)?.['seq'])));
    source.close();
    expect(pages.map(({ length }) => length)).toEqual([11, 9, 0]);
    const copied = JSON.parse((await copy(own)).stdout) as Copied;
    expect(copied.tables).toContainEqual(expect.objectContaining({ table: 'receipts', rows: 20 }));
  });

  it('is refused where a row is not as in the file', async () => {
    expect((await copy()).code).toBe(0);
    await execute(to, "update state_events set patch = '[]' where version = 3");
    expect(await copy()).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/is not complete: state_events has \d+ rows with the hash/),
    });
  });

  it('is refused into a database with other content or a coordinator, and from a file in use', async () => {
    const coordinator = await startTestCoordinator(to);
    expect(await copy()).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('a coordinator works on it'),
    });
    must(await coordinator.operator.sessions.create({ session_name: 'root', external: true }));
    await coordinator.close();
    expect(await copy()).toMatchObject({ code: 2, stderr: expect.stringContaining('it is not empty') });
    to = await newDatabase();
    const user = await startTestCoordinator(file);
    expect(await copy()).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('in use by another coordinator'),
    });
    await user.close();
    expect(await copy(to)).toMatchObject({ code: 2, stderr: expect.stringContaining('the path of a file') });
  });

  it('has every table', async () => {
    await (await openPostgresStore({ url: to })).close();
    const { rows } = await execute(
      to,
      "select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'",
    );
    const ofCoordinators = ['commit_changes', 'coordinators', 'countersign_migrations', 'tree_commits'];
    expect(rows.map(({ name }) => name).toSorted()).toEqual(
      [...COPIED.map(({ name }) => name), 'settings', ...ofCoordinators].toSorted(),
    );
  });
});
