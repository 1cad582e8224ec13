// The doctor in both directions: a database that only the service has written is clean, and each kind of damage is found.
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { examineFile } from '../../src/main/commands/doctor-file.js';
import { sql } from 'drizzle-orm';
import { auditChecks, FEED_COMPLETE, NUMBERS_COMPLETE } from '../../src/store/doctor/audit-checks.js';
import { COPY_CHECKS } from '../../src/store/doctor/copy-checks.js';
import { CHECKS } from '../../src/store/doctor/checks.js';
import { keepStatements } from '../../src/store/sqlite/kept-statements.js';
import { openReadOnly, openSqliteStore } from '../../src/store/sqlite/index.js';
import { must, openHarness, PlayedRunner, failure, type Harness } from '../service/harness.js';
import { eventually } from '../support/eventually.js';

const findings = async (harness: Harness) => must(await harness.operator.operations.doctor()).findings;

describe('a database that was edited', () => {
  let whole: string;
  let harness: Harness;
  beforeAll(async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    harness = await openHarness({ tickMs: 60_000 });
    const { operator } = harness;
    must(await operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
    must(await operator.sessions.create({ session_name: 'root', external: true }));
    const root = await harness.as('root');
    const state = must(await root.states.create({ schema_name: 'any', initial_data: { n: 0 } })).state_id;
    must(await operator.webhooks.create({ url: 'https://receiver.test/', events: ['run_updated'] }));
    const runner = await PlayedRunner.register(harness);
    for (const kid of ['a', 'b', 'c']) {
      must(
        await root.runs.create({ type: 'start_session', session_name: kid, prompt: 'go', callback: true }),
      );
      const run = await runner.take(kid);
      if (kid === 'c') continue;
      must(
        await (
          await harness.as(kid)
        ).states.patch(state, [{ op: 'add', path: `/${kid}`, value: 'x'.repeat(9) }], {}),
      );
      await runner.complete(run);
      if (kid === 'a') {
        const update = await runner.take(kid);
        must(
          await (await harness.as(kid)).states.patch(state, [{ op: 'add', path: '/again', value: 1 }], {}),
        );
        await runner.complete(update);
      }
    }
    for (let n = 1; n < 4; n += 1)
      must(await root.states.patch(state, [{ op: 'replace', path: '/n', value: n }], {}));
    must(await root.states.get(state));
    await new Promise((resolve) => setTimeout(resolve, 300)); // read marks are saved
    expect(await findings(harness)).toEqual([]);
    whole = join(mkdtempSync(join(tmpdir(), 'countersign-')), 'whole.db');
    harness.tamper(`vacuum into '${whole}'`);
  });
  afterAll(async () => {
    await harness.close();
    rmSync(dirname(whole), { recursive: true, force: true });
    vi.restoreAllMocks();
  });

  const edited = (sql: string): string => {
    const path = join(dirname(whole), 'edited.db');
    rmSync(path, { force: true });
    copyFileSync(whole, path);
    const db = keepStatements(new Database(path));
    db.exec(sql);
    db.close();
    return path;
  };

  /** Ids on the database before it was edited. */
  const idsOf = (sql: string): unknown[] => {
    const db = keepStatements(new Database(whole, { readonly: true }));
    const ids = db.prepare(sql).pluck().all();
    db.close();
    return [...new Set(ids)].sort();
  };

  it('was clean before, and to look at it leaves no trace', async () => {
    const before = readdirSync(dirname(whole)).map((name) => [
      name,
      statSync(join(dirname(whole), name)).mtimeMs,
    ]);
    expect(must(await examineFile(whole, {}))).toEqual({ healthy: true, findings: [] });
    expect(
      readdirSync(dirname(whole)).map((name) => [name, statSync(join(dirname(whole), name)).mtimeMs]),
    ).toEqual(before);
  });

  it.each([
    ['none', 'there is no such file'],
    ['text', 'it is not an SQLite database'],
  ])('a file that is %s is refused in words, and nothing is made', async (name, why) => {
    const path = join(dirname(whole), `${name}.db`);
    if (name === 'text')
      writeFileSync(path, 'no database at all, but long enough to be read as one by whoever tries to');
    const before = readdirSync(dirname(whole));
    expect(failure(await examineFile(path, {})).detail).toContain(why);
    expect(readdirSync(dirname(whole))).toEqual(before);
  });

  it('is found out by a live service as by the file alone', async () => {
    harness.tamper("update runners set hostname = hostname; update notices set facts = '{' where seq = 1");
    expect(await findings(harness)).toMatchObject([
      { check: 'value_readable', detail: expect.stringContaining('facts') },
    ]);
  });

  const STATE = 'select state_id from workflow_states';
  const of = (session: string) => `select session_id from sessions where session_name = '${session}'`;
  const CALLBACK = `select callback_id from callbacks where child_session_id = (${of('a')})`;
  const anArchive = (stateId: string, root: string) =>
    `insert into workflow_archives (archive_id, state_id, root_session_id, created_at, invocations)
      select 'arc_1', ${stateId}, ${root}, 1, '[]' from workflow_states`;
  /** What is found, by what damage, and a query for the ids that are named, on the database before the damage. */
  const DAMAGE: readonly [check: string, sql: string, named: string][] = [
    [
      'event_unaltered',
      `update state_events set patch = replace(patch, '"value":2', '"value":7') where version = (select max(version) - 1 from state_events)`,
      STATE,
    ],
    ['event_unaltered', 'update state_events set created_at = created_at + 1 where version = 2', STATE],
    ['event_unaltered', 'update state_events set session_id = null where version = 2', STATE],
    ['history_replays', "update state_events set patch = 'nonsense' where version = 2", STATE],
    ['history_complete', 'delete from state_events where version = 2', STATE],
    ['history_chained', "update state_events set previous_hash = 'x' where version = 3", STATE],
    ['snapshot_unaltered', `update state_snapshots set text = '{"n":99}' where version = 1`, STATE],
    ['snapshot_unaltered', "update state_snapshots set event_hash = 'x' where version = 1", STATE],
    [
      'compaction_holds',
      'insert into state_history_cuts (state_key, oldest_version, through_event) select seq, 2, 1 from workflow_states',
      STATE,
    ],
    ['snapshot_readable', `update state_snapshots set text = '{"n":' where version = 1`, STATE],
    ['snapshot_matches_history', `update state_snapshots set text = '{"n":99}' where version = 1`, STATE],
    ['snapshot_kept', 'delete from state_snapshots', STATE],
    [
      'history_complete',
      'delete from state_events where version = (select max(version) from state_events)',
      STATE,
    ],
    ['version_known', 'update read_marks set version = 99', STATE],
    ['version_known', 'update completions set last_write_version = 99', 'select session_id from completions'],
    [
      'value_readable',
      "update state_events set kind = 'gossip' where version = 2",
      `select state_id || '@2' from workflow_states`,
    ],
    ['value_readable', "update sessions set settings = '{'", 'select session_id from sessions'],
    ['value_readable', "update sessions set demands = '[]'", 'select session_id from sessions'],
    ['value_readable', "update sessions set status = 'odd'", 'select session_id from sessions'],
    ['value_readable', "update sessions set depth = 'deep'", 'select session_id from sessions'],
    [
      'value_readable',
      "update completions set attempts = '{'",
      "select session_id || '@' || generation from completions",
    ],
    [
      'value_readable',
      `update completions set attempts = '["text"]'`,
      "select session_id || '@' || generation from completions",
    ],
    [
      'value_readable',
      "update completions set changes = '{'",
      "select session_id || '@' || generation from completions",
    ],
    [
      'value_readable',
      "update completions set settings = '{}'",
      "select session_id || '@' || generation from completions",
    ],
    [
      'value_readable',
      "update completions set settings = json_set(settings, '$.timeoutMs', 1e300)",
      "select session_id || '@' || generation from completions",
    ],
    [
      'value_readable',
      "update completions set settings = json_set(settings, '$.retryDelayMs', 8640000000000000)",
      "select session_id || '@' || generation from completions",
    ],
    [
      'value_readable',
      "update completions set status = 'odd'",
      "select session_id || '@' || generation from completions",
    ],
    [
      'value_readable',
      "update completions set work_outcome = 'odd'",
      "select session_id || '@' || generation from completions",
    ],
    ['value_readable', "update runs set metadata = '{'", 'select run_id from runs'],
    ['value_readable', "update runs set demands = '{}'", 'select run_id from runs'],
    [
      'value_readable',
      "update runs set status = 'odd' where completed_at is null",
      'select run_id from runs where completed_at is null',
    ],
    ['value_readable', "update callbacks set status = 'odd'", 'select callback_id from callbacks'],
    ['value_readable', "update callbacks set delivery = 'odd'", 'select callback_id from callbacks'],
    [
      'value_readable',
      "update workflow_schemas set json_schema = '{'",
      "select name || '@' || version from workflow_schemas",
    ],
    ['value_readable', "update notices set facts = '{'", "select kind || '@' || subject_id from notices"],
    ['value_readable', "update webhooks set events = '{'", 'select webhook_id from webhooks'],
    [
      'value_readable',
      "update webhook_deliveries set attempts = '{'",
      'select delivery_id from webhook_deliveries',
    ],
    [
      'value_readable',
      "update webhook_deliveries set status = 'odd'",
      'select delivery_id from webhook_deliveries',
    ],
    ['value_readable', "update runners set tags = '{'", 'select runner_id from runners'],
    [
      'value_readable',
      "update read_marks set parts = '{'",
      "select state_id || '@' || session_id from read_marks",
    ],
    ['value_readable', 'update sessions set created_at = 9e15', 'select session_id from sessions'],
    ['value_readable', 'update sessions set callback = 7', 'select session_id from sessions'],
    ['value_readable', "update sessions set agent_name = x'ff00'", 'select session_id from sessions'],
    [
      'value_readable',
      `insert into receipts (receipt_id, fingerprint, created_at, value)
        values ('answer', 'f', 1, 12345), ('none', 'f', 1, null), ('answer#pull', 'f', 1, '[]')`,
      "select 'answer' union select 'none'",
    ],
    ['value_readable', 'update runs set attempt = -1', 'select run_id from runs'],
    ['value_readable', 'update runs set started_at = -1', 'select run_id from runs'],
    ['value_readable', 'update callbacks set parent_generation = 1.5', 'select callback_id from callbacks'],
    [
      'value_readable',
      "update completions set work_cause = 'bad luck'",
      "select session_id || '@' || generation from completions",
    ],
    [
      'schema_unaltered',
      `update workflow_schemas set json_schema = '{"type":"object","title":"x"}'`,
      "select name || '@' || version from workflow_schemas",
    ],
    [
      'schema_unaltered',
      "update workflow_schemas set hash = 'x' where name = 'any'",
      "select name || '@' || version from workflow_schemas where name = 'any'",
    ],
    ...[
      ['sessions', 'depth', 'session_id'],
      ['completions', 'root_session_id', 'session_id'],
      ['runs', 'root_session_id', 'run_id'],
      ['runs', 'session_name', 'run_id'],
      ['callbacks', 'root_session_id', 'callback_id'],
      ['callbacks', 'child_session_name', 'callback_id'],
      ['state_events', 'root_session_id', 'event_id'],
      ['state_snapshots', 'root_session_id', 'cast(state_key as text)'],
    ].map(([table = '', column = '', name = '']): [string, string, string] => [
      'copy_agrees',
      `update ${table} set ${column} = ${column === 'depth' ? '7' : "'x'"}`,
      `select ${name} from ${table}`,
    ]),
    [
      'copy_agrees',
      "update sessions set parent_session_name = 'x'",
      "select session_id from sessions where session_name <> 'root'",
    ],
    [
      'copy_agrees',
      "update sessions set root_session_id = 'x' where session_name = 'a'",
      `${of('a')} union select run_id from runs where session_id = (${of('a')}) union ${CALLBACK}
       union select subject_id from notices where subject_id = (${of('a')}) or subject_id in (${CALLBACK})`,
    ],
    [
      'copy_agrees',
      "update notices set root_session_id = 'x'",
      "select subject_id from notices where kind <> 'state'",
    ],
    [
      'reference_there',
      `delete from sessions where session_id = (${of('a')})`,
      `${of('a')} union select run_id from runs where session_id = (${of('a')}) union ${CALLBACK} union select event_id from state_events where session_id = (${of('a')})`,
    ],
    [
      'reference_there',
      "delete from sessions where session_name = 'root'",
      `select session_id from sessions union select callback_id from callbacks union select event_id from state_events where session_id = (${of('root')})`,
    ],
    [
      'reference_there',
      'delete from runs where seq = (select max(seq) from runs)',
      'select run_id from runs where seq = (select max(seq) from runs)',
    ],
    [
      'reference_there',
      `delete from completions where session_id = (${of('a')})`,
      `select run_id from runs where session_id = (${of('a')}) union ${CALLBACK}`,
    ],
    [
      'reference_there',
      'delete from callbacks where seq = (select max(seq) from callbacks)',
      'select callback_id from callbacks where seq = (select max(seq) from callbacks)',
    ],
    ['reference_there', 'delete from trees', `select session_id from sessions union ${STATE}`],
    ['reference_there', 'delete from workflow_schemas', STATE],
    [
      'reference_there',
      'delete from workflow_states',
      'select root_session_id from trees union select event_id from state_events union select cast(state_key as text) from state_snapshots union select session_id from read_marks',
    ],
    [
      'reference_there',
      "update workflow_schemas set owner_root_session_id = 'ses_none' where name = 'any'",
      "select schema_id from workflow_schemas where name = 'any'",
    ],
    [
      'reference_there',
      `update workflow_schemas set owner_root_session_id = (${of('a')}) where name = 'any'`,
      "select schema_id from workflow_schemas where name = 'any'",
    ],
    ['reference_there', anArchive("'wfstate_none'", 'root_session_id'), "select 'arc_1'"],
    ['copy_agrees', anArchive('state_id', "''"), "select 'arc_1'"],
    ['copy_agrees', anArchive('state_id', `(${of('a')})`), "select 'arc_1'"],
    [
      'copy_agrees',
      `insert into state_head_signatures (state_key, root_session_id, unsigned_through)
        select seq, '7', 0 from workflow_states`,
      STATE,
    ],
    ['reference_there', 'delete from webhooks', 'select delivery_id from webhook_deliveries'],
    [
      'reference_there',
      "update webhooks set root_session_id = 'ses_none'",
      'select webhook_id from webhooks',
    ],
    [
      'reference_there',
      "update webhooks set owner_session_id = 'ses_none'",
      'select webhook_id from webhooks',
    ],
    ['reference_there', 'update trees set state_id = null', STATE],
    ['rows_complete', 'delete from runs where seq = 2', "select 'runs'"],
    ['rows_complete', 'delete from sessions where seq = 2', "select 'sessions'"],
    ['rows_complete', 'delete from completions where seq = 2', "select 'completions'"],
    ['rows_complete', 'delete from callbacks where seq = 1', "select 'callbacks'"],
    ['generations_complete', `delete from completions where session_id = (${of('a')})`, of('a')],
    [
      'attempt_has_run',
      "delete from runs where purpose = 'state_update'",
      "select session_id from runs where purpose = 'state_update'",
    ],
    ['running_session_has_run', "update sessions set status = 'running' where session_name = 'a'", of('a')],
    [
      'run_has_deadline',
      'update runs set due_at = null where completed_at is null',
      'select run_id from runs where completed_at is null',
    ],
    [
      'ended_run_over',
      "update runs set status = 'failed' where completed_at is null",
      'select run_id from runs where completed_at is null',
    ],
    [
      'session_not_lost',
      `update sessions set status = 'failed' where session_name = 'a';
       update completions set work_outcome = 'lost' where session_id = (${of('a')})`,
      of('a'),
    ],
    ['release_has_callback', `delete from callbacks where child_session_id = (${of('a')})`, of('a')],
    [
      'released_callback_sent',
      `update callbacks set status = 'held' where child_session_id = (${of('a')})`,
      CALLBACK,
    ],
    [
      'dead_callback_explained',
      `update callbacks set status = 'dead', reason = null where child_session_id = (${of('a')})`,
      CALLBACK,
    ],
    ['pending_completion_moves', 'delete from runs where completed_at is null', of('b')],
    ['next_work_begins', "update sessions set generation = 0 where session_name = 'b'", of('b')],
    [
      'open_work_watched',
      `update completions set work_outcome = null, released_at = null, due_at = null where session_id = (${of('a')})`,
      of('a'),
    ],
    ['earlier_generation_released', "update sessions set generation = 2 where session_name = 'b'", of('b')],
    [
      'feed_complete',
      'delete from state_events',
      "select kind || ' ' || subject_id from notices where after_event > 0",
    ],
    [
      'feed_complete',
      'insert into state_history_cuts (state_key, oldest_version, through_event) select seq, 1, 9999999 from workflow_states',
      STATE,
    ],
    [
      'feed_complete',
      'insert into state_history_cuts (state_key, oldest_version, through_event) values (77, 1, 1)',
      "select '77'",
    ],
    ['head_matches_history', "update workflow_states set last_hash = 'x'", STATE],
    [
      'queued_callback_carried',
      `update callbacks set status = 'queued', run_id = (select run_id from runs where seq = 1) where child_session_id = (${of('a')})`,
      CALLBACK,
    ],
    [
      'callback_has_text',
      `update callbacks set message = null where child_session_id = (${of('a')})`,
      CALLBACK,
    ],
    [
      'queued_callback_has_a_way',
      `update callbacks set status = 'acknowledged'; update callbacks set status = 'queued', delivery = 'resume', run_id = null where child_session_id = (${of('a')})`,
      CALLBACK,
    ],
    [
      'queued_callback_has_message',
      `update callbacks set status = 'queued', delivery = 'webhook' where child_session_id = (${of('a')})`,
      CALLBACK,
    ],
    [
      'ended_completion_released',
      `update completions set released_at = null where session_id = (${of('a')})`,
      of('a'),
    ],
    [
      'ended_work_settled',
      `update completions set status = 'none', released_at = null where session_id = (${of('a')})`,
      of('a'),
    ],
    [
      'one_run_under_way',
      `update runs set status = 'running', completed_at = null, due_at = 1 where session_id = (${of('a')})`,
      of('a'),
    ],
    [
      'delivery_moves',
      "update webhook_deliveries set status = 'pending', ended_at = null, due_at = null where seq = 1",
      'select delivery_id from webhook_deliveries where seq = 1',
    ],
    [
      'dead_delivery_explained',
      "update webhook_deliveries set status = 'dead', ended_at = 1, due_at = null, reason = null where seq = 1",
      'select delivery_id from webhook_deliveries where seq = 1',
    ],
  ];

  it.each(DAMAGE)('%s: %s', async (check, sql, named) => {
    const { findings: found } = must(await examineFile(edited(sql), {}));
    const subjects = found.filter((one) => one.check === check).map((one) => one.subject);
    expect([...new Set(subjects)].sort()).toEqual(idsOf(named));
    for (const one of found)
      expect(one).toMatchObject({
        subject: expect.stringMatching(/./),
        detail: expect.stringMatching(/^[A-Z].*\.$/s),
      });
  });

  it('file_sound: a byte of an index', async () => {
    const path = edited('');
    const db = keepStatements(new Database(path, { readonly: true }));
    const [page, root] = [db.pragma('page_size', { simple: true }), indexRoot(db)].map(Number);
    db.close();
    const bytes = readFileSync(path);
    // The last byte of the page is in the number of a row.
    const at = (root ?? 0) * (page ?? 0) - 1;
    bytes.writeUInt8((bytes.readUInt8(at) + 100) % 128, at);
    writeFileSync(path, bytes);
    const { findings: found } = must(await examineFile(path, {}));
    expect(found).toContainEqual({
      check: 'file_sound',
      subject: path,
      detail: expect.stringMatching(/^SQLite says: .*callbacks.*\.$/),
    });
  });

  it.each([
    ['its last page', (bytes: Buffer) => bytes.subarray(0, -4096)],
    ['all but 5,000 bytes', (bytes: Buffer) => bytes.subarray(0, 5_000)],
    ['all but 40,000 bytes', (bytes: Buffer) => bytes.subarray(0, 40_000)],
  ])('file_sound: a file without %s', async (_, cut) => {
    const path = edited('');
    writeFileSync(path, cut(readFileSync(path)));
    expect(must(await examineFile(path, {}))).toEqual({
      healthy: false,
      findings: [
        {
          check: 'file_sound',
          subject: path,
          detail: 'SQLite says: database disk image is malformed.',
        },
      ],
    });
  });

  it('goes on where a page cannot be read, or a table is missing', async () => {
    const path = edited('drop table notices');
    const bytes = readFileSync(path);
    const db = keepStatements(new Database(path, { readonly: true }));
    const [page, root] = [
      db.pragma('page_size', { simple: true }),
      db.prepare("select rootpage from sqlite_schema where name = 'callbacks'").pluck().get(),
    ].map(Number);
    db.close();
    const at = ((root ?? 0) - 1) * (page ?? 0);
    bytes.fill(0xff, at, at + 40);
    writeFileSync(path, bytes);
    const { findings: found } = must(await examineFile(path, {}));
    const unsound = found.filter(({ check }) => check === 'file_sound');
    expect(unsound.map(({ subject }) => subject)).toEqual(expect.arrayContaining([path, 'callback records']));
    expect(unsound.map(({ detail }) => detail)).toContain('The table notices is missing.');
  });

  it.each([
    ['index', 'callbacks_run', 'drop index callbacks_run'],
    ['view', 'state_heads', 'drop view state_heads'],
  ])('file_sound: a missing %s, which a start creates again', async (type, name, statement) => {
    const path = edited(statement);
    const finding = { check: 'file_sound', subject: path, detail: `The ${type} ${name} is missing.` };
    expect(must(await examineFile(path, {})).findings).toEqual([finding]);
    await (await openSqliteStore({ path })).close();
    expect(must(await examineFile(path, {})).findings).toEqual([]);
  });

  it.each([
    ['table workflow_archives', 'drop table workflow_archives'],
    ['column runners.tags', 'alter table runners drop column tags'],
  ])('file_sound: a missing %s, with which nothing starts', async (object, statement) => {
    const path = edited(statement);
    const finding = { check: 'file_sound', subject: path, detail: `The ${object} is missing.` };
    expect(must(await examineFile(path, {})).findings).toContainEqual(finding);
    const why = new RegExp(`cannot be used: its ${object} is missing; restore a backup$`);
    await expect(openSqliteStore({ path })).rejects.toThrow(why);
    expect(() => openReadOnly(path)).toThrow(why);
  });

  it('file_sound: a trigger of somebody else', async () => {
    const path = edited('create trigger t before insert on state_events begin select raise(ignore); end');
    const detail = 'The trigger t is not of Countersign, and may change what is written.';
    expect(must(await examineFile(path, {})).findings).toEqual([
      { check: 'file_sound', subject: path, detail },
    ]);
  });

  it('each check that the documents name has its damage here, and the other way round', () => {
    const text = readFileSync('docs/operating.md', 'utf8');
    const section = text.slice(text.indexOf('### Doctor'), text.indexOf('### Damaged records'));
    const rows = section.split('\n').filter((line) => line.startsWith('| `'));
    const named = rows.flatMap((line) => line.split('|')[1]?.match(/[a-z_]{3,}/g) ?? []);
    const elsewhere = ['file_sound', 'cut_history_begins_whole', 'head_holds', 'archive_matches_history'];
    const here = [...DAMAGE.map(([check]) => check), ...elsewhere];
    expect([...new Set(here)].sort()).toEqual([...named].sort());
    const OF_FILES = [...NUMBERS_COMPLETE, FEED_COMPLETE];
    for (const { check } of [...CHECKS, ...auditChecks(sql`null`, OF_FILES), ...COPY_CHECKS])
      expect(named).toContain(check);
  });
});

describe('a history that was cut', () => {
  it('is clean; and where it does not begin with a whole document, its state is named', async () => {
    const harness = await openHarness({
      historyVersionsMax: 5,
      eventsPerSnapshotMax: 3,
      retentionStepMs: 1,
      retentionRoundMs: 5,
    });
    const { operator } = harness;
    must(await operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
    const made = await operator.states.create({ schema_name: 'any', initial_data: {} });
    const { state_id: id } = must(made);
    for (let n = 2; n <= 20; n += 1) must(await operator.states.mergePatch(id, { n }, {}));
    await eventually('it is cut', async () => {
      await harness.pass(0);
      const { events } = must(await operator.states.events(id, {}));
      return events[0]?.version !== 1;
    });
    expect(await findings(harness)).toEqual([]);
    const folder = mkdtempSync(join(tmpdir(), 'countersign-'));
    const path = join(folder, 'cut.db');
    harness.tamper(`vacuum into '${path}'`);
    expect(must(await examineFile(path, {})).findings).toEqual([]);

    const damage =
      'delete from state_snapshots where version = (select oldest_version from state_history_cuts)';
    harness.tamper(damage);
    const db = keepStatements(new Database(path));
    db.exec(damage);
    db.close();
    const cut = { check: 'cut_history_begins_whole', subject: id };
    expect(await findings(harness)).toMatchObject([cut]);
    expect(must(await examineFile(path, {})).findings).toMatchObject([cut]);
    await harness.close();
    rmSync(folder, { recursive: true, force: true });
  });
});

/** Where the index of callbacks by their id begins. */
function indexRoot(db: Database.Database): unknown {
  return db
    .prepare(
      "select rootpage from sqlite_schema where type = 'index' and tbl_name = 'callbacks' order by name",
    )
    .pluck()
    .get();
}
