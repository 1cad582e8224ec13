// Values that only somebody who edits a PostgreSQL database by hand can put there.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openPostgresStore, type PostgresStore } from '../../../src/store/postgres/index.js';
import { execute, newMigratedDatabase } from '../../support/postgres.js';
import { load, write } from '../conformance/subject.js';
import {
  NOW,
  aCompletion,
  aNotice,
  aRun,
  aRunner,
  aSchema,
  aSession,
  aState,
  aTree,
  anArchive,
  anEvent,
  childOf,
} from '../records.js';

const page = { limit: 10, cursor: null };
const MAX = '9223372036854775807';

describe('a PostgreSQL database that was edited', () => {
  let url: string;
  let store: PostgresStore;
  const damage: string[] = [];
  const root = aSession();
  const child = childOf(root, 'ses_child');
  const open = async () => {
    store = await openPostgresStore({ url });
    store.onDamage(({ kind, column }) => damage.push(`${kind} ${column ?? ''}`));
  };
  beforeEach(async () => {
    damage.length = 0;
    url = await newMigratedDatabase();
    await open();
    await write(
      store,
      ...[root, child].map((record) => ({ put: 'session', record }) as const),
      { put: 'completion', record: aCompletion(child) },
      { put: 'run', record: aRun(child, 'run_1') },
      { put: 'state', record: aState() },
      { put: 'event', record: anEvent() },
    );
    await store.close();
    await open();
  });
  afterEach(() => store.close());

  it.each([
    ['completions', 'attempts', 'completion'],
    ['runs', 'demands', 'run'],
  ] as const)('has damage where %s.%s is the JSON null', async (table, column, kind) => {
    await execute(url, `update ${table} set ${column} = 'null'`);
    expect((await store.read[table]({}, page)).items).toEqual([]);
    expect(damage).toEqual([`${kind} ${column}`]);
    await expect(load(store, { load: 'aggregate', sessionId: 'ses_child' })).rejects.toMatchObject({
      damage: { kind, column },
    });
    const audited = await store.read.audit(100, { apply: () => ({}), hashOf: () => '' });
    expect(audited).toContainEqual(expect.objectContaining({ check: 'value_readable' }));
    const repaired = await load(store, { load: 'repaired', kind: 'tree', id: root.sessionId, now: NOW });
    expect(repaired.repaired).toContainEqual(expect.objectContaining({ kind, column }));
  });

  it.each([
    ['sessions', 'depth', MAX],
    ['state_events', 'version', `-${MAX} - 1`],
    ['workflow_states', 'version', MAX],
    ['workflow_states', 'version', `-${MAX} - 1`],
  ])('is examined where %s.%s is %s', async (table, column, value) => {
    await execute(url, `update ${table} set ${column} = ${value}`);
    await execute(
      url,
      `insert into state_history_cuts (state_key, oldest_version, through_event)
      select seq, -9, 0 from workflow_states`,
    );
    const findings = await store.read.doctor(NOW, 100);
    const audited = await store.read.audit(100, { apply: () => ({}), hashOf: () => '' });
    expect([...findings, ...audited].length).toBeGreaterThan(0);
  });

  it.each([
    ['reference_there', 'arc_1', "update workflow_archives set state_id = 'wfstate_none'"],
    ['copy_agrees', 'arc_1', "update workflow_archives set root_session_id = ''"],
    ['reference_there', 'sch_1', "update workflow_schemas set owner_root_session_id = 'ses_none'"],
    ['copy_agrees', 'wst_1', "update state_history_cuts set root_session_id = '7'"],
    ['copy_agrees', 'wst_1', 'update read_marks set root_session_id = null'],
  ])('has a finding of %s for %s after %s', async (check, subject, edit) => {
    const { sessionId } = root;
    await write(
      store,
      { put: 'tree', record: aTree({ rootSessionId: sessionId, stateId: 'wst_1' }) },
      { put: 'schema', record: aSchema({ ownerRootSessionId: sessionId }) },
      { put: 'archive', record: anArchive('arc_1') },
    );
    await store.saveReadCursors([
      { stateId: 'wst_1', sessionId, version: 1, ownVersion: 1, parts: [], own: null },
    ]);
    await execute(
      url,
      'insert into state_history_cuts (state_key, oldest_version, through_event) select seq, 1, 0 from workflow_states',
    );
    const found = async () => {
      const findings = await store.read.audit(100, { apply: () => ({}), hashOf: () => '' });
      return findings.filter((one) => one.check === check && one.subject === subject);
    };
    expect(await found()).toEqual([]);
    await execute(url, edit);
    expect(await found()).toHaveLength(1);
  });

  it('knows no runner whose record is damaged', async () => {
    await write(store, { put: 'runner', record: aRunner() });
    await execute(url, 'update runners set created_at = -1');
    expect((await load(store, { load: 'runner', runnerId: 'rnr_1' })).runners.size).toBe(0);
    expect(damage).toEqual(['runner created_at']);
  });

  it.each([MAX, `-${MAX} - 1`, String(Number.MAX_SAFE_INTEGER)])(
    'takes writes where every number of commits is %s',
    async (value) => {
      for (const reopen of [false, true]) {
        await execute(url, `update tree_commits set commits = ${value}`);
        if (reopen) {
          await store.close();
          await open();
        }
        const ids = ['arc_1', 'arc_2'].map((id) => `${id}_${String(reopen)}`);
        const loads = [{ load: 'aggregate', sessionId: 'ses_child' }] as const;
        for (const id of ids) {
          const put = { put: 'archive', record: anArchive(id) } as const;
          await store.transact(loads, () => ({ changes: [put], value: null }));
        }
        for (const id of ids) expect(await store.read.archive(id)).toMatchObject({ archiveId: id });
      }
    },
  );

  it('has a setting that was emptied made anew, and named before', async () => {
    const subject = 'session_token_secret';
    await store.setting(subject, () => 'first');
    await execute(url, "update settings set value = '' where name = $1", [subject]);
    expect(await store.read.doctor(NOW, 100)).toContainEqual(expect.objectContaining({ subject }));
    await store.close();
    await open();
    expect(await store.setting(subject, () => 'second')).toBe('second');
    expect(await store.setting(subject, () => 'third')).toBe('second');
  });

  it.each(['x', '', '-1', '9'.repeat(30)])(
    'takes all before the oldest domain event for removed where the setting of that is %o',
    async (value) => {
      const record = aNotice(root.sessionId);
      await write(store, { put: 'notice', record });
      await execute(url, "insert into settings (name, value) values ('notices_removed_through', $1)", [
        value,
      ]);
      const { rows } = await execute(url, 'select min(seq)::int - 1 as removed from notices');
      const { items, oldest } = await store.read.feed({ events: 0, notices: 0 }, {}, 10, 1e9);
      expect([items.length, oldest.notices]).toEqual([2, rows[0]?.['removed']]);
    },
  );
});
