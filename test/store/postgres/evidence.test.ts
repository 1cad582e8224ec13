// Edited histories in a PostgreSQL database.
import { describe } from 'vitest';
import { execute, newMigratedDatabase } from '../../support/postgres.js';
import { damagedStories } from '../evidence/damaged.js';
import { evidenceStories } from '../evidence/stories.js';
import type { Subject } from '../evidence/subject.js';

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
});
