// Edited histories in a SQLite file.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, describe } from 'vitest';
import { keepStatements } from '../../src/store/sqlite/kept-statements.js';
import { damagedStories, type Damage } from './evidence/damaged.js';
import { evidenceStories } from './evidence/stories.js';
import type { Subject } from './evidence/subject.js';

/** SQLite stores any type in any column. */
const TYPES: readonly Damage[] = [
  ...['signature', 'patch', 'hash'].map((column): Damage => [
    `${column} of an event as bytes`,
    (key) => `update state_events set ${column} = x'00ff' where state_key = ${key} and version = 3`,
  ]),
  ...["'abc'", '0.5', '9e18'].map((value): Damage => [
    `time of an event: ${value}`,
    (key) => `update state_events set created_at = ${value} where state_key = ${key} and version = 3`,
  ]),
  ...['text', 'hash', 'signature'].map((column): Damage => [
    `${column} of a snapshot as bytes`,
    (key) => `update state_snapshots set ${column} = x'00ff' where state_key = ${key} and version = 5`,
  ]),
  ...['7', "'abc'", '0.5'].flatMap((value): Damage[] => [
    [
      `flag of an event: ${value}`,
      (key) => `update state_events set late = ${value} where state_key = ${key} and version = 3`,
    ],
    [
      `flag of a head: ${value}`,
      (key) => `update workflow_states set tolerates = ${value} where seq = ${key}`,
    ],
  ]),
  [
    'version of a row whose head has later events: 1.5',
    (key) => `update workflow_states set version = 1.5 where seq = ${key}`,
  ],
  ...['patch_bytes_since_snapshot', 'last_hash', 'updated_at'].map((column): Damage => [
    `${column} of a row whose head has later events`,
    (key) => `update workflow_states set ${column} = x'00ff' where seq = ${key}`,
  ]),
  ...['schema_id', 'version', 'snapshot_version', 'created_at', 'revision'].map((column): Damage => [
    `${column} of a head as bytes`,
    (key) => `update workflow_states set ${column} = x'00ff' where seq = ${key}`,
  ]),
  [
    'version of an event as text',
    (key) => `update state_events set version = 'x' where state_key = ${key} and version = 10`,
  ],
  [
    'version of a snapshot as text',
    (key) => `update state_snapshots set version = 'x' where state_key = ${key} and version = 5`,
  ],
  [
    'oldest version of a compaction as text',
    (key) =>
      `insert into state_history_cuts (state_key, oldest_version, through_event) values (${key}, 'x', 1)`,
  ],
];

const SIGNED_TYPES: readonly Damage[] = [
  [
    'end of the unsigned events as text',
    (key) => `update state_head_signatures set unsigned_through = 'x' where state_key = ${key}`,
  ],
  [
    'signature of a head as bytes',
    (key) => `update state_head_signatures set signature = x'00ff' where state_key = ${key}`,
  ],
];

describe('evidence on SQLite', () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'countersign-evidence-'));
  let databases = 0;
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  function on<T>(db: string, work: (client: Database.Database) => T): Promise<T> {
    const client = keepStatements(new Database(db));
    try {
      return Promise.resolve(work(client));
    } finally {
      client.close();
    }
  }

  const subject: Subject = {
    newDatabase: () => Promise.resolve(path.join(dir, `${String((databases += 1))}.db`)),
    edit: (db, sql) => on(db, (client) => void client.exec(sql)),
    rows: (db, sql) => on(db, (client) => client.prepare<[], Record<string, unknown>>(sql).all()),
    heads: { table: 'state_head_signatures', key: 'state_key' },
    headAt: () => '',
  };
  evidenceStories(subject);
  damagedStories(subject, TYPES, SIGNED_TYPES);
});
