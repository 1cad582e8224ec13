// The bound for durable writes: better-sqlite3 committing the rows of our writes, in groups, and nothing else.
import Database from 'better-sqlite3';
import { twoOperations } from './documents.mjs';

/** @returns Rows committed per second, in groups of a size. */
export function groupedCommits(path, { seconds, group }) {
  const db = new Database(path);
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.exec(`
    create table if not exists heads (id integer primary key, version integer not null, hash text, updated_at integer);
    create table if not exists log (seq integer primary key, state integer not null, version integer not null,
      event_id text not null, patch text not null, hash text not null, previous text not null, created_at integer not null);
    create unique index if not exists log_version on log (state, version);
    insert or ignore into heads values (1, 0, '', 0);
  `);
  const append = db.prepare(
    'insert into log (state, version, event_id, patch, hash, previous, created_at) values (1, ?, ?, ?, ?, ?, ?)',
  );
  const move = db.prepare('update heads set version = ?, hash = ?, updated_at = ? where id = 1');
  const hash = 'f'.repeat(64);
  const first = db.prepare('select version from heads where id = 1').pluck().get();
  let version = first;
  const until = Date.now() + seconds * 1000;
  const startedAt = process.hrtime.bigint();
  while (Date.now() < until) {
    db.exec('begin immediate');
    for (let i = 0; i < group; i += 1) {
      version += 1;
      append.run(
        version,
        `evt_${String(version).padStart(20, '0')}`,
        JSON.stringify(twoOperations(version)),
        hash,
        hash,
        Date.now(),
      );
      move.run(version, hash, Date.now());
    }
    db.exec('commit');
  }
  const perSecond = (version - first) / (Number(process.hrtime.bigint() - startedAt) / 1e9);
  db.close();
  return { perSecond, p50: 0, p99: 0 };
}
