// The doctor in both directions: a database that only the service has written is clean, and each kind of damage is found.
import { copyFileSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { examineFile } from '../../src/main/doctor-file.js';
import { keepStatements } from '../../src/store/sqlite/kept-statements.js';
import { must, openHarness, PlayedRunner, refusal, type Harness } from '../service/harness.js';
import { live } from './lifecycles.js';

const findings = async (harness: Harness) => must(await harness.operator.operations.doctor()).findings;

describe('a database that only the service has written', () => {
  let harness: Harness;
  beforeAll(async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    harness = await openHarness({ tickMs: 1000 });
  });
  afterAll(async () => {
    await harness.close();
    vi.restoreAllMocks();
  });

  it('is clean after 1,000 random lives, and after a restart', async () => {
    for (let seed = 1; seed <= 4; seed += 1) {
      await live(harness, seed, 250);
      await harness.pass(1);
      expect(await findings(harness)).toEqual([]);
    }
    await harness.restart();
    expect(await findings(harness)).toEqual([]);
  }, 120_000);
});

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

  it('was clean before, and to look at it leaves no trace', async () => {
    const before = readdirSync(dirname(whole)).map((name) => [
      name,
      statSync(join(dirname(whole), name)).mtimeMs,
    ]);
    expect(must(await examineFile(whole))).toEqual({ healthy: true, findings: [] });
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
    expect(refusal(await examineFile(path)).detail).toContain(why);
    expect(readdirSync(dirname(whole))).toEqual(before);
  });

  it('is found out by a live service as by the file alone', async () => {
    harness.tamper("update runners set hostname = hostname; update notices set facts = '{' where seq = 1");
    expect(await findings(harness)).toMatchObject([
      { check: 'value_readable', detail: expect.stringContaining('facts') },
    ]);
  });

  const ofRun = "(select session_id from sessions where session_name = 'a')";
  const DAMAGE: readonly [check: string, sql: string][] = [
    [
      'event_unaltered',
      `update state_events set patch = replace(patch, '"value":2', '"value":7') where version = (select max(version) - 1 from state_events)`,
    ],
    ['event_unaltered', `update state_events set created_at = created_at + 1 where version = 2`],
    ['event_unaltered', `update state_events set session_id = null where version = 2`],
    ['history_replays', `update state_events set patch = 'nonsense' where version = 2`],
    ['history_complete', 'delete from state_events where version = 2'],
    ['history_chained', `update state_events set previous_hash = 'x' where version = 3`],
    ['snapshot_readable', `update state_snapshots set text = '{"n":' where version = 1`],
    ['snapshot_matches_history', `update state_snapshots set text = '{"n":99}' where version = 1`],
    ['snapshot_kept', 'delete from state_snapshots'],
    ['history_complete', 'delete from state_events where version = (select max(version) from state_events)'],
    ['version_known', 'update read_marks set version = 99'],
    ['version_known', 'update completions set last_write_version = 99'],
    ['value_readable', "update state_events set kind = 'gossip' where version = 2"],
    ['value_readable', "update sessions set settings = '{'"],
    ['value_readable', "update sessions set demands = '[]'"],
    ['value_readable', "update sessions set status = 'odd'"],
    ['value_readable', "update sessions set depth = 'deep'"],
    ['value_readable', "update completions set attempts = '{'"],
    ['value_readable', "update completions set changes = '{'"],
    ['value_readable', "update completions set settings = '{}'"],
    ['value_readable', "update completions set status = 'odd'"],
    ['value_readable', "update completions set work_outcome = 'odd'"],
    ['value_readable', "update runs set metadata = '{'"],
    ['value_readable', "update runs set demands = '{}'"],
    ['value_readable', "update runs set status = 'odd' where completed_at is null"],
    ['value_readable', "update callbacks set status = 'odd'"],
    ['value_readable', "update callbacks set delivery = 'odd'"],
    ['value_readable', "update workflow_schemas set json_schema = '{'"],
    ['value_readable', "update notices set facts = '{'"],
    ['value_readable', "update webhooks set events = '{'"],
    ['value_readable', "update webhook_deliveries set attempts = '{'"],
    ['value_readable', "update webhook_deliveries set status = 'odd'"],
    ['value_readable', "update runners set tags = '{'"],
    ['value_readable', "update read_marks set parts = '{'"],
    ['reference_there', `delete from sessions where session_id = ${ofRun}`],
    ['reference_there', "delete from sessions where session_name = 'root'"],
    ['reference_there', 'delete from runs where seq = (select max(seq) from runs)'],
    ['reference_there', `delete from completions where session_id = ${ofRun}`],
    ['reference_there', 'delete from callbacks where seq = (select max(seq) from callbacks)'],
    ['reference_there', 'delete from trees'],
    ['reference_there', 'delete from workflow_schemas'],
    ['reference_there', 'delete from workflow_states'],
    ['reference_there', 'delete from webhooks'],
    ['reference_there', 'update trees set state_id = null'],
    ['rows_complete', 'delete from runs where seq = 2'],
    ['rows_complete', 'delete from sessions where seq = 2'],
    ['rows_complete', 'delete from completions where seq = 2'],
    ['rows_complete', 'delete from callbacks where seq = 1'],
    ['generations_complete', `delete from completions where session_id = ${ofRun}`],
    ['attempt_has_run', "delete from runs where purpose = 'state_update'"],
    ['running_session_has_run', "update sessions set status = 'running' where session_name = 'a'"],
    ['run_has_deadline', 'update runs set due_at = null where completed_at is null'],
    ['ended_run_over', "update runs set status = 'failed' where completed_at is null"],
    ['release_has_callback', `delete from callbacks where child_session_id = ${ofRun}`],
    ['released_callback_sent', `update callbacks set status = 'held' where child_session_id = ${ofRun}`],
    [
      'dead_callback_explained',
      `update callbacks set status = 'dead', reason = null where child_session_id = ${ofRun}`,
    ],
    ['pending_completion_moves', 'delete from runs where completed_at is null'],
    ['earlier_generation_released', `update sessions set generation = 2 where session_name = 'b'`],
    ['feed_complete', 'delete from state_events'],
  ];

  it.each(DAMAGE)('%s: %s', async (check, sql) => {
    const { findings: found } = must(await examineFile(edited(sql)));
    expect(found.map((one) => one.check)).toContain(check);
    for (const one of found)
      expect(one).toMatchObject({
        subject: expect.stringMatching(/./),
        detail: expect.stringMatching(/^[A-Z].*\.$/s),
      });
  });
});
