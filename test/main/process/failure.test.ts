import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { failureOf, startErrorText } from '../../../src/main/process/failure.js';
import { CommitUnknownError, StorageError } from '../../../src/ports/storage/storage.js';
import { unusable } from '../../../src/store/sqlite/connection.js';

const errorOf = (code: string) => Object.assign(new Error(`${code}: copyfile`), { code });

it.each(['ENOSPC', 'EDQUOT', 'EFBIG'])(
  'a command without space for %s is refused with storage_full',
  (code) => {
    expect(failureOf(unusable('/data/a.db', errorOf(code)))?.failure).toMatchObject({
      error: 'storage_full',
      detail: 'The database /data/a.db cannot be used: the disk is full.',
    });
  },
);

it('a command whose database may not be read is refused as a mistake, and a bug is no refusal', () => {
  expect(failureOf(unusable('/data/a.db', errorOf('EACCES')))?.failure.error).toBe('database_unusable');
  expect(failureOf(new Error('a bug'))).toBeNull();
});

const corrupt = () => new Database.SqliteError('database disk image is malformed', 'SQLITE_CORRUPT_VTAB');

it.each([
  [
    'when it is opened',
    unusable('/data/a.db', corrupt()),
    'The database /data/a.db cannot be used: it is damaged.',
  ],
  ['when it is read', corrupt(), 'SQLite says: database disk image is malformed. Nothing was changed.'],
  [
    'when the store reads it',
    new StorageError('storage_failed', 'cannot be read', { cause: corrupt() }),
    'SQLite says: database disk image is malformed. Nothing was changed.',
  ],
])('a command whose database is damaged %s is refused with record_damaged', (_, error, detail) => {
  expect(failureOf(error)?.failure).toMatchObject({
    error: 'record_damaged',
    detail: expect.stringContaining(detail),
  });
});

it('damage that a commit met is no refusal that says that nothing was changed', () => {
  const error = new CommitUnknownError('the disk', { cause: corrupt() });
  expect(failureOf(error)?.failure.error).toBe('storage_failed');
});

it('a start on a damaged database says so in one sentence', () => {
  expect(startErrorText(unusable('/data/a.db', corrupt()))).toBe(
    'The database /data/a.db cannot be used: it is damaged',
  );
});

it.each([
  ['storage_full', new StorageError('storage_full', 'The database cannot grow')],
  ['storage_busy', new StorageError('storage_busy', 'Another program holds the database')],
  ['storage_failed', new CommitUnknownError('the connection ended')],
])('a command whose database fails while it works is refused with %s', (code, error) => {
  expect(failureOf(error)?.failure).toMatchObject({ error: code, detail: expect.stringMatching(/\.$/) });
});
