// Edited histories in a PostgreSQL database.
import { describe, expect, it } from 'vitest';
import { verify } from '../../../src/main/evidence/verify.js';
import { must } from '../../service/harness.js';
import { eventually } from '../../support/eventually.js';
import { execute, newMigratedDatabase } from '../../support/postgres.js';
import { damagedStories } from '../evidence/damaged.js';
import { evidenceStories } from '../evidence/stories.js';
import { makeState, start, type Subject } from '../evidence/subject.js';

describe('evidence on PostgreSQL', () => {
  const subject: Subject = {
    newDatabase: newMigratedDatabase,
    edit: async (db, sql) => {
      await execute(db, sql);
    },
    rows: async (db, sql) => (await execute(db, sql)).rows,
    heads: { table: 'workflow_states', key: 'seq' },
    headAt: (version, key) =>
      `update workflow_states s set version = e.version, last_hash = e.hash, updated_at = e.created_at
        from state_events e where e.state_key = s.seq and s.seq = ${key} and e.version = ${String(version)}`,
  };
  evidenceStories(subject);
  damagedStories(subject);

  // Reads find these records by their tree, too.
  it.each([
    ['the compaction point', 'update state_history_cuts', 1, 'the event is missing'],
    ['the oldest snapshot', 'update state_snapshots', 5, 'the snapshot is missing'],
  ])('misses %s where it names another tree', async (_what, update, version, what) => {
    const db = await subject.newDatabase();
    const limits = { historyVersionsMax: 5, retentionStepMs: 1, retentionRoundMs: 5 };
    const coordinator = await start(db, null, limits);
    const stateId = await makeState(coordinator, 'compacted');
    const events = () => coordinator.operator.states.events(stateId, {});
    await eventually('it is compacted', async () => must(await events()).events[0]?.version === 5);
    await coordinator.close();
    const options = { db, stateId: null, expectedHead: null, file: null };
    expect(must(await verify(options, {}))).toMatchObject({ holds: true });
    await subject.edit(db, `${update} set root_session_id = 'ses_other'`);
    const tampered = [{ state_id: stateId, version, what }];
    expect(must(await verify(options, {}))).toMatchObject({ holds: false, tampered });
  });
});
